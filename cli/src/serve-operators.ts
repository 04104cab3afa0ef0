import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isLoopback, makeConsole, readAccessKeys } from "@headway/console";
import { type Counters, namesIn } from "@headway/engine";
import { openOperators } from "@headway/engine/operate";
import type { RunningApp } from "./app/command-line-app.ts";
import { everySetting } from "./commands/config.ts";
import { makeConsensusLibrary } from "./console-library.ts";
import { makeSchedules } from "./console-schedules.ts";
import { makeManualsShelf, makeTakeFile } from "./console-shelf.ts";
import { actorName } from "./desk.ts";
import { Refusal } from "./exit-codes.ts";
import { makeMetrics } from "./metrics.ts";
import { metricsBackend } from "./metrics-backend.ts";
import { readMetricsListen, startMetricsServer } from "./metrics-server.ts";
import { startOperatorServer } from "./operator-server.ts";
import type { Console } from "./terminal.ts";
import { version } from "./version.ts";

export interface ServeOptions {
  readonly data: string;
  readonly host: string;
  readonly port: number;
  /** False: a process of workers only, without a web console. */
  readonly web: boolean;
  readonly counters: Counters;
  readonly stopping: AbortSignal;
  readonly console: Console;
}

export interface ServedOperators {
  readonly url: string;
  /** An address that enters the web console once, within ten minutes; null: none is served. */
  entry(): string | null;
  close(): Promise<void>;
}

/** Serves operators' requests and the web console of a running application. */
export async function serveOperators(app: RunningApp, options: ServeOptions): Promise<ServedOperators> {
  const { engine, pipelines, consensus, manuals } = app;
  const { data, host, port, web, counters, stopping, console } = options;
  const names = namesIn(pipelines);
  counters.expect(names);
  const { database } = engine;
  const operatorFor = await openOperators({ database, pipelines });
  const operator = operatorFor("readiness");
  const library = consensus && makeConsensusLibrary(consensus);
  const onError = (error: unknown) =>
    console.warn(`headway: A request failed: ${(error as Error).message}\n`);
  const hosts = hostsOf(host);
  const metrics =
    metricsBackend(process.env) === "noop"
      ? async () => ""
      : makeMetrics({ counters, operator, version, known: names });
  const isReady = async () => {
    if (stopping.aborted) return false;
    return await operator.workers().then(
      () => true,
      () => false,
    );
  };
  const server = await startOperatorServer({
    operatorFor,
    onError,
    sharing: engine.sharing,
    database,
    metrics,
    data,
    host,
    port,
    hosts,
    ...(web && {
      makeConsole: (token: string) =>
        makeConsole({
          operatorFor,
          database,
          pipelines,
          library,
          shelf: manuals && makeManualsShelf(manuals),
          takeFile: makeTakeFile(consensus, manuals),
          schedules: makeSchedules(database, pipelines),
          data,
          token,
          version,
          hosts,
          settings: () => everySetting({ data }, process.env),
          onError,
        }),
    }),
    isReady,
  });
  const scraped = await startMetricsServer(readMetricsListen(process.env.HEADWAY_METRICS_LISTEN), {
    metrics,
    isReady,
  });
  const address = addressFile(data);
  if (web) await writeFile(address, `${server.url}\n`, { mode: 0o600 });
  return {
    url: server.url,
    entry: () =>
      server.console && `${server.url}/${server.console.makeEntry({ name: actorName(), role: "operator" })}`,
    async close() {
      if (web) await rm(address, { force: true });
      await scraped?.close();
      await server.close();
    },
  };
}

/** Where the address of a running server is kept, for `headway console`. */
export const addressFile = (data: string): string => join(data, "console.url");

const hostsOf = (host: string): string[] => [
  ...(isLoopback(host) ? [] : [host.toLowerCase()]),
  ...(process.env.HEADWAY_HOSTS ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== ""),
];

/** An address that other machines reach needs keys, and a database of its own. */
export async function refuseOpenAddress(host: string, data: string, embedded: boolean): Promise<void> {
  if (isLoopback(host)) return;
  if (embedded)
    throw new Refusal(
      `--host ${host} would open the embedded database to the network: use --database with a PostgreSQL, or a proxy on this machine.`,
    );
  if ((await readAccessKeys(data)).length === 0)
    throw new Refusal(
      `--host ${host} can be reached from other machines and nobody has a key: "headway access add NAME --role reader" makes one.`,
    );
}
