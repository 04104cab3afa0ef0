import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Program } from "./child.ts";
import { openRedis, type RedisKind } from "./redis.ts";
import { onOwnDatabase } from "./server.ts";

/** Names of the figures in the last line of a run. */
export type Key = "headway" | "headwayPglite" | "pgBoss" | "graphileWorker" | "bullmq" | "dbos";

/** A measured engine with settings. */
export interface Contender {
  readonly key: Key;
  readonly label: string;
  /** Program in bench/peers; null: Headway. */
  readonly peer: string | null;
  readonly settings: string | number | null;
  readonly node: "this" | "24";
  readonly redis: RedisKind | null;
  /** Location of the rows: the server, or a folder of its own. */
  readonly place: "server" | "folder";
  /** Share of the work given to slow contenders; a rate does not need all of the work. */
  readonly share: number;
}

const ours = { peer: null, settings: null, redis: null, place: "server", share: 1 } as const;
const theirs = { node: "24", redis: null, place: "server", share: 1 } as const;
const major = process.versions.node.split(".")[0];

export const contenders: readonly Contender[] = [
  { ...ours, key: "headway", label: `Headway, Node ${major}`, node: "this" },
  ...(major === "24" ? [] : [{ ...ours, key: "headway", label: "Headway, Node 24", node: "24" } as const]),
  {
    ...ours,
    key: "headwayPglite",
    label: "Headway on PGlite, a folder",
    node: "this",
    place: "folder",
    share: 0.4,
  },
  {
    ...theirs,
    key: "graphileWorker",
    label: "graphile-worker, default",
    peer: "graphile-worker",
    settings: "default",
    share: 0.2,
  },
  {
    ...theirs,
    key: "graphileWorker",
    label: "graphile-worker, fastest settings",
    peer: "graphile-worker",
    settings: "fast",
  },
  { ...theirs, key: "pgBoss", label: "pg-boss, batch 100", peer: "pg-boss", settings: 100, share: 0.4 },
  { ...theirs, key: "pgBoss", label: "pg-boss, batch 1,000", peer: "pg-boss", settings: 1_000 },
  { ...theirs, key: "dbos", label: "DBOS", peer: "dbos", settings: null, share: 0.06 },
  {
    ...theirs,
    key: "bullmq",
    label: "BullMQ on Redis, in memory",
    peer: "bullmq",
    settings: null,
    redis: "memory",
    share: 0.6,
  },
  {
    ...theirs,
    key: "bullmq",
    label: "BullMQ on Redis, append-only file",
    peer: "bullmq",
    settings: null,
    redis: "file",
    share: 0.4,
  },
];

export const isOurs = ({ peer }: Contender): boolean => peer === null;

/** An empty place for one measurement, and the program to run there. */
export interface Stand {
  readonly program: Program;
  /** Arguments for every act. */
  readonly order: object;
}

export async function onStand<T>(contender: Contender, act: (stand: Stand) => Promise<T>): Promise<T> {
  const program = await programOf(contender);
  if (contender.place === "folder")
    return await inFolder((folder) => act({ program, order: { database: { folder } } }));
  return await onOwnDatabase(async (url) => {
    if (contender.peer === null) return await act({ program, order: { database: { url } } });
    const { peer, settings } = contender;
    const redis = contender.redis && (await openRedis(contender.redis));
    try {
      return await act({ program, order: { peer, settings, url, ...(redis && { redisUrl: redis.url }) } });
    } finally {
      await redis?.close();
    }
  });
}

async function inFolder<T>(act: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "headway-bench-"));
  try {
    return await act(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** All contenders run with the same flags of Node; Headway needs TypeScript besides. */
async function programOf({ peer, node }: Contender): Promise<Program> {
  const command = node === "this" || major === "24" ? process.execPath : await node24();
  if (peer === null) return { command, args: [...process.execArgv, fileOf("ours/main.ts")] };
  await installPeers();
  const flags = process.execArgv.filter((flag) => flag.startsWith("--max-"));
  return { command, args: [...flags, fileOf("peers/run.mjs")] };
}

/** Runs `act` once; later calls get the same answer or the same error. */
const once = <T>(act: () => Promise<T>): (() => Promise<T>) => {
  let answer: Promise<T> | undefined;
  return () => (answer ??= act());
};

const execute = promisify(execFile);

const node24 = once(async () => {
  const found = await execute("npx", ["-y", "-p", "node@24", "node", "-p", "process.execPath"]).catch(() => {
    throw new Error("there is no Node 24, and npx could not fetch it");
  });
  return found.stdout.trim().split("\n").at(-1) as string;
});

const installPeers = once(async () => {
  const folder = fileOf("peers/");
  if (existsSync(join(folder, "node_modules/.package-lock.json"))) return;
  await execute("npm", ["ci", "--prefix", folder, "--no-audit", "--no-fund"]).catch((error: Error) => {
    throw new Error(`the peers could not be installed: ${error.message.split("\n").at(-1) || error.message}`);
  });
});
