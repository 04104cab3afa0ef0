import { readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { migrateAll, openDatabase } from "../engine/src/engine.ts";
import { makeOperator, type Operator } from "../engine/src/operate/operator.ts";
import { keepCensus } from "../engine/src/store/census.ts";
import type { Database } from "../engine/src/store/database.ts";
import { countByStage } from "../engine/src/store/ledger.ts";
import { quoted, sql } from "../engine/src/store/sql.ts";
import { takeCensus } from "../engine/src/store/take-census.ts";

/**
 * Times what every look at a large database asks: `npm run bench:census -- --documents 1000000 --json`. Documents, results,
 * tasks and dead letters are written by a few statements, in the proportions of the mail pipeline.
 */
const { values: options } = parseArgs({
  options: {
    documents: { type: "string", default: "1000000" },
    only: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const documents = Number(options.documents);
if (!Number.isSafeInteger(documents) || documents < 1_000)
  throw new Error("--documents is a whole number, 1000 or more");
const clock = { now: () => new Date() };
const repeats = 15;

const stages = [
  ["splitting", 1],
  ["parsing", 2],
  ["chunking", 3],
  ["merging", 3],
  ["embedding", 5],
  ["weighing", 4],
  ["summarizing", 4],
] as const;

async function fill(db: Database): Promise<void> {
  await db.script(
    `
    insert into headway.collection (name) values ('archives'), ('mails'), ('messages'), ('threads'), ('chunks');
    insert into headway.source (name, first_seen_at) values ('bench', now());
    ${stages.map(([name, reads]) => `insert into headway.stage (name, shape, reads) values ('${name}', 'each', ${reads});`).join("\n")}
    insert into headway.variant (stage, version, config_hash, model, config, first_seen_at)
    select id, '1', '\\x00', '', '{}', now() from headway.stage;`.replaceAll(
      "headway.",
      `${quoted(db.schema)}.`,
    ),
  );
  const share = (part: number) => Math.round(documents * part);
  await db.query(sql`
    insert into headway.document (subject, collection, id, hash, body, producer, producer_stage, request, created_at, changed_at)
    select g, case when g <= 100 then 1 when g <= ${share(0.3)} then 2 when g <= ${share(0.6)} then 3
        when g <= ${share(0.66)} then 4 else 5 end,
      'doc-' || md5(g::text), decode(md5(g::text), 'hex'),
      jsonb_build_object('subject', 'Re: draft ' || g, 'text', repeat(md5(g::text) || ' ', 8)), 1, 0, gen_random_uuid(), now(), now()
    from generate_series(1, ${documents}) g`);
  await db.query(sql`
    insert into headway.done (subject, stage, marker, input_hash, variant, attempts, outputs, finished_at)
    select d.subject, s.id, d.hash, d.hash, s.id, 1, 1, now() - random() * interval '10 days'
    from headway.document d join headway.stage s on s.reads = d.collection where (d.subject + s.id) % 50 <> 0`);
  await db.query(sql`
    insert into headway.task (subject, stage, ready_at, owed_at, reason, attempts)
    select d.subject, s.id, now() + (random() * 600 - 300) * interval '1 second', now() - random() * interval '2 hours',
      case when d.subject % 7 = 0 then 'held: embedder' end, d.subject % 3
    from headway.document d join headway.stage s on s.reads = d.collection
    where (d.subject + s.id) % 50 = 0 and (d.subject + s.id) % 500 <> 0`);
  await db.query(sql`
    insert into headway.dead_letter (subject, stage, reason, kind, code, fingerprint, fault, input, attempts, waits, crashes, rank,
      request, correlation_id, died_at)
    select d.subject, s.id, 'exhausted', 'transient', 'http.503', 'fp' || (d.subject % 40), '{"message":"Service unavailable"}',
      d.body, 3, 0, 0, 0, gen_random_uuid(), 'req_x.stage_y.retry_2', now()
    from headway.document d join headway.stage s on s.reads = d.collection where (d.subject + s.id) % 500 = 0`);
  await db.script("analyze");
}

async function median(act: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < repeats; at++) {
    const began = performance.now();
    await act();
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  return Number((times[Math.floor(times.length / 2)] as number).toFixed(2));
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await act();
  return Math.round(performance.now() - began);
}

async function measure(db: Database) {
  await migrateAll(db, []);
  const fillMs = await timed(() => fill(db));
  const operator: Operator = makeOperator({ database: db, clock, actor: "bench" });
  const exactMs = await timed(() => operator.status({ exact: true }));
  const census = await takeCensus(db, clock);
  if (!census) throw new Error("The census was given up.");
  await db.transaction((tx) => keepCensus(tx, census));
  const lines = await operator.status();
  const counted = await countByStage(db, clock.now());
  const wrong = lines.filter(
    ({ ledger, balanced }, at) => !balanced || ledger.done !== counted[at]?.done,
  ).length;
  const [one] = await operator.documents({ collection: "chunks" }, { limit: 1 });
  const id = one?.id ?? "";
  return {
    database: db.kind,
    documents,
    fillMs,
    exactStatusMs: exactMs,
    censusBusyMs: census.busyMs,
    ledgerWrong: wrong,
    statusMs: await median(() => operator.status()),
    collectionsMs: await median(() => operator.collections()),
    lookUpMs: await median(() => operator.lookUp(id)),
    lookUpPrefixMs: await median(() => operator.lookUp(id.slice(0, 10))),
    lookUpUnknownMs: await median(() => operator.lookUp(`${id.slice(0, -3)}zzz`)),
    cores: cpus().length,
    load: Number(loadavg()[0]?.toFixed(1)),
  };
}

async function main(): Promise<void> {
  const url =
    process.env.HEADWAY_TEST_POSTGRES ?? readFileSync(".cache/services/postgres.url", "utf8").trim();
  const schema = `census_${process.pid}`;
  const places = { postgres: { url, schema }, pglite: { memory: true as const } };
  for (const [name, option] of Object.entries(places)) {
    if (options.only !== undefined && options.only !== name) continue;
    const db = await openDatabase(option, { poolMax: 2 });
    try {
      const figures = await measure(db);
      process.stdout.write(options.json ? `${JSON.stringify(figures)}\n` : `${textOf(figures)}\n`);
      if (figures.ledgerWrong > 0) process.exitCode = 1;
    } finally {
      if (name === "postgres") await db.script(`drop schema if exists ${quoted(schema)} cascade`);
      await db.close();
    }
  }
}

const textOf = (figures: object): string =>
  Object.entries(figures)
    .map(([name, value]) => `${name.padEnd(18)} ${value}`)
    .join("\n");

await main();
