import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/**
 * A Redis for the benchmark: "memory" writes nothing, "file" syncs the append-only file at every write, like
 * PostgreSQL.
 */
export type RedisKind = "memory" | "file";

const flagsOf = {
  memory: ["--appendonly", "no"],
  file: ["--appendonly", "yes", "--appendfsync", "always"],
} as const;

export interface Redis {
  readonly url: string;
  close(): Promise<void>;
}

export async function openRedis(kind: RedisKind): Promise<Redis> {
  await installRedis();
  const folder = await mkdtemp(join(tmpdir(), "headway-redis-"));
  const port = await freePort();
  const child = spawn(
    "redis-server",
    ["--bind", "127.0.0.1", "--port", String(port), "--dir", folder, "--save", "", ...flagsOf[kind]],
    { stdio: "ignore" },
  );
  const ended = once(child, "exit");
  await untilAnswers(port);
  return {
    url: `redis://127.0.0.1:${port}`,
    async close() {
      child.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const execute = promisify(execFile);

async function installRedis(): Promise<void> {
  const there = () =>
    execute("redis-server", ["--version"]).then(
      () => true,
      () => false,
    );
  if (await there()) return;
  if (process.getuid?.() === 0)
    await execute("apt-get", ["-q", "-y", "--no-install-recommends", "install", "redis-server"]).catch(
      () => undefined,
    );
  if (!(await there())) throw new Error("there is no redis-server: install the package redis-server");
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

async function untilAnswers(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const socket = connect(port, "127.0.0.1");
    const open = await Promise.race([
      once(socket, "connect").then(() => true),
      once(socket, "error").then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("redis-server does not answer");
}
