import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { onServer, serverPrograms } from "../server.ts";

/** Commits of one small row per second by `clients` concurrent clients, counted by pgbench: the limit of the disk. */
export async function commitsPerSecond(url: string, clients: number, seconds: number): Promise<number> {
  const programs = serverPrograms();
  if (!programs) throw new Error("there is no pgbench: install the package postgresql");
  await onServer((client) => client.query("create table if not exists yardstick (number bigint)"), url);
  const folder = await mkdtemp(join(tmpdir(), "headway-bench-"));
  try {
    const script = join(folder, "commit.sql");
    await writeFile(script, "insert into yardstick values (:client_id);\n");
    const given = [
      "-n",
      "-M",
      "prepared",
      "-f",
      script,
      "-c",
      String(clients),
      "-j",
      "2",
      "-T",
      String(seconds),

      url,
    ];
    const { stdout } = await promisify(execFile)(join(programs, "pgbench"), given);
    const [, rate] = /tps = ([\d.]+)/.exec(stdout) ?? [];
    if (!rate) throw new Error("pgbench did not say how many transactions it made");
    return Number(rate);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
