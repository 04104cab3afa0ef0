import { readFileSync } from "node:fs";
import { parseMail } from "../../pipelines/consensus/src/mail/parse.ts";
import { mailsOf } from "./corpora.ts";
import { count, type Figure, share } from "./figures.ts";
import type { FinishedRun } from "./run-lists.ts";

interface Counted {
  readonly mails: number;
  readonly messages: number;
}
interface KnownCounts {
  readonly files: Readonly<Record<string, Counted>>;
  readonly lists: Readonly<Record<string, Counted>>;
}

/** Counted by count-mails.py, which shares no code with Headway. */
const known: KnownCounts = JSON.parse(readFileSync(new URL("known-counts.json", import.meta.url), "utf8"));

/** Not mail, although Python counts one: a file of the six bytes `From \n`. */
const noMail = new Set(["list-cfc-fixture/fuzzing/corpus/mbox/malformed_from.mbox"]);
/** Folders with mails outside of mbox files, not shown to Python. */
const mixedFolders = new Set(["list-cfc-fixture", "list-ietf-mailarchive", "list-perceval"]);

export async function countFigures({ lists }: FinishedRun): Promise<readonly Figure[]> {
  const paths = Object.keys(known.files).filter((path) => !noMail.has(path));
  const [mails, messages] = [new Set<string>(), new Set<string>()];
  for (const path of paths) {
    const found = await countArchive(path);
    if (found.mails === known.files[path]!.mails) mails.add(path);
    if (found.messages === known.files[path]!.messages) messages.add(path);
  }
  const area = "messages";
  const python = "Python's `mailbox` (count-mails.py)";
  const byFile: readonly Figure[] = [
    {
      area,
      what: "archives with exactly as many mails",
      ours: `${share(mails.size, paths.length)}${missed(paths, mails)}`,
      against: python,
      met: mails.size === paths.length,
    },
    {
      area,
      what: "archives with exactly as many different messages",
      ours: `${share(messages.size, paths.length)}${missed(paths, messages)}`,
      against: `${python}, by Message-ID`,
      met: messages.size === paths.length,
    },
  ];
  const pure = lists.filter(({ list }) => !mixedFolders.has(list));
  const byList = pure.map(({ list, ledger }): Figure => {
    const expected = known.lists[list]!;
    return {
      area,
      what: `${list}: mails = messages + duplicates + dead`,
      ours: `${count(ledger.mails)} = ${count(ledger.messages)} + ${ledger.duplicates} + ${ledger.dead}`,
      against: `${count(expected.mails)} = ${count(expected.messages)} + ${expected.mails - expected.messages} + 0, Python`,
      met: ledger.mails === expected.mails && ledger.messages === expected.messages && ledger.dead === 0,
    };
  });
  const open = lists.filter(
    ({ ledger: { mails: all, messages: kept, duplicates, dead } }) => all !== kept + duplicates + dead,
  );
  const books: Figure = {
    area,
    what: "lists whose books add up after the whole pipeline",
    ours: share(lists.length - open.length, lists.length),
    against: "mails = messages + duplicates + dead letters",
    met: open.length === 0,
  };
  return [...byFile, ...byList, books];
}

const missed = (paths: readonly string[], equal: ReadonlySet<string>): string => {
  const names = paths.filter((path) => !equal.has(path)).map((path) => path.slice(path.lastIndexOf("/") + 1));
  return names.length === 0 ? "" : `; not ${names.join(", ")}`;
};

async function countArchive(path: string): Promise<Counted> {
  const found = await mailsOf(path);
  const ids = found.map(({ bytes, envelope }, at) => parseMail(bytes, envelope).messageId ?? `none ${at}`);
  return { mails: found.length, messages: new Set(ids).size };
}
