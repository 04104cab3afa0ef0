import { randomUUID } from "node:crypto";
import { afterAll, beforeAll } from "vitest";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import type { CollectionsOf, Pipeline } from "../../engine/src/define/pipeline.ts";
import { startEngine } from "../../engine/src/engine.ts";
import type { Engine, EngineOptions } from "../../engine/src/engine-options.ts";
import type { Database } from "../../engine/src/store/database.ts";

export interface OwnSchema {
  readonly url: string;
  /** A schema for this file alone; `fresh` makes a further schema for a single test. */
  fresh(): string;
  /** A connection unknown to the engine under test. */
  readonly direct: Database;
  /** An engine on the real PostgreSQL with quick settings; stopped after the tests if still running. */
  start<const Pipelines extends readonly Pipeline[]>(
    options: Omit<EngineOptions<Pipelines>, "database"> & { readonly schema: string; readonly url?: string },
  ): Promise<Engine<CollectionsOf<Pipelines>>>;
}

export const quickConfig = {
  pollMs: 50,
  heartbeatMs: 100,
  silenceMs: 5_000,
  watchMs: 50,
  controlsMs: 50,
  relayMs: 50,
} as const;

/** The real PostgreSQL for a test file: schemas of its own, dropped at the end. */
export function useOwnSchema(name: string): OwnSchema {
  const url = process.env.HEADWAY_TEST_POSTGRES ?? "";
  const schemas: string[] = [];
  const engines: Engine[] = [];
  let direct: Database | undefined;
  beforeAll(async () => {
    direct = await openPostgres({ url, schema: name });
  });
  afterAll(async () => {
    await Promise.all(engines.map((engine) => engine.stop()));
    for (const schema of schemas)
      await direct?.script(`drop schema if exists "${schema}", "${schema}_read" cascade`);
    await direct?.close();
  });
  return {
    url,
    fresh() {
      const schema = `${name}_${randomUUID().slice(0, 8)}`;
      schemas.push(schema);
      return schema;
    },
    get direct() {
      return direct as Database;
    },
    async start({ schema, url: through = url, config, ...options }) {
      const engine = await startEngine({
        ...options,
        database: { url: through, schema },
        config: { ...quickConfig, ...config },
      } as EngineOptions);
      engines.push(engine);
      return engine;
    },
  };
}

/** The same address, by which the server's own lists tell one engine's connections from all others. */
export function named(url: string, applicationName: string): string {
  const through = new URL(url);
  through.searchParams.set("application_name", applicationName);
  return through.href;
}
