import { execFile, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { readFolderHolder } from "../../engine/src/databases/folder-lock.ts";
import type { EmbeddedDatabase } from "../../engine/src/databases/pglite.ts";
import { openPglite } from "../../engine/src/databases/pglite.ts";
import { startUpkeep } from "../../engine/src/databases/pglite-upkeep.ts";
import { isCommitUnknown, isConnectionError } from "../../engine/src/store/database.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { refusal } from "./database-values.ts";

const openMs = 60_000;
const repo = fileURLToPath(new URL("../../", import.meta.url));
const pgliteUrl = new URL("../../engine/src/databases/pglite.ts", import.meta.url).href;

/** Runs a module in another process, with `openPglite` in scope. */
const inProcess = (body: string): string[] => [
  "--import",
  "tsx",
  "--input-type=module",
  "--eval",
  `import { openPglite } from ${JSON.stringify(pgliteUrl)};\n${body}`,
];

describe("PGlite", { timeout: openMs }, () => {
  let base: string;
  const opened: EmbeddedDatabase[] = [];
  const open = async (options: Parameters<typeof openPglite>[0]): Promise<EmbeddedDatabase> => {
    const db = await openPglite(options);
    opened.push(db);
    return db;
  };
  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), "headway-pglite-"));
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((db) => db.close()));
  });
  afterAll(() => rm(base, { recursive: true, force: true }));

  it("keeps what is in its folder, which is for this user only", async () => {
    const folder = join(base, "kept", "deeper");
    const first = await open({ folder });
    await first.script("create schema headway; create table headway.note (id int8)");
    await first.query(sql`insert into headway.note values (1)`);
    await first.close();
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    const second = await open({ folder, inline: true });
    expect(await second.query(sql`select id from headway.note`)).toEqual([{ id: 1 }]);
    expect(second.place).toBe(folder);
  });

  it("refuses a folder that is open already, naming who has it, and takes it after", async () => {
    const folder = join(base, "twice");
    const first = await open({ folder });
    const error = await refusal(openPglite({ folder }));
    expect(error.message).toMatch(
      new RegExp(`^The folder ${folder} is in use by process ${process.pid} since .*: stop that process, or`),
    );
    await first.lock?.update({ address: "http://127.0.0.1:9999" });
    expect((await readFolderHolder(folder))?.info).toEqual({ address: "http://127.0.0.1:9999" });
    await first.close();
    expect(await readFolderHolder(folder)).toBeNull();
    await open({ folder, inline: true });
  });

  it("takes over a folder whose process was killed, with all that was acknowledged", async () => {
    const folder = join(base, "killed");
    const child = spawn(
      process.execPath,
      inProcess(`
        const db = await openPglite({ folder: ${JSON.stringify(folder)} });
        await db.script("create schema headway; create table headway.note (id int8)");
        for (let id = 1; ; id += 1) {
          await db.query({ text: "insert into headway.note values ($1)", values: [id] });
          process.stdout.write(id + "\\n");
        }
      `),
      { cwd: repo, stdio: ["ignore", "pipe", "inherit"] },
    );
    let said = "";
    child.stdout.on("data", (data) => {
      said += data;
    });
    await expect.poll(() => said.split("\n").length, { timeout: openMs }).toBeGreaterThan(100);
    expect((await refusal(openPglite({ folder }))).message).toContain(`process ${child.pid}`);
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("close", resolve));
    const acknowledged = said.split("\n").length - 1;
    const db = await open({ folder });
    const [row] = await db.query<{ count: number }>(sql`select count(*) as count from headway.note`);
    expect(row?.count).toBeGreaterThanOrEqual(acknowledged);
  });

  it("starts again on a folder that was created only in part", async () => {
    const folder = join(base, "partial");
    await (await open({ folder, inline: true })).close();
    await rm(join(folder, "data", "base"), { recursive: true });
    await writeFile(join(folder, "unfinished"), "");
    const db = await open({ folder, inline: true });
    expect(await db.query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
    await expect(stat(join(folder, "unfinished"))).rejects.toThrow("ENOENT");
  });

  it("lets this thread go on while it works", async () => {
    const db = await open({ folder: null });
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 5);
    await db.query(sql`select count(*) from generate_series(1, 3000000)`);
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(5);
  });

  it("does not keep a process that has nothing left to do", async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      inProcess(`
        const db = await openPglite({ folder: null });
        console.log((await db.query({ text: "select 1 as one", values: [] }))[0].one);
      `),
      { cwd: repo, timeout: 30_000 },
    );
    expect(stdout).toBe("1\n");
  });

  it("has pgvector", async () => {
    const db = await open({ folder: null });
    await db.script("create extension vector");
    const [row] = await db.query(sql`select ('[1,2,3]'::vector <-> '[1,2,5]'::vector) as distance`);
    expect(row).toEqual({ distance: 2 });
  });

  it("is kept in order without autovacuum, which it has not got", async () => {
    const db = await open({ folder: null, inline: true });
    await db.script("create schema headway; create table headway.note (id int8 primary key)");
    await db.query(sql`insert into headway.note select generate_series(1, 20000)`);
    await db.query(sql`delete from headway.note where id > 10`);
    const upkeep = startUpkeep(db, { everyMs: 50 });
    const vacuumed = sql`
      select vacuum_count > 0 as vacuumed, analyze_count > 0 as analyzed, n_dead_tup as dead
      from pg_stat_all_tables where relname = 'note'
    `;
    await expect
      .poll(() => db.query(vacuumed), { timeout: 20_000 })
      .toEqual([{ vacuumed: true, analyzed: true, dead: 0 }]);
    upkeep.stop();
  });

  it("says so when its data cannot be read, and lets the folder go", async () => {
    const folder = join(base, "garbage");
    await mkdir(join(folder, "data"), { recursive: true });
    await writeFile(join(folder, "data", "PG_VERSION"), "garbage\n");
    await refusal(openPglite({ folder }));
    expect(await readFolderHolder(folder)).toBeNull();
    expect(await readFile(join(folder, "data", "PG_VERSION"), "utf8")).toBe("garbage\n");
  });

  it("fails all calls, those to come too, when its thread dies", async () => {
    const db = await open({ folder: join(base, "crash") });
    const session = await db.session();
    let lost = 0;
    session.onLost(() => {
      lost += 1;
    });
    const pending = refusal(db.query(sql`select count(*) from generate_series(1, 1e9)`));
    const inside = refusal(db.transaction((tx) => tx.query(sql`select 1`)));
    await pause(50);
    // Only the loss of the folder ends the thread from outside: the lock file of a live process is removed.
    await rm(join(base, "crash", "lock.json"));
    expect(isCommitUnknown(await pending)).toBe(true);
    expect(isConnectionError(await inside)).toBe(true);
    expect(isConnectionError(await refusal(db.query(sql`select 1`)))).toBe(true);
    expect(lost).toBe(1);
    expect(session.alive).toBe(false);
  });

  it("is closed, whatever it is doing, without waiting for the end of it", async () => {
    const busy = await open({ folder: null });
    const pending = refusal(busy.query(sql`select count(*) from generate_series(1, 1e9)`));
    const hanging = await open({ folder: null });
    void hanging.transaction(() => new Promise(() => {})).catch(() => {});
    await Promise.all([busy.close(), hanging.close()]);
    expect(isConnectionError(await pending)).toBe(true);
  });

  it("starts the slow way when its template is broken", async () => {
    const cache = join(base, "cache");
    const script = inProcess(`
      const db = await openPglite({ folder: null });
      console.log((await db.query({ text: "select 1 as one", values: [] }))[0].one);
    `);
    const start = () =>
      promisify(execFile)(process.execPath, script, {
        cwd: repo,
        env: { ...process.env, XDG_CACHE_HOME: cache },
      });
    await start();
    const { stdout: names } = await promisify(execFile)("ls", [join(cache, "headway")]);
    const template = join(cache, "headway", names.trim());
    const good = await readFile(template);
    await writeFile(template, good.subarray(0, 1_000_000));
    expect((await start()).stdout).toBe("1\n");
    expect((await readFile(template)).length, "a new one is in its place").toBeGreaterThan(1_000_000);
  });
});
