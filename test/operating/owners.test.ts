import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { feed, readSettings, startConsensus } from "@headway/consensus";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { run } from "../../cli/src/run.ts";
import { collection } from "../../engine/src/define/collection.ts";
import { type Pipeline, pipeline } from "../../engine/src/define/pipeline.ts";
import { stage } from "../../engine/src/define/stage.ts";
import { openDatabase, startEngine } from "../../engine/src/engine.ts";
import type { DatabaseOption } from "../../engine/src/engine-options.ts";
import type { Database } from "../../engine/src/store/database.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { makeCollectingConsole } from "../consensus/collecting-console.ts";
import { anMbox } from "../consensus/invented-mail.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { hashDatabase } from "../support/whole-database.ts";

const own = useOwnSchema("owners");
const folder = mkdtempSync(join(tmpdir(), "headway-owners-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const letters = collection("letters", z.object({ text: z.string() }));
const words = collection("words", z.object({ word: z.string() }));
const parcels = collection("parcels", z.object({ weight: z.number() }));
const parsing = stage("parsing", {
  reads: letters,
  writes: [words],
  *run({ id, text }) {
    yield words.document(id, { word: text });
  },
});
const post = pipeline("post", { stages: [parsing] });

const quick = readSettings({ HEADWAY_LIST_QUIET: "50ms", HEADWAY_THREAD_QUIET: "50ms" });
const mbox = anMbox({
  id: "opening",
  from: "Mara Quist <mara@example.org>",
  subject: "Key rotation",
  date: "Fri, 1 Mar 2024 10:00:00 +0000",
  text: "I propose that we adopt the rotation draft as a work item.",
});

const places: readonly { name: string; place: () => { option: DatabaseOption; words: string[] } }[] = [
  {
    name: "PGlite",
    place: () => {
      const data = mkdtempSync(join(folder, "data-"));
      return { option: { folder: data }, words: ["--data", data] };
    },
  },
  {
    name: "PostgreSQL",
    place: () => {
      const url = new URL(own.url);
      const schema = own.fresh();
      url.searchParams.set("schema", schema);
      return { option: { url: own.url, schema }, words: ["--database", url.href] };
    },
  },
];

async function holding<T>(option: DatabaseOption, act: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(option, { poolMax: 2 });
  try {
    return await act(database);
  } finally {
    await database.close();
  }
}

const looks = (documents: string) =>
  [
    "threads",
    "search rotation",
    "status",
    "report --list keys",
    "export messages",
    "export summaries --format csv",
    "workers",
    `documents ${documents}`,
    "events",
    "conflicts",
    "sources",
    "audit",
    "verify",
    "doctor",
    "config",
    "failed list",
    "failed list --quarantine",
    "policies list",
    "sweep --dry-run",
    "reprocess --stage parsing --dry-run",
    "explain nothing",
    "trace nothing",
  ].map((line) => line.split(" "));

describe.each(places)("on $name", ({ name, place }) => {
  it("no command that looks writes anything, whoever owns the database", async () => {
    const ours = place();
    const consensus = await startConsensus({ data: folder, database: ours.option, settings: quick });
    writeFileSync(join(folder, "keys.mbox"), mbox);
    await feed(consensus, [join(folder, "keys.mbox")], { list: "keys" });
    await consensus.engine.settled();
    await consensus.stop();
    const theirs = place();
    const engine = await startEngine({ pipelines: [post], services: {}, database: theirs.option });
    await engine.accept(letters.document("a", { text: "one" }));
    await engine.settled();
    await engine.stop();
    for (const { option, words, documents } of [
      { ...ours, documents: "messages" },
      { ...theirs, documents: "letters" },
    ]) {
      const hash = () => holding(option, hashDatabase);
      // An embedded database is opened by each command: a few of them have to do there.
      const chosen = name === "PGlite" ? looks(documents).slice(0, 3) : looks(documents);
      const before = await hash();
      for (const look of chosen) {
        await run([...look, ...words], makeCollectingConsole());
        if (name !== "PGlite") expect([look.join(" "), await hash()]).toEqual([look.join(" "), before]);
      }
      expect(await hash()).toBe(before);
    }
  }, 300_000);

  it("a pipeline that uses another's name for something else does not start, and may change its own", async () => {
    const { option } = place();
    const start = (declared: Pipeline) =>
      startEngine({ pipelines: [declared], services: {}, database: option });
    const first = await start(post);
    await first.accept(letters.document("a", { text: "one" }));
    await first.settled();
    await first.stop();
    const before = await holding(option, hashDatabase);
    const foreign = pipeline("parcels", {
      stages: [stage("parsing", { reads: parcels, writes: [], *run() {} })],
    });
    await expect(start(foreign)).rejects.toThrow(
      'The stage "parsing" of pipeline "parcels" reads parcels and writes nothing, but in this database it belongs to ' +
        'pipeline "post", where it reads letters and writes words: give one of them another name',
    );
    expect(await holding(option, hashDatabase)).toBe(before);
    const next = pipeline("post", {
      stages: [
        stage("parsing", { reads: letters, writes: [], *run() {} }),
        stage("late", { reads: letters, writes: [], *run() {} }),
      ],
    });
    const second = await start(next);
    await second.settled();
    await second.stop();
    // A stage that comes back is owed the documents that came while it was away.
    const without = await start(post);
    await without.accept(letters.document("b", { text: "two" }));
    await without.settled();
    await without.stop();
    const third = await start(next);
    await third.settled();
    expect(
      await third.database.query(sql`
        select count(*) as done from headway.done r join headway.stage s on s.id = r.stage where s.name = 'late'`),
    ).toEqual([{ done: 2 }]);
    await third.stop();
  }, 120_000);
});
