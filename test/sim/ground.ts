import { type Channels, makeChannels } from "../../engine/src/databases/channels.ts";
import { openPglite } from "../../engine/src/databases/pglite.ts";
import { migrateAll, registerGraph } from "../../engine/src/engine.ts";
import { type Graph, joinPipelines } from "../../engine/src/run/graph.ts";
import type { Database, Queryable } from "../../engine/src/store/database.ts";
import { controlChannel, workChannel } from "../../engine/src/store/news.ts";
import { readSchemaOf } from "../../engine/src/store/read-views.ts";
import { type Runnable, sql } from "../../engine/src/store/sql.ts";
import { virtualClock } from "../../engine/src/testing.ts";
import { post } from "./letters.ts";

/** Common ground of all runs, one after another: a real in-memory database, with the pipeline registered. */
export interface Ground {
  readonly real: Database;
  readonly graph: Graph;
  /** A statement in a few words, for notes. */
  nameOf(statement: Runnable): string;
  /** Calls `heard` for each notification until the returned function is called. */
  hear(channel: string, heard: (payload: string) => void): () => void;
  /** Empties the database and restarts all sequences. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

export async function openGround(): Promise<Ground> {
  const pglite = await openPglite({ folder: null, inline: true });
  await migrateAll(pglite, [post]);
  // The order of rows must not depend on leftovers of earlier runs in the files, nor on their statistics. The
  // settings of `take_tasks` then hold for everything, and need not be set at each call, which is most of its time.
  await pglite.script(`
    set enable_seqscan = off; set enable_bitmapscan = off; set enable_hashjoin = off; set enable_mergejoin = off;
    set enable_memoize = off; set plan_cache_mode = force_generic_plan; set jit = off; set synchronous_commit = off;
    alter function headway.take_tasks(int2, int8, timestamptz, int4, bool, bool, int2, timestamptz, int8) reset all`);
  const names = makeNames();
  const real: Database = {
    ...pglite,
    query: (statement) => pglite.query(names.named(statement)),
    transaction: (work) => pglite.transaction((tx) => work(named(tx, names))),
  };
  const graph = await registerGraph(real, joinPipelines([post]), virtualClock());
  let channels: Channels = makeChannels();
  for (const channel of [workChannel, controlChannel])
    await pglite.listen(channel, (payload) => channels.hear(channel, payload));
  const emptying = await composeEmptying(pglite);
  return {
    real,
    graph,
    nameOf: names.nameOf,
    hear: (channel, heard) => {
      const leave = channels.add(channel, heard);
      return () => void leave();
    },
    async reset() {
      channels = makeChannels();
      await pglite.script(emptying);
    },
    close: () => pglite.close(),
  };
}

/** Everything but what the code has made known about itself. */
async function composeEmptying(db: Database): Promise<string> {
  const kept = ["collection", "stage", "variant", "projection"];
  const found = await db.query<{ name: string; kind: string }>(sql`
    select c.relname as name, c.relkind::text as kind
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${db.schema} and c.relkind in ('r', 'S') and c.relname not like 'migration%'`);
  const [tables, sequences] = ["r", "S"].map((kind) =>
    found
      .filter((one) => one.kind === kind)
      .map((one) => one.name)
      .filter((name) => !kept.includes(name.replace(/_id_seq$/, ""))),
  ) as [string[], string[]];
  const projections = await db.query<{ name: string }>(sql`
    select tablename as name from pg_tables where schemaname = ${readSchemaOf(db)}`);
  return [
    "select pg_advisory_unlock_all();",
    ...projections.map(({ name }) => `delete from headway_read.${name};`),
    ...tables.map((name) => `delete from headway.${name};`),
    ...sequences.map((name) => `select setval('headway.${name}', 1, false);`),
    "update headway.stage set paused_at = null, paused_by = null, paused_reason = null where paused_at is not null;",
  ].join("\n");
}

/** Prepares every statement: most of a run's time would go into planning the same few again and again. */
function makeNames() {
  const names = new Map<string, string>();
  const words = new Map<string, string>();
  return {
    named(statement: Runnable): Runnable {
      if (statement.name !== undefined) return statement;
      const name = names.get(statement.text) ?? `sim${names.size}`;
      names.set(statement.text, name);
      return { ...statement, name };
    },
    nameOf({ name, text }: Runnable): string {
      if (name !== undefined) return name;
      const known = words.get(text) ?? text.replace(/\s+/g, " ").trim().slice(0, 60);
      words.set(text, known);
      return known;
    },
  };
}

const named = (tx: Queryable, names: ReturnType<typeof makeNames>): Queryable => ({
  query: (statement) => tx.query(names.named(statement)),
});
