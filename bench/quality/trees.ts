import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parseMail } from "../../pipelines/consensus/src/mail/parse.ts";
import { type Header, threadMessages } from "../../pipelines/consensus/src/threads/thread.ts";
import { readLists } from "../../pipelines/consensus/test/archive-headers.ts";
import {
  firstOfEach,
  parentsIn,
  pipermailParents,
  playScript,
} from "../../pipelines/consensus/test/known-trees.ts";
import { corpora, filesBelow, mailsOf, readText } from "./corpora.ts";
import { type Figure, share } from "./figures.ts";
import type { FinishedRun } from "./run-lists.ts";

const area = "threads";

export async function treeFigures(run: FinishedRun): Promise<readonly Figure[]> {
  return [headerParents(run), await pipermail(), await imaptest(), await notmuch()];
}

/** Headers read by the pipeline's own parser. */
async function headersOf(path: string): Promise<readonly Header[]> {
  return (await mailsOf(path)).map(({ bytes, envelope }, at) => {
    const { messageId, inReplyTo, references, subject, date } = parseMail(bytes, envelope);
    const id = `${path} ${String(at + 1).padStart(6, "0")}`;
    return { id, messageId: messageId ?? `none.${id}`, inReplyTo, references, subject, date };
  });
}

/** Compares Message-IDs found in headers by a few regular expressions with the parents stored by the pipeline. */
function headerParents({ lists }: FinishedRun): Figure {
  const stored = new Map(lists.map(({ list, stories }) => [list, parentsStored(stories)]));
  let [given, equal] = [0, 0];
  for (const { name, headers } of readLists()) {
    const parents = stored.get(name);
    if (!parents) continue;
    const there = new Set(headers.map(({ messageId }) => messageId));
    for (const { messageId, inReplyTo, references } of firstOfEach(headers)) {
      const named = [inReplyTo, ...[...references].reverse()].filter((each) => each !== messageId);
      const parent = named.find((each) => each !== null && there.has(each));
      if (parent === undefined || parent === null) continue;
      given++;
      if (parents.get(messageId) === parent) equal++;
    }
  }
  return {
    area,
    what: "parents that the headers give, all lists, through the pipeline",
    ours: share(equal, given),
    against: "In-Reply-To, then the last of References that is there; 99.5 % asked",
    met: given > 3_000 && equal / given >= 0.995,
  };
}

function parentsStored(stories: FinishedRun["lists"][number]["stories"]): Map<string, string | null> {
  return new Map(
    stories.flatMap(({ thread, messages }) => {
      const names = new Map(messages.map(({ id, messageId }) => [id, messageId]));
      return thread.messages.map(({ message, parent }): [string, string | null] => [
        names.get(message) ?? message,
        parent === null ? null : (names.get(parent) ?? parent),
      ]);
    }),
  );
}

async function pipermail(): Promise<Figure> {
  const messages = firstOfEach(await headersOf("list-twisted-python/2005-May.txt"));
  const ours = parentsIn(threadMessages(messages));
  const theirs = pipermailParents(readText("list-twisted-threads/2005-May/thread.html"), messages);
  const equal = [...theirs].filter(([id, parent]) => ours.has(id) && ours.get(id) === parent).length;
  return {
    area,
    what: "parents that Pipermail gave, twisted-python of May 2005",
    ours: share(equal, theirs.size),
    against: "thread.html of the archive; it joins a weekly robot mail to last week's, we do not",
    met: null,
  };
}

async function imaptest(): Promise<Figure> {
  const scripts = readdirSync(join(corpora, "thread-imaptest")).filter((name) => /^thread\d*$/.test(name));
  let [answers, equal] = [0, 0];
  for (const script of scripts) {
    const mails = await headersOf(`thread-imaptest/${script}.mbox`);
    const { expected, given } = playScript(readText(`thread-imaptest/${script}`), mails);
    answers += expected.length;
    equal += expected.filter((answer, at) => answer === given[at]).length;
  }
  return {
    area,
    what: `THREAD=REFERENCES trees of ${scripts.length} scripts`,
    ours: share(equal, answers),
    against: "answers written down in imaptest",
    met: answers > 0 && equal === answers,
  };
}

/** Expectations of notmuch's own tests (T510): local parts of Message-IDs, each with its parent. */
const notmuchTrees: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  "threading/parent-priority": { "B00-root": null, "B01-child": "B00-root", "B01-grand-child": "B01-child" },
  "threading/ghost-root": {
    "000-real-root": null,
    "001-child": "000-real-root",
    "001-fake-message-root": "001-child",
    "001-grand-child": "001-child",
    "001-grand-child2": "001-child",
    "001-great-grand-child": "001-grand-child",
  },
};

async function notmuch(): Promise<Figure> {
  let [expected, equal] = [0, 0];
  for (const [folder, tree] of Object.entries(notmuchTrees)) {
    const paths = filesBelow(`thread-notmuch/corpora/${folder}`);
    const headers = (await Promise.all(paths.map(headersOf))).flat();
    const names = new Map(headers.map(({ id, messageId }) => [id, messageId.split("@")[0]!]));
    const parents = new Map(
      [...parentsIn(threadMessages(headers))].map(([id, parent]) => [
        names.get(id),
        parent === null ? null : names.get(parent),
      ]),
    );
    for (const [name, parent] of Object.entries(tree)) {
      expected++;
      if (parents.has(name) && parents.get(name) === parent) equal++;
    }
  }
  return {
    area,
    what: "parents in notmuch's trees with missing and disordered references",
    ours: share(equal, expected),
    against: "expected in notmuch's tests",
    met: equal === expected,
  };
}
