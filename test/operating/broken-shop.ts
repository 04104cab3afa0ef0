import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { run } from "../../cli/src/run.ts";
import { whenFree } from "../../cli/src/when-free.ts";
import { type Database, openDatabase, openOperator } from "../../engine/src/operate.ts";
import { makeCollectingConsole } from "../consensus/collecting-console.ts";
import { type ShopWork, workOnce } from "../support/broken-work.ts";
import { type BrokenOrder, type BrokenWorker, startBrokenWorker } from "../support/broken-workers.ts";
import { hashDatabase } from "../support/whole-database.ts";

/** Exit code and output of a command. */
export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The output lines, as JSON. */
  readonly rows: <T = Record<string, unknown>>() => T[];
}

/** The broken shop on a separate database, with a command line. */
export interface Shop {
  readonly database: BrokenOrder["database"];
  readonly flags: readonly string[];
  readonly cwd: string;
  /** Runs a command in this process. */
  headway(...words: string[]): Promise<Said>;
  /** Runs all due work; no worker is left afterwards. */
  work(given?: ShopWork): Promise<void>;
  /** A worker in a separate process; stopped after the tests if still running. */
  startWorker(given?: Omit<BrokenOrder, "database">): Promise<BrokenWorker>;
  /** Reads the database, for any owner. */
  look<T>(act: (database: Database) => Promise<T>): Promise<T>;
  hash(): Promise<string>;
}

/** "PGlite, shared": another process has the database open, and commands connect to it. */
export type Where = "PGlite" | "PGlite, shared" | "PostgreSQL";

/** Makes shops on separate databases, and cleans up after the tests. */
export function useShops(): { open(where: Where): Shop } {
  const root = mkdtempSync(join(tmpdir(), "headway-shop-"));
  const url = process.env.HEADWAY_TEST_POSTGRES ?? "";
  const schemas: string[] = [];
  const workers: BrokenWorker[] = [];
  const keepers: Keeper[] = [];
  afterAll(async () => {
    for (const keeper of keepers) await keeper.close();
    await Promise.all(workers.map((worker) => worker.kill()));
    if (schemas.length > 0) {
      const database = await openDatabase({ url, schema: schemas[0] as string }, { poolMax: 1 });
      for (const schema of schemas)
        await database.script(`drop schema if exists "${schema}", "${schema}_read" cascade`);
      await database.close();
    }
    rmSync(root, { recursive: true, force: true });
  });
  return {
    open(where) {
      const name = `shop_${randomUUID().slice(0, 8)}`;
      const folder = join(root, name);
      if (where === "PostgreSQL") schemas.push(name);
      const database = where === "PostgreSQL" ? { url, schema: name } : { folder };
      const address = new URL(url);
      address.searchParams.set("schema", name);
      const flags = where === "PostgreSQL" ? ["--database", address.href] : ["--data", folder];
      const shop = makeShop({ database, flags, cwd: root, workers });
      if (where !== "PGlite, shared") return shop;
      return withKeeper(shop, keepers);
    },
  };
}

/** A process with a shared embedded database, working on command. */
interface Keeper {
  work(given: ShopWork): Promise<void>;
  close(): Promise<void>;
}

const keeperScript = fileURLToPath(new URL("../fixtures/keeper-process.ts", import.meta.url));

async function startKeeper(folder: string): Promise<Keeper> {
  const flags = ["--conditions=@headway/source", "--import", "tsx", keeperScript, folder];
  const child = spawn(process.execPath, flags, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "close");
  const said = async () => {
    const [text] = await Promise.race([once(child.stdout, "data"), ended]);
    if (!(text instanceof Buffer)) throw new Error(`The keeper has ended with ${text}.`);
  };
  await said();
  return {
    async work(given) {
      child.stdin.write(`${JSON.stringify(given)}\n`);
      await said();
    },
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}

/** The keeper has the database open from the first work on, unless a worker has. */
function withKeeper(shop: Shop, keepers: Keeper[]): Shop {
  let keeper: Keeper | null = null;
  return {
    ...shop,
    async work(given = {}) {
      if (!keeper) {
        keeper = await startKeeper((shop.database as { folder: string }).folder);
        keepers.push(keeper);
      }
      await keeper.work(given);
    },
    async startWorker(given) {
      await keeper?.close();
      keeper = null;
      return await shop.startWorker(given);
    },
  };
}

interface Parts extends Pick<Shop, "database" | "flags" | "cwd"> {
  readonly workers: BrokenWorker[];
}

function makeShop({ database, flags, cwd, workers }: Parts): Shop {
  const look: Shop["look"] = async (act) => {
    // A killed process holds the folder until really gone.
    const opened = await whenFree(() => openDatabase(database, { poolMax: 2 }));
    try {
      return await act(opened);
    } finally {
      await opened.close();
    }
  };
  return {
    database,
    flags,
    cwd,
    look,
    hash: () => look(hashDatabase),
    async headway(...words) {
      const console = makeCollectingConsole();
      const code = await run([...words, ...flags], console);
      const out = console.out();
      const rows = <T>() => out.split("\n").flatMap((line): T[] => (line === "" ? [] : [JSON.parse(line)]));
      return { code, out, err: console.err(), rows };
    },
    work: (given = {}) => look((opened) => workOnce(opened, given)),
    async startWorker(given = {}) {
      const worker = await startBrokenWorker({ ...given, database });
      workers.push(worker);
      return worker;
    },
  };
}

/** Orders with texts of a kind: `many("torn", 3)`. */
export const many = (text: string, count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`${text}-${index + 1}`, `${text} ${index + 1}`]),
  );

/** Whether every promise still holds. */
export const verified = (shop: Shop): Promise<boolean> =>
  shop.look(async (database) => (await (await openOperator({ database, actor: "test" })).verify()).ok);
