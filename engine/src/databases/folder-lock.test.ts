import type { ChildProcess, StdioOptions } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FolderHolder, FolderLock } from "./folder-lock.ts";
import { lockFolder, readFolderHolder } from "./folder-lock.ts";

const repo = fileURLToPath(new URL("../../../", import.meta.url));
const moduleUrl = new URL("./folder-lock.ts", import.meta.url).href;

let folder: string;
const locks: FolderLock[] = [];
const children: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "headway-lock-"));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await Promise.all(locks.splice(0).map((lock) => lock.release()));
  await rm(folder, { recursive: true, force: true });
});

const lockPath = () => join(folder, "lock.json");
const readLock = async () => JSON.parse(await readFile(lockPath(), "utf8")) as FolderHolder;

async function lock(path = folder): Promise<FolderLock> {
  const taken = await lockFolder(path);
  locks.push(taken);
  return taken;
}

const refusal = (path = folder): Promise<string> =>
  lock(path).then(
    () => "was not refused",
    (error: Error) => error.message,
  );

/** A lock file as left behind by another process. */
async function leave(holder: Partial<FolderHolder>, name = "lock.json"): Promise<void> {
  const mine = await lockFolder(folder);
  const like = await readLock();
  await mine.release();
  await writeFile(join(folder, name), JSON.stringify({ ...like, token: `token-${name.length}`, ...holder }));
}

/** A pid that was in use a moment ago. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ["--eval", ""]);
  await once(child, "exit");
  return child.pid as number;
}

interface Rival {
  readonly pid: number;
  /** Tries to lock the folder; returns "won", or the reason of the refusal. */
  go(): Promise<string>;
  kill(): Promise<void>;
}

async function startRival(): Promise<Rival> {
  const script = `
    import { lockFolder } from ${JSON.stringify(moduleUrl)};
    console.log("ready");
    process.stdin.once("data", () => lockFolder(${JSON.stringify(folder)}).then(
      () => { console.log("won"); setInterval(() => {}, 1000); },
      (error) => console.log(error.message),
    ));
  `;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", script], {
    cwd: repo,
    stdio: ["pipe", "pipe", "inherit"],
  });
  children.push(child);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async (): Promise<string> => String((await lines.next()).value);
  expect(await next()).toBe("ready");
  return {
    pid: child.pid as number,
    go: () => {
      child.stdin.write("go\n");
      return next();
    },
    async kill() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

describe("the lock of a folder", () => {
  it("says who has it, to this user only, and is gone after", async () => {
    const before = Date.now();
    const taken = await lock();
    const { pid, startedAt, token, born } = await readLock();
    expect(pid).toBe(process.pid);
    expect(Date.parse(startedAt)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(startedAt)).toBeLessThanOrEqual(Date.now());
    expect(token).toMatch(/^[0-9a-f-]{36}$/);
    expect(born).toMatch(/^\d+$/);
    expect((await stat(lockPath())).mode & 0o777).toBe(0o600);
    await taken.release();
    await taken.release();
    expect(await readdir(folder)).toEqual([]);
  });

  it("creates the folder, for this user only", async () => {
    const inner = join(folder, "a", "b");
    await lock(inner);
    expect((await stat(inner)).mode & 0o777).toBe(0o700);
  });

  it("is refused to the same process a second time, also by another name of the folder", async () => {
    await lock();
    const alias = `${folder}-alias`;
    await symlink(folder, alias);
    const sentence = new RegExp(
      `^The folder ${folder} is in use by process ${process.pid} since .*Z: stop that process`,
    );
    expect(await refusal()).toMatch(sentence);
    expect(await refusal(alias)).toMatch(sentence);
    await rm(alias);
  });

  it("goes to one of two calls made at once", async () => {
    const results = await Promise.allSettled([lock(), lock(), lock()]);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("carries what its holder wants others to know", async () => {
    const taken = await lock();
    await Promise.all([taken.update({ address: "http://127.0.0.1:1" }), taken.update({ version: 2 })]);
    expect((await readFolderHolder(folder))?.info).toEqual({ address: "http://127.0.0.1:1", version: 2 });
    expect((await stat(lockPath())).mode & 0o777).toBe(0o600);
    await taken.release();
    await taken.update({ too: "late" });
    expect(await readFolderHolder(folder)).toBeNull();
  });

  it("is not removed by one who has lost it", async () => {
    const taken = await lock();
    const other = { ...(await readLock()), token: "somebody-else" };
    await writeFile(lockPath(), JSON.stringify(other));
    await taken.update({ mine: true });
    await taken.release();
    expect(await readLock()).toEqual(other);
  });

  it("tells its holder when it was taken away", async () => {
    const taken = await lockFolder(folder, { heartbeatMs: 20 });
    locks.push(taken);
    const told = new Promise<string>((resolve) => taken.onLost(resolve));
    await writeFile(lockPath(), JSON.stringify({ ...(await readLock()), token: "somebody-else" }));
    expect(await told).toContain(`its folder ${folder} was taken away`);
  });
});

describe("a lock that was left behind", () => {
  it("by a process that is no more is taken over, and nothing else is left", async () => {
    await leave({ pid: await deadPid() });
    await lock();
    expect((await readLock()).pid).toBe(process.pid);
    expect(await readdir(folder)).toEqual(["lock.json"]);
  });

  it("by a process whose pid has gone to another is taken over", async () => {
    await leave({ pid: process.pid, born: "1" });
    await lock();
    expect((await readLock()).born).not.toBe("1");
  });

  it("by a process that has ended but was not asked for by its parent is taken over", async () => {
    // The shell starts a process and then becomes a process that never waits for its children.
    const stdio: StdioOptions = ["ignore", "pipe", "ignore", "pipe"];
    const parent = spawn("bash", ["-c", "read -r go <&3 & echo $!; exec sleep 1000"], { stdio });
    children.push(parent);
    const pid = Number(await once(parent.stdout as Readable, "data"));
    const state = async () => /\) (\w) /.exec(await readFile(`/proc/${pid}/stat`, "utf8"))?.[1];
    await leave({ pid, born: null });
    expect(await refusal()).toContain(`process ${pid} since`);
    (parent.stdio[3] as Writable).end("go\n");
    await expect.poll(state, { timeout: 20_000 }).toBe("Z");
    await lock();
  });

  it("in half or empty is taken over", async () => {
    for (const text of ["", '{ "pid": 12', "null"]) {
      await writeFile(lockPath(), text);
      await (await lock()).release();
    }
  });

  it("on another machine is kept while its heart beats, and taken over after", async () => {
    await leave({ pid: await deadPid(), host: "elsewhere", realm: "another boot" });
    expect(await refusal()).toContain("on elsewhere since");
    const old = new Date(Date.now() - 60_000);
    await utimes(lockPath(), old, old);
    await lock();
  });

  it("by one that was killed while it took over another's is taken over as well", async () => {
    await leave({ pid: await deadPid(), token: "first" });
    const first = await readLock();
    const second = { ...first, token: "second", pid: await deadPid() };
    await writeFile(join(folder, "after-first.json"), JSON.stringify(second));
    expect(await readFolderHolder(folder)).toBeNull();
    await lock();
    expect(await readdir(folder)).toEqual(["lock.json"]);
  });

  it("takes its drafts with it, but not those that may be in use", async () => {
    const [old, fresh] = [join(folder, "draft-old.json"), join(folder, "draft-fresh.json")];
    for (const path of [old, fresh]) await writeFile(path, "{}");
    await utimes(old, new Date(0), new Date(0));
    await lock();
    expect((await readdir(folder)).sort()).toEqual(["draft-fresh.json", "lock.json"]);
  });

  it("belongs to the one that is just taking it over", async () => {
    await leave({ pid: await deadPid(), token: "first" });
    const second = { ...(await readLock()), token: "second", pid: process.ppid, born: null };
    await writeFile(join(folder, "after-first.json"), JSON.stringify(second));
    expect(await refusal()).toContain(`process ${process.ppid} since`);
  });
});

describe("processes that race for a folder", { timeout: 60_000 }, () => {
  it("one wins, the others name it, and when it is killed one of them wins", async () => {
    const rivals = await Promise.all(Array.from({ length: 6 }, startRival));
    const answers = await Promise.all(rivals.map((rival) => rival.go()));
    const winner = rivals[answers.indexOf("won")] as Rival;
    expect(answers.filter((answer) => answer === "won")).toHaveLength(1);
    for (const answer of answers.filter((other) => other !== "won")) {
      expect(answer).toContain(`is in use by process ${winner.pid} since`);
    }
    await winner.kill();
    expect(await readFolderHolder(folder)).toBeNull();

    const heirs = await Promise.all(Array.from({ length: 6 }, startRival));
    const claims = await Promise.all(heirs.map((rival) => rival.go()));
    expect(claims.filter((answer) => answer === "won")).toHaveLength(1);
    expect((await readLock()).pid).toBe(heirs[claims.indexOf("won")]?.pid);
  });
});

describe("a folder that cannot be used", () => {
  it("is named in one sentence with what to do", async () => {
    const file = join(folder, "file");
    await writeFile(file, "");
    for (const path of [file, join(file, "inside")]) {
      expect(await refusal(path)).toMatch(
        /^The folder .* cannot be used \(E\w+\): choose a folder on a local disk/,
      );
    }
  });
});
