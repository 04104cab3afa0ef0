import { createHash } from "node:crypto";
import { type Database, type DocumentOf, readersOf } from "@headway/engine";
import { listThreads, readStory, type ThreadLine } from "../library/reading.ts";
import { search } from "../library/search.ts";
import {
  type KeptVersion,
  keepVersions,
  readSubscriptionRow,
  type SubscriptionRow,
  threadsWith,
  versionsBefore,
} from "../library/subscriptions.ts";
import { type EditionEntry, renderEdition } from "../report/edition.ts";
import { threadPath } from "../report/site/pages.ts";
import { threadReport } from "../report/thread-report.ts";
import { changesOf, isDecided, versionOf } from "../report/thread-version.ts";
import { type editions, type MadeReport, type Reporter, reports } from "./pipeline.ts";
import type { SubscriptionSpec } from "./spec.ts";

const threadsMax = 10_000;
const hitsMax = 200;

/** Makes reports: the service behind the stage `reporting`. */
export const makeReporter = (db: Database): Reporter => ({
  async make(edition) {
    const row = await readSubscriptionRow(db, edition.subscription);
    // Removed meanwhile: no subscriber waits.
    if (!row) return { reports: [], targets: [] };
    const { news, before } = await readNews(db, row, edition.edition);
    const wanted = news.slice(0, row.spec.threadsMax);
    const entries: EditionEntry[] = [];
    for (const { id } of wanted) {
      const story = await readStory(db, id);
      if (!story) continue;
      const version = versionOf(threadReport(story));
      const changes = changesOf(before.get(id)?.version ?? null, version);
      const link = row.spec.site === null ? null : `${row.spec.site}/${threadPath(id)}`;
      entries.push({ thread: id, version, changes, link });
    }
    await keepVersions(db, row.name, edition.edition, entries);
    const more = news.length - wanted.length;
    return { reports: await reportsOf(db, row, edition, { entries, more }), targets: row.spec.targets };
  },
});

/** Each decided thread is a report in the mail thread of the discussion; otherwise all threads are a single report. */
async function reportsOf(
  db: Database,
  { name, spec }: SubscriptionRow,
  { edition, due }: DocumentOf<typeof editions>,
  { entries, more }: { readonly entries: readonly EditionEntry[]; readonly more: number },
): Promise<MadeReport[]> {
  const about = spec.list ?? spec.asks ?? spec.search ?? "all lists";
  const last = await readersOf(db).find(reports, { where: { subscription: name }, limit: 1_000 });
  const since =
    last
      .filter((one) => one.edition < edition)
      .map(({ at }) => at)
      .sort()
      .at(-1) ?? null;
  const groups = spec.time === "decided" ? entries.map((entry) => [entry]) : [entries];
  return groups.map((group, at) => {
    const left = at === groups.length - 1 ? more : 0;
    const thread = spec.time === "decided" ? `${name}.${hashOf(group[0]?.thread ?? "")}` : name;
    const rendered = renderEdition({ about, entries: group, more: left, since });
    const id =
      spec.time === "decided" ? `${name}/${edition}/${hashOf(group[0]?.thread ?? "")}` : `${name}/${edition}`;
    return { id, thread, ...rendered, entries: [...group].map(plain), more: left, at: due };
  });
}

const plain = ({ changes, version, ...entry }: EditionEntry) => ({
  ...entry,
  changes: [...changes],
  version: { ...version, decisions: [...version.decisions] },
});

const hashOf = (id: string): string => createHash("sha256").update(id).digest("hex").slice(0, 12);

/** Threads of a subscription with differences to the last report, and all told versions. */
export async function readNews(
  db: Database,
  { name, spec }: Pick<SubscriptionRow, "name" | "spec">,
  edition: number,
): Promise<{ news: readonly ThreadLine[]; before: ReadonlyMap<string, KeptVersion> }> {
  const before = new Map((await versionsBefore(db, name, edition)).map((one) => [one.thread, one]));
  const lines = await selectThreads(db, spec);
  const news = lines.filter((line) => {
    const told = before.get(line.id)?.version;
    const now = { level: line.level as NonNullable<typeof told>["level"], decisions: line.decisions };
    if (spec.time === "decided") {
      if (!isDecided(now)) return false;
      return (
        !told ||
        !isDecided({ ...told, decisions: told.decisions.length }) ||
        told.decisions.length < now.decisions
      );
    }
    return (
      !told ||
      told.level !== line.level ||
      told.messages !== line.messages ||
      told.decisions.length !== line.decisions
    );
  });
  return { news, before };
}

/** The threads of a subscription. */
export async function selectThreads(db: Database, spec: SubscriptionSpec): Promise<ThreadLine[]> {
  const lines = await listThreads(db, {
    ...(spec.list !== null && { list: spec.list }),
    ...(spec.asks !== null && { asks: spec.asks }),
    limit: threadsMax,
    order: "newest",
  });
  if (spec.search === null) return lines;
  const hits = await search(db, {
    words: spec.search,
    meaning: null,
    limit: hitsMax,
    ...(spec.list !== null && { list: spec.list }),
  });
  const messages = [...new Set(hits.map(({ message }) => message))];
  const found = new Set((await threadsWith(db, messages)).map(({ id }) => id));
  return lines.filter(({ id }) => found.has(id));
}

/** What is there when a subscription begins is not news. */
export async function keepBaseline(db: Database, name: string, spec: SubscriptionSpec): Promise<number> {
  const versions = [];
  for (const { id } of await selectThreads(db, spec)) {
    const story = await readStory(db, id);
    if (story) versions.push({ thread: id, version: versionOf(threadReport(story)) });
  }
  await keepVersions(db, name, 0, versions);
  return versions.length;
}
