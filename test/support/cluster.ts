import { execFile, spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** A PostgreSQL for one test alone, free to be stopped at any moment. */
export interface Cluster {
  readonly url: string;
  /** Kills the server, as a power cut would: no shutdown, recovery at the next start. */
  crash(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function openCluster(): Promise<Cluster> {
  const bin = newestBin();
  const folder = await mkdtemp(join(tmpdir(), "headway-cluster-"));
  const own = join(folder, "own");
  await mkdir(own);
  await chmod(folder, 0o711);
  const owner = await ownerOf();
  if (owner) await chown(own, owner.uid, owner.gid);
  const port = await freePort();
  const data = join(own, "data");
  const run = (command: string, ...given: readonly string[]) => asOwner(owner, join(bin, command), given);
  const settings = `-c port=${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`;
  const start = async () => {
    await run("pg_ctl", "start", "-w", "-D", data, "-l", join(own, "log"), "-o", settings);
  };
  const crash = async () => {
    await run("pg_ctl", "stop", "-w", "-m", "immediate", "-D", data);
  };
  await run("initdb", "--no-sync", "-U", "headway", "-A", "trust", "-E", "UTF8", "--locale=C", "-D", data);
  await start();
  return {
    url: `postgres://headway@127.0.0.1:${port}/postgres`,
    crash,
    start,
    async close() {
      if (existsSync(join(data, "postmaster.pid"))) await crash().catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The same choice as in tools/services.sh, which installs PostgreSQL if missing. */
function newestBin(): string {
  const versions = existsSync("/usr/lib/postgresql") ? readdirSync("/usr/lib/postgresql") : [];
  const newest = versions.map(Number).sort((a, b) => b - a)[0];
  if (newest === undefined) throw new Error("There is no PostgreSQL here; run tools/services.sh first.");
  return `/usr/lib/postgresql/${newest}/bin`;
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
  readonly name: string;
}

/** PostgreSQL refuses to run as root; null: this process is not root. */
async function ownerOf(): Promise<Owner | null> {
  if (process.getuid?.() !== 0) return null;
  const [uid, gid] = await Promise.all(
    ["-u", "-g"].map(async (flag) => Number((await execute("id", [flag, "postgres"])).stdout)),
  );
  return { uid: uid as number, gid: gid as number, name: "postgres" };
}

/** Without pipes: the server inherits pg_ctl's streams, and reading a pipe would wait for the server's end. */
function asOwner(owner: Owner | null, command: string, given: readonly string[]): Promise<void> {
  const [file, args] = owner
    ? (["runuser", ["-u", owner.name, "--", command, ...given]] as const)
    : ([command, given] as const);
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: "/", stdio: "ignore" });
    child.on("error", reject);
    child.on("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`${child.spawnargs.join(" ")} ended with ${code}`)),
    );
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
