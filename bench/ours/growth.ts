import type { DatabaseOption, Engine } from "@headway/engine";
import pg from "pg";
import { draft, stageNames } from "../pipeline.ts";
import { makeGate, startChain, whenDone } from "./chain-engine.ts";
import type { Order } from "./order.ts";

/** Cost of a completion with `kept` completions stored, measured over a block of `count`. */
export interface Grown {
  readonly kept: number;
  readonly microseconds: number;
  readonly walBytes: number;
  readonly statements: number;
  /** All tables and indexes, per kept completion. */
  readonly keptBytes: number;
  /** Size of the queue's tables and indexes while empty: their bloat. */
  readonly queueBytes: number;
  readonly queueDeadRows: number;
}

/** Runs documents through three stages and keeps all of them; at each size a further block is measured. */
export async function growth({ database, count, sizes = [] }: Order): Promise<{ sizes: Grown[] }> {
  const statements = countStatements();
  await warmUp(database, count);
  const engine = await startChain(database);
  const grown: Grown[] = [];
  let kept = 0;
  for (const size of sizes) {
    while (kept < size) {
      const documents = Math.ceil(Math.min(fillSize, size - kept) / stageNames.length);
      await pass(engine, kept, documents);
      kept += documents * stageNames.length;
    }
    const documents = Math.ceil(count / stageNames.length);
    const gate = makeGate(engine);
    await gate.shut();
    let [sentBefore, walBefore] = [0, 0];
    const seconds = await pass(engine, kept, documents, async () => {
      walBefore = await walPosition(engine);
      sentBefore = statements();
      return gate.open;
    });
    const sent = statements() - sentBefore;
    const done = documents * stageNames.length;
    kept += done;
    grown.push({
      kept: size,
      microseconds: (seconds / done) * 1e6,
      walBytes: ((await walPosition(engine)) - walBefore) / done,
      statements: sent / done,
      ...(await sizesOf(engine, kept)),
    });
  }
  await engine.stop();
  return { sizes: grown };
}

const fillSize = 60_000;

/** Warms up the JIT compiler before the first size. */
async function warmUp(database: DatabaseOption, count: number): Promise<void> {
  const engine = await startChain({ ...database, schema: "warm_up" });
  await pass(engine, 0, Math.ceil(count / stageNames.length));
  await engine.database.script(`drop schema "warm_up", "warm_up_read" cascade`);
  await engine.stop();
}

/** Accepts documents and waits for all commits; the seconds count from the last acceptance. */
async function pass(
  engine: Engine,
  first: number,
  documents: number,
  prepare: () => Promise<() => Promise<void>> = async () => async () => undefined,
): Promise<number> {
  const finished = whenDone(engine, documents * stageNames.length);
  await engine.accept(Array.from({ length: documents }, (_, index) => draft(first + index)));
  const begin = await prepare();
  const from = performance.now();
  await begin();
  return ((await finished) - from) / 1_000;
}

/** Counts the statements of all connections of this process. */
function countStatements(): () => number {
  let sent = 0;
  const prototype = pg.Client.prototype as unknown as { query: (...given: unknown[]) => unknown };
  const query = prototype.query;
  prototype.query = function counted(this: unknown, ...given: unknown[]) {
    sent += 1;
    return query.apply(this, given);
  };
  return () => sent;
}

async function walPosition({ database }: Engine): Promise<number> {
  const text = "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as position";
  const [row] = await database.query<{ position: number }>({ text, values: [] });
  return row?.position ?? 0;
}

async function sizesOf({ database }: Engine, kept: number) {
  const [row] = await database.query<{ all: number; queue: number; dead: number }>({
    text: `
      select sum(pg_total_relation_size(c.oid))::float8 as all,
        sum(pg_total_relation_size(c.oid)) filter (where c.relname in ('task', 'claim'))::float8 as queue,
        sum(s.n_dead_tup) filter (where c.relname in ('task', 'claim'))::float8 as dead
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      left join pg_stat_user_tables s on s.relid = c.oid
      where n.nspname = '${database.schema}' and c.relkind = 'r'`,
    values: [],
  });
  return {
    keptBytes: (row?.all ?? 0) / kept,
    queueBytes: row?.queue ?? 0,
    queueDeadRows: row?.dead ?? 0,
  };
}
