import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Fault } from "../../engine/src/decide/fault.ts";
import { canonicalJson, contentHash } from "../../engine/src/decide/hash.ts";
import { theStart } from "../../engine/src/decide/step-lane.ts";
import { type Accept, acceptDocuments } from "../../engine/src/store/accept.ts";
import { type Claim, type ClaimedTask, takeTasks } from "../../engine/src/store/claims.ts";
import { type Commit, commitPart, commitResults, type Finished } from "../../engine/src/store/commit.ts";
import type { Database } from "../../engine/src/store/database.ts";
import { commitUnfinished, type Death, type Unfinished } from "../../engine/src/store/failures.ts";
import { migrate } from "../../engine/src/store/migrate.ts";
import { makeNumbers, type Numbers } from "../../engine/src/store/numbers.ts";
import { reapPage } from "../../engine/src/store/reaper.ts";
import { register, registerSource, type StageRegistration } from "../../engine/src/store/registry.ts";
import { type Statement, sql } from "../../engine/src/store/sql.ts";
import type { Flow, Prepared } from "../../engine/src/store/stage-graph.ts";
import { oweNew } from "../../engine/src/store/tasks.ts";
import { insertWorker, nextWorkerNumber } from "../../engine/src/store/workers.ts";

const migrationsFolder = new URL("../../engine/migrations/", import.meta.url);

export const now = new Date("2026-03-01T12:00:00.000Z");
export const later = (ms: number) => new Date(now.getTime() + ms);
export const request = "00000000-0000-4000-8000-000000000001";

export const aStage = (name: string, reads: string, more: Partial<StageRegistration> = {}) => ({
  name,
  shape: "single",
  reads,
  after: [],
  concurrency: null,
  rate: null,
  madeOf: "all",
  isolated: false,
  looks: false,
  version: "1",
  configHash: Buffer.from("config"),
  config: {},
  model: "",
  ...more,
});

/**
 * Letters are split into lines; a line is shouted, then gathered by topic. Narrow and slow stages have no tasks of
 * their own: tests of limits owe the tasks needed.
 */
const collections = ["letters", "lines", "echoes"];
const stages = [
  aStage("split", "letters"),
  aStage("shout", "lines"),
  aStage("gather", "lines", { shape: "fan-in", after: ["shout"] }),
  aStage("narrow", "echoes", { concurrency: 3 }),
  aStage("slow", "echoes", { rate: { limit: 4, perMs: 1_000 } }),
];
export type StageName = "split" | "shout" | "gather" | "narrow" | "slow";

export const quietMs = 30_000;

/** A store with a small pipeline registered, and short names for the engine's acts. */
export class Desk {
  readonly db: Database;
  readonly numbers: Numbers = makeNumbers();
  readonly flow: Flow;
  readonly #stages: ReadonlyMap<string, number>;
  readonly #collections: ReadonlyMap<string, number>;
  readonly variant: number;

  constructor(db: Database, registered: Awaited<ReturnType<typeof register>>) {
    this.db = db;
    this.#stages = registered.stages;
    this.#collections = registered.collections;
    this.variant = registered.variants.get(this.stage("split")) as number;
    const gather = [{ stage: this.stage("gather"), quietMs }];
    this.flow = {
      readers: new Map([
        [this.collection("letters"), [this.stage("split")]],
        [this.collection("lines"), [this.stage("shout")]],
      ]),
      collectors: new Map([[this.collection("lines"), gather]]),
      waiting: new Map([[this.stage("shout"), gather]]),
      lookers: new Map(),
      looking: new Map(),
    };
  }

  stage = (name: StageName): number => this.#stages.get(name) as number;
  collection = (name: string): number => this.#collections.get(name) as number;

  /** A document as returned by `prepare`; a topic makes the document a member of a group. */
  document(collection: string, id: string, text: string, topic?: string): Prepared {
    const json = canonicalJson({ text });
    const groups = topic === undefined ? [] : [{ stage: this.stage("gather"), key: topic }];
    return { collection: this.collection(collection), id, hash: contentHash(json), json, groups };
  }
  line = (id: string, text: string, topic?: string) => this.document("lines", id, text, topic);

  async accept(
    documents: readonly Prepared[],
    {
      source = "post",
      rank = 0,
      at = now,
      ...how
    }: { source?: string; rank?: number; at?: Date } & Pick<Accept, "hopeful" | "keen"> = {},
  ) {
    const { db, flow, numbers } = this;
    const number = await registerSource(db, source, at);
    const common = { request, rank, now: at, flow, numbers };
    return await acceptDocuments(db, { source: number, documents, ...common, ...how });
  }
  letters = (...ids: string[]) => this.accept(ids.map((id) => this.document("letters", id, `text of ${id}`)));

  async worker(): Promise<number> {
    const id = await nextWorkerNumber(this.db);
    const row = { id, name: "w", host: "h", pid: 1, stages: [], session_locked: false, started_at: now };
    await insertWorker(this.db, row);
    return id;
  }

  /** Owes a stage to bare subject numbers. */
  async owe(name: StageName, count: number, rank = 0): Promise<number[]> {
    const next = await this.numbers.take(this.db, count);
    const subjects = Array.from({ length: count }, next);
    const stage = this.stage(name);
    await oweNew(
      this.db,
      subjects.map((subject) => ({ subject, stage, rank })),
      now,
    );
    return subjects;
  }

  take(name: StageName, worker: number, more: Partial<Parameters<typeof takeTasks>[1]> = {}) {
    const ask = { stage: this.stage(name), worker, now, limit: 100, few: true, alone: true, from: theStart };
    return takeTasks(this.db, { ...ask, ...more });
  }

  /** Takes what is due and expects something to be. */
  async hold(name: StageName, more: Partial<Parameters<typeof takeTasks>[1]> = {}): Promise<Holding> {
    const worker = more.worker ?? (await this.worker());
    const claim = await this.take(name, worker, more);
    if (!claim) throw new Error(`nothing is due at "${name}"`);
    return new Holding(this, claim, worker, this.stage(name));
  }

  /** Works on everything due at a stage: each task yields what `outputs` says. */
  async work(name: StageName, outputs: (task: ClaimedTask) => readonly Prepared[] = () => [], at = now) {
    const holding = await this.hold(name, { now: at });
    return await holding.commit(
      holding.claim.tasks.map((task) => holding.finished(task.id, outputs(task))),
      { now: at },
    );
  }

  reap = (limit = 100, at = now) => reapPage(this.db, { flow: this.flow, now: at, limit });
  async reapAll(limit = 100): Promise<number> {
    for (let removed = 0; ; ) {
      const page = await this.reap(limit);
      removed += page;
      if (page === 0) return removed;
    }
  }

  async rows<Row extends object>(statement: ReturnType<typeof sql>): Promise<Row[]> {
    return await this.db.query<Row>(statement);
  }
  /** What readers see: ids and texts, in order. */
  async visible(collection: string): Promise<string[]> {
    const rows = await this.rows<{ id: string; text: string }>(sql`
      select id, body ->> 'text' as text from headway.document
      where collection = ${this.collection(collection)} and gone_at is null order by id`);
    return rows.map(({ id, text }) => `${id}: ${text}`);
  }
  /** Ids (or group keys) of what a stage is owed. */
  async owed(name: StageName): Promise<string[]> {
    const rows = await this.rows<{ id: string }>(sql`
      select coalesce(d.id, g.key) as id from headway.task t
      left join headway.document d on d.subject = t.subject
      left join headway.grouping g on g.subject = t.subject
      where t.stage = ${this.stage(name)} order by 1`);
    return rows.map(({ id }) => id);
  }
  async count(
    table: "claim" | "task" | "done" | "dead_letter" | "fault" | "outbox" | "conflict" | "document",
  ) {
    const counts = await this.rows<{ name: string; rows: number }>(sql`
      select 'claim' as name, count(*) as rows from headway.claim union all select 'task', count(*) from headway.task
      union all select 'done', count(*) from headway.done union all select 'dead_letter', count(*) from headway.dead_letter
      union all select 'fault', count(*) from headway.fault union all select 'outbox', count(*) from headway.outbox
      union all select 'conflict', count(*) from headway.conflict
      union all select 'document', count(*) from headway.document`);
    return counts.find((one) => one.name === table)?.rows;
  }
}

/** Counts statements, except for transaction control and the fetching of numbers. */
export async function countStatements(db: Database, work: () => Promise<unknown>): Promise<number> {
  const { query, transaction } = db;
  let count = 0;
  const counted = (run: Database["query"]) => (statement: Statement) => {
    if (statement.name !== "numbers") count++;
    return run(statement);
  };
  const watched = db as { -readonly [Key in keyof Database]: Database[Key] };
  watched.query = counted(query) as Database["query"];
  watched.transaction = (act) =>
    transaction((tx) => act({ ...tx, query: counted(tx.query) as Database["query"] }));
  try {
    await work();
  } finally {
    Object.assign(watched, { query, transaction });
  }
  return count;
}

/** A claim in a worker's hands. */
export class Holding {
  readonly desk: Desk;
  readonly claim: Claim;
  readonly held: { claim: number; worker: number; stage: number };

  constructor(desk: Desk, claim: Claim, worker: number, stage: number) {
    this.desk = desk;
    this.claim = claim;
    this.held = { claim: claim.id, worker, stage };
  }

  task(id: string): ClaimedTask {
    const found = this.claim.tasks.find((one) => one.id === id);
    if (!found) throw new Error(`"${id}" is not in this claim`);
    return found;
  }

  finished(id: string, outputs: readonly Prepared[], more: Partial<Finished> = {}): Finished {
    const task = this.task(id);
    const first = task.marker === null && task.firstAttemptAt === null;
    return {
      subject: task.subject,
      generation: task.generation,
      looks: null,
      marker: contentHash(`marker of ${task.hash?.toString("hex")}`),
      inputHash: task.hash ?? Buffer.alloc(0),
      attempts: task.attempts + 1,
      request: task.request,
      rank: task.rank,
      first,
      streamed: false,
      unchanged: false,
      dissolve: false,
      outputs,
      tookMs: 0,
      facts: null,
      faults: [],
      event: null,
      ...more,
    };
  }

  commit(finished: readonly Finished[], more: Partial<Commit> = {}) {
    const { db, flow, numbers, variant } = this.desk;
    const remaining = this.claim.tasks.length - finished.length;
    return commitResults(db, { ...this.held, now, variant, finished, remaining, flow, numbers, ...more });
  }

  part(id: string, wanted: readonly Prepared[]) {
    const { db, flow, numbers } = this.desk;
    const { subject, rank } = this.task(id);
    const yielded = { producer: { stage: this.held.stage, subject }, wanted, request, rank };
    return commitPart(db, { ...this.held, now, yielded, flow, numbers });
  }

  unfinished(
    given: Partial<Pick<Unfinished, "postponed" | "released" | "deaths" | "faults" | "blamed" | "now">>,
  ) {
    const { db, flow, variant } = this.desk;
    const nothing = { postponed: [], released: [], deaths: [], faults: [], blamed: [], looking: [] };
    return commitUnfinished(db, { ...this.held, now, variant, flow, ...nothing, ...given });
  }

  death(id: string, more: Partial<Death> = {}): Death {
    const { subject, generation, rank, crashes, hash, body } = this.task(id);
    return {
      subject,
      generation,
      reason: "permanent",
      fault: aFault,
      attempts: 1,
      waits: 0,
      crashes,
      rank,
      request,
      correlationId: "req_1.stage_split.retry_0",
      input: JSON.stringify(body),
      inputHash: hash,
      event: null,
      ...more,
    };
  }
}

export const aFault: Fault = {
  kind: "permanent",
  code: "letter.torn",
  message: "The letter is torn.",
  fingerprint: "0123456789ab",
};

/** The pipeline on a migrated database without rows. */
export const openDesk = async (db: Database): Promise<Desk> =>
  new Desk(db, await register(db, { collections, stages, now }));

/** One database per file, emptied before each test; its sequences continue. */
export function useDesk(open: () => Promise<Database>): () => Desk {
  let db: Database;
  let desk: Desk;
  beforeAll(async () => {
    db = await open();
    await db.script(`drop schema if exists "${db.schema}" cascade`);
    await migrate(db, migrationsFolder);
  }, 60_000);
  beforeEach(async () => {
    await db.script(await emptying(db));
    desk = await openDesk(db);
  });
  afterAll(async () => {
    await db?.script(`drop schema "${db.schema}" cascade`);
    await db?.close();
  }, 60_000);
  return () => desk;
}

/** Uses delete, because truncate takes ten times as long on a server; referenced tables come last. */
async function emptying(db: Database): Promise<string> {
  const tables = await db.query<{ name: string }>(sql`
    select tablename as name from pg_tables where schemaname = ${db.schema} and tablename not like '%migration%'`);
  const referred = ["stage", "collection"];
  const names = tables.map(({ name }) => name).sort((a, b) => referred.indexOf(a) - referred.indexOf(b));
  return names.map((name) => `delete from headway."${name}";`).join("\n");
}
