import PostalMime from "postal-mime";
import { cleanText } from "../pipelines/consensus/src/clean/clean.ts";
import { parseMail } from "../pipelines/consensus/src/mail/parse.ts";
import { type FoundMail, splitMails } from "../pipelines/consensus/src/mail/split.ts";
import { extractSummary } from "../pipelines/consensus/src/summary/extract.ts";
import { verifySummary } from "../pipelines/consensus/src/summary/verify.ts";
import { threadMessages } from "../pipelines/consensus/src/threads/thread.ts";
import { type Post, weigh } from "../pipelines/consensus/src/weigh/weigh.ts";
import { openStaticModel } from "../text/src/embed/static-model.ts";
import { cutPassages } from "../text/src/passages.ts";
import type { Archive } from "./mail-archives.ts";
import { inChunks } from "./quality/corpora.ts";
import { median } from "./statistics.ts";

/** How fast one stage is, as calls of its function on one core. */
export interface StageSpeed {
  readonly stage: string;
  readonly messagesPerSecond: number;
  readonly megabytesPerSecond: number;
  readonly msPerMessage: number;
}

interface Message {
  readonly list: string;
  readonly parsed: ReturnType<typeof parseMail>;
  readonly clean: string;
}

/** Every stage on the same mails, each after the one before it; medians of `rounds`. */
export async function measureStages(
  archives: readonly Archive[],
  rounds: number,
): Promise<readonly StageSpeed[]> {
  const { time, speeds } = makeStopwatch(archives, rounds);
  const mails = await time("split", null, () => splitAll(archives));
  const count = mails.length;
  const parsed = await time("parse", count, () =>
    mails.map(({ list, mail }) => ({ list, parsed: parseMail(mail.bytes, mail.envelope) })),
  );
  await time("postal-mime, for comparison", count, async () => {
    for (const { mail } of mails) await PostalMime.parse(mail.bytes);
  });
  const messages = await time("clean", count, (): readonly Message[] =>
    parsed.map((each) => ({ ...each, clean: cleanText(each.parsed.text).clean })),
  );
  const unique = [
    ...new Map(messages.map((each) => [`${each.list} ${each.parsed.messageId}`, each])).values(),
  ];
  const threads = await time("thread", unique.length, () => threadAll(unique));
  const model = openStaticModel();
  const { tokenize, tokensMax } = model;
  const passages = await time("chunk", unique.length, () =>
    unique.map(({ clean }) =>
      cutPassages(clean, { tokenize, tokensMax }).map(({ start, end }) => clean.slice(start, end)),
    ),
  );
  await time("embed", unique.length, () => model.embed(passages.flat()));
  const weighed = await time("weigh", unique.length, () => threads.map((posts) => weigh(posts)));
  await time("summarize", unique.length, async () => {
    for (const [at, posts] of threads.entries()) {
      const { positions, decisions, calls } = weighed[at]!;
      const salient = [...decisions, ...calls, ...positions];
      verifySummary(await extractSummary(posts, { embed: (texts) => model.embed(texts), salient }), posts);
    }
  });
  return speeds;
}

function makeStopwatch(archives: readonly Archive[], rounds: number) {
  const bytes = archives.reduce((sum, archive) => sum + archive.bytes.length, 0);
  const speeds: StageSpeed[] = [];
  /** `count` messages; null when the result itself is the list of them. */
  const time = async <T>(stage: string, count: number | null, act: () => Promise<T> | T): Promise<T> => {
    const times: number[] = [];
    let result: T | undefined;
    for (let round = 0; round < rounds; round++) {
      const from = performance.now();
      result = await act();
      times.push(performance.now() - from);
    }
    const ms = median(times);
    const messages = count ?? (result as { readonly length: number }).length;
    speeds.push({
      stage,
      messagesPerSecond: (messages / ms) * 1_000,
      megabytesPerSecond: bytes / 1_000 / ms,
      msPerMessage: ms / messages,
    });
    return result as T;
  };
  return { time, speeds };
}

async function splitAll(archives: readonly Archive[]): Promise<readonly { list: string; mail: FoundMail }[]> {
  const found: { list: string; mail: FoundMail }[] = [];
  for (const { list, bytes } of archives)
    for await (const mail of splitMails(inChunks(bytes))) found.push({ list, mail });
  return found;
}

/** The posts of each thread of each list, in the thread's order. */
function threadAll(messages: readonly Message[]): readonly (readonly Post[])[] {
  const lists = [...new Set(messages.map(({ list }) => list))];
  return lists.flatMap((list) => threadList(messages.filter((message) => message.list === list)));
}

function threadList(messages: readonly Message[]): readonly (readonly Post[])[] {
  const headers = messages.map(({ parsed }, at) => ({
    ...parsed,
    id: String(at),
    messageId: parsed.messageId ?? `none.${at}`,
  }));
  return threadMessages(headers).map(({ members }) =>
    members.map(({ id, parent }): Post => {
      const { parsed, clean } = messages[Number(id)]!;
      return { id, parent, from: parsed.from, date: parsed.date, subject: parsed.subject, clean };
    }),
  );
}
