import { join } from "node:path";
import { bringing, type Database, type Engine, type Lent, type Pipeline } from "@headway/engine";
import type { Feeders } from "./feeder.ts";
import { makeFetcher } from "./fetcher.ts";
import { databaseTime, listSources, removeSource, writeSource } from "./library/table.ts";
import { startListeners } from "./listeners.ts";
import { makeSourcesPipeline } from "./pipeline.ts";
import { nextRun } from "./schedule.ts";
import { startScheduler } from "./scheduler.ts";
import { openVault } from "./secrets.ts";
import { checkSourceName, readDeclaration, type SourceDeclaration } from "./spec.ts";

/** The pipeline that reads sources on their schedule. */
export type SourcesPipeline = ReturnType<typeof bringSources> & {
  /** Tells which pipelines take files in; until then runs wait. */
  readonly attach: (feeders: Feeders) => void;
};

/**
 * Sources that run themselves, for `defineApp`: those of the configuration, by name, and those that operators add with
 * `headway sources add`.
 *
 * @example
 * import { sources } from "@headway/intake";
 *
 * export const mine = sources({
 *   quic: { place: "https://lists.example.org/pipermail/quic/", every: "15m" },
 *   inbox: { place: "/srv/mail", cron: "0 6 * * 1-5", zone: "Europe/Berlin" },
 * });
 */
export function sources(declared: Readonly<Record<string, SourceDeclaration>> = {}): SourcesPipeline {
  for (const [name, one] of Object.entries(declared)) {
    checkSourceName(name);
    readDeclaration(one);
  }
  let attach: (feeders: Feeders) => void = () => undefined;
  const feeders = new Promise<Feeders>((resolve) => (attach = resolve));
  return Object.freeze({ ...bringSources(declared, feeders), attach });
}

/** Whether a pipeline of an application was made by `sources()`. */
export const isSources = (pipeline: Pipeline): pipeline is SourcesPipeline =>
  pipeline.name === "sources" && "attach" in pipeline;

function bringSources(declared: Readonly<Record<string, SourceDeclaration>>, feeders: Promise<Feeders>) {
  return bringing(makeSourcesPipeline(), {
    services({ database, env, data }) {
      const clock = makeClock(database);
      const folderOf = (source: string) => join(data, "sources", source);
      const vault = () => openVault({ env, data });
      return { fetcher: makeFetcher({ database, vault, feeders, folderOf, now: clock.now }) };
    },
    beside: (engine, lent) => runBeside(engine, lent, declared),
  });
}

/** The scheduler, and the ears for changes, of a process that works. */
async function runBeside(
  engine: Engine,
  { database, env, data }: Lent,
  declared: Readonly<Record<string, SourceDeclaration>>,
) {
  const clock = makeClock(database);
  await clock.set();
  await writeDeclared(database, declared, { env, data, now: clock.now() });
  // A lost database is told by the engine itself; the next turn tries again.
  const scheduler = startScheduler(
    { engine, database, now: clock.now, random: Math.random },
    () => undefined,
  );
  const listeners = startListeners({
    database,
    now: clock.now,
    wake: scheduler.wake,
    vault: () => openVault({ env, data }),
  });
  return {
    async stop() {
      await Promise.all([scheduler.stop(), listeners.stop()]);
    },
  };
}

/** A clock that follows the database, as workers do. */
function makeClock(database: Database) {
  let aheadMs = 0;
  return {
    now: () => new Date(Date.now() + aheadMs),
    async set() {
      if (database.kind === "postgres") aheadMs = (await databaseTime(database)).getTime() - Date.now();
    },
  };
}

/** Sources of the configuration are as it says: added, changed and removed with it; those of operators stay. */
async function writeDeclared(
  database: Database,
  declared: Readonly<Record<string, SourceDeclaration>>,
  { env, data, now }: { readonly env: Lent["env"]; readonly data: string; readonly now: Date },
): Promise<void> {
  const there = await listSources(database);
  for (const [name, one] of Object.entries(declared)) {
    const { spec, secret } = readDeclaration(one);
    const known = there.find((row) => row.name === name);
    const same = known && JSON.stringify(sorted(known.spec)) === JSON.stringify(sorted(spec));
    if (same && secret === null) continue;
    const sealed = secret === null ? {} : { secret: (await openVault({ env, data })).seal(name, secret) };
    const nextAt = nextRun(spec.schedule, { after: now, jitterMs: spec.jitterMs, random: 0 });
    const first = same ? (known?.next_at ?? nextAt) : nextAt && now;
    await writeSource(database, {
      name,
      spec,
      ...sealed,
      origin: "config",
      by: "the configuration",
      now,
      nextAt: first,
    });
  }
  for (const { name, origin } of there)
    if (origin === "config" && !(name in declared)) await removeSource(database, name);
}

const sorted = (value: object) =>
  Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
