import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunningApp } from "../../cli/src/app/command-line-app.ts";
import { shippedApp } from "../../cli/src/app/shipped-app.ts";
import { readingStages } from "../../cli/src/commands/sources/run.ts";
import { type Database, type DatabaseOption, sql } from "../../engine/src/index.ts";
import { openOperator } from "../../engine/src/operate.ts";
import {
  askForRun,
  openVault,
  type RunLine,
  readDeclaration,
  readRuns,
  readSource,
  type SourceDeclaration,
  writeSource,
} from "../../intake/src/index.ts";
import { until as waitFor } from "../support/waiting.ts";

/** The shipped application at work, with sources. */
export interface Office {
  readonly app: RunningApp;
  readonly database: Database;
  readonly data: string;
  /** Asks for a run and resolves when it has ended, or failed an attempt. */
  run(name: string): Promise<RunLine>;
  /** Tries a waiting run at once. */
  retry(name: string): Promise<void>;
  until(name: string, is: (run: RunLine) => boolean): Promise<RunLine>;
  /** Resolves when everything that runs brought in is done or dead. */
  settle(): Promise<void>;
  subjects(list: string): Promise<string[]>;
  deadRuns(name: string): Promise<number>;
  events(type: string): Promise<number>;
  close(): Promise<void>;
}

export async function openOffice(given: { readonly database?: DatabaseOption } = {}): Promise<Office> {
  const data = await mkdtemp(join(tmpdir(), "headway-office-"));
  const app = await shippedApp.start({ data, database: given.database ?? { folder: data }, work: true });
  const { database } = app.engine;
  const newest = async (name: string): Promise<RunLine | undefined> =>
    (await readRuns(database, { source: name, limit: 1 }))[0];
  const until = async (name: string, is: (run: RunLine) => boolean): Promise<RunLine> =>
    (await waitFor(
      () => newest(name),
      (found) => found !== undefined && is(found),
    )) as RunLine;
  const count = async (statement: ReturnType<typeof sql>) =>
    (await database.query<{ n: number }>(statement))[0]?.n ?? 0;
  const settle = () => app.engine.settled({ stages: readingStages(app.pipelines) });
  return {
    app,
    database,
    data,
    until,
    async run(name) {
      const before = (await readSource(database, name))?.run ?? 0;
      await askForRun(database, name, { asked: "operator", now: new Date(Date.now() - 1_000) });
      const ended = await until(
        name,
        ({ run, state, fault }) => run > before && (state !== "waiting" || fault !== null),
      );
      if (ended.state === "done") await settle();
      return ended;
    },
    async retry(name) {
      const before = await newest(name);
      const operator = await openOperator({ database, actor: "a test", pipelines: app.pipelines });
      await operator.retryNow({
        collection: "source_runs",
        id: (before?.document ?? "").replace(/^source_runs\//, ""),
      });
      await until(name, ({ ready_at: at }) => at?.getTime() !== before?.ready_at?.getTime());
    },
    settle,
    async subjects(list) {
      const rows = await database.query<{ subject: string }>(sql`
        select d.body ->> 'subject' as subject from headway.document d
        join headway.collection c on c.id = d.collection and c.name = 'messages'
        where d.gone_at is null and d.body ->> 'list' = ${list} order by 1`);
      return rows.map(({ subject }) => subject);
    },
    deadRuns: (name) =>
      count(sql`
        select count(*)::int as n from headway.dead_letter l join headway.document d on d.subject = l.subject
        where d.body ->> 'source' = ${name}`),
    events: (type) => count(sql`select count(*)::int as n from headway.outbox where type = ${type}`),
    async close() {
      await app.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** Adds a source that is read when asked for; addresses of this machine are allowed. */
export async function addSource(
  { database, data }: Pick<Office, "database" | "data">,
  name: string,
  declared: SourceDeclaration,
  secret?: string,
): Promise<void> {
  const { spec } = readDeclaration({ allowPrivate: true, ...declared });
  const vault = await openVault({ env: {}, data });
  const sealed = secret === undefined ? {} : { secret: vault.seal(name, secret) };
  const now = new Date();
  const nextAt = spec.schedule.kind === "manual" ? null : now;
  await writeSource(database, { name, spec, ...sealed, origin: "operator", by: "a test", now, nextAt });
}
