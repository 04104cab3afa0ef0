import { createHash, randomUUID } from "node:crypto";
import {
  link,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  statfs,
} from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { refuseForeign } from "./own-folder.ts";

/** Content of the lock file about the process with the folder open. */
export interface FolderHolder {
  readonly pid: number;
  /** Time of locking, ISO 8601. */
  readonly startedAt: string;
  readonly token: string;
  readonly host: string;
  /** Scope of the pid: boot and pid namespace of the machine; null if unknown. */
  readonly realm: string | null;
  /** Start time of the process, in the kernel's format: a later process with the same pid has another. */
  readonly born: string | null;
  /** Information for other processes, e.g. the operator address. */
  readonly info: Readonly<Record<string, unknown>>;
}

export interface FolderLock {
  readonly folder: string;
  /** Adds to the published `info`. */
  update(info: Readonly<Record<string, unknown>>): Promise<void>;
  /** Called once if another process takes the folder although this process is alive: stop writing. */
  onLost(tell: (reason: string) => void): void;
  release(): Promise<void>;
}

const lockName = "lock.json";
export const folderLockDefaults = { heartbeatMs: 5_000 } as const;
/** A holder with an invisible pid (another machine or container) is dead after a heartbeat older than this. */
const silenceMs = 30_000;
const triesMax = 50;
const leftoverMs = 60_000;

/** Locks a folder for this process alone. PGlite lets two processes open one folder, and then loses data silently. */
export async function lockFolder(
  wanted: string,
  { heartbeatMs }: { readonly heartbeatMs: number } = folderLockDefaults,
): Promise<FolderLock> {
  const folder = await makeFolder(wanted);
  const me = await introduce();
  const other = heldHere.get(folder);
  if (other) throw inUse(folder, other);
  heldHere.set(folder, me);
  try {
    await explained(folder, () => take(folder, me));
    await sweep(folder);
  } catch (error) {
    heldHere.delete(folder);
    throw error;
  }
  return hold(folder, me, heartbeatMs);
}

/** The current holder of a folder, if any; commands find the running server this way. */
export async function readFolderHolder(folder: string): Promise<FolderHolder | null> {
  const path = await realpath(folder).catch(() => folder);
  const found = await readHolder(join(path, lockName));
  if (!found) return null;
  const { last } = await follow(path, found);
  return (await isAlive(last, path)) ? last : null;
}

/** By real path. The pid alone would not stop one process from opening a folder twice. */
const heldHere = new Map<string, FolderHolder>();

async function makeFolder(wanted: string): Promise<string> {
  return explained(wanted, async () => {
    await mkdir(wanted, { recursive: true, mode: 0o700 });
    const folder = await realpath(wanted);
    await refuseForeign(folder);
    const { type } = await statfs(folder);
    if (networkTypes.has(type)) {
      throw new Error(
        `The folder ${folder} is on a network drive, where an embedded database is not safe: choose a local one, or use a PostgreSQL server.`,
      );
    }
    return folder;
  });
}

// NFS, SMB, CIFS, SMB2, AFS, Coda, NCP
const networkTypes: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x73757245, 0x564c,
]);

async function explained<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!code || !unusable.has(code)) throw error;
    const advice =
      code === "ENOSPC" || code === "EDQUOT"
        ? "its disk is full, make room there; nothing that was accepted is lost"
        : "choose a folder on a local disk that this user may write to";
    throw Object.assign(
      new Error(`The folder ${folder} cannot be used (${code}): ${advice}.`, { cause: error }),
      { code },
    );
  }
}

const unusable: ReadonlySet<string> = new Set(
  "EACCES EPERM EROFS ENOSPC EDQUOT ENOTDIR EEXIST ENAMETOOLONG ESTALE EIO ELOOP".split(" "),
);

const inUse = (folder: string, holder: FolderHolder): Error => {
  const where = holder.host === hostname() ? "" : ` on ${holder.host}`;
  const who = `process ${holder.pid}${where} since ${holder.startedAt}`;
  return Object.assign(
    new Error(`The folder ${folder} is in use by ${who}: stop that process, or choose another folder.`),
    { code: "FOLDER_IN_USE", holder },
  );
};

/**
 * The holder of a folder is the last of a chain: `lock.json` names the first, and a process that finds the last
 * holder dead appoints itself successor in `after-<token>.json`, with the dead holder's token. Each file can be
 * created only once, so exactly one process wins; a winner killed right there is just a dead last holder.
 */
async function take(folder: string, me: FolderHolder): Promise<void> {
  const lock = join(folder, lockName);
  for (let tries = 0; tries < triesMax; tries += 1) {
    const first = await readHolder(lock);
    if (!first) {
      if (await create(folder, lock, me)) return;
      continue;
    }
    const { last, links } = await follow(folder, first);
    if (await isAlive(last, folder)) throw inUse(folder, last);
    const claim = successorOf(folder, last);
    if (!(await create(folder, claim, me))) continue;
    // An earlier winner would have replaced `lock.json` before removing its chain: this check prevents extending a
    // removed chain.
    if ((await readHolder(lock))?.token !== first.token) {
      await rm(claim, { force: true });
      continue;
    }
    await replace(folder, lock, me);
    await Promise.all([...links, claim].map((path) => rm(path, { force: true })));
    return;
  }
  throw new Error(
    `The folder ${folder} cannot be locked: other processes take and leave it all the time; try again.`,
  );
}

/** Leftover files of processes killed while locking; older than any attempt in progress. */
async function sweep(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^(draft|after)-.*\.json$/.test(name));
  for (const path of names.map((name) => join(folder, name))) {
    const found = await stat(path).catch(() => null);
    if (found && Date.now() - found.mtimeMs > leftoverMs) await rm(path, { force: true });
  }
}

const successorOf = (folder: string, holder: FolderHolder): string =>
  join(folder, `after-${holder.token}.json`);

async function follow(
  folder: string,
  first: FolderHolder,
): Promise<{ last: FolderHolder; links: readonly string[] }> {
  const links: string[] = [];
  let last = first;
  for (;;) {
    const path = successorOf(folder, last);
    const next = await readHolder(path);
    if (!next) return { last, links };
    links.push(path);
    last = next;
  }
}

/** Creates a file with its whole content atomically; false: the file exists. */
async function create(folder: string, path: string, holder: FolderHolder): Promise<boolean> {
  const draft = await writeDraft(folder, holder);
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    if (!noLinks.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return await createWithoutLinks(path, holder);
  } finally {
    await rm(draft, { force: true });
  }
}

// File systems without hard links, e.g. exFAT and some container mounts.
const noLinks: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

async function createWithoutLinks(path: string, holder: FolderHolder): Promise<boolean> {
  try {
    const file = await open(path, "wx", 0o600);
    await file.writeFile(JSON.stringify(holder)).finally(() => file.close());
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function replace(folder: string, path: string, holder: FolderHolder): Promise<void> {
  await rename(await writeDraft(folder, holder), path);
}

async function writeDraft(folder: string, holder: FolderHolder): Promise<string> {
  const draft = join(folder, `draft-${randomUUID()}.json`);
  const file = await open(draft, "wx", 0o600);
  await file.writeFile(`${JSON.stringify(holder, undefined, 2)}\n`).finally(() => file.close());
  return draft;
}

/** An empty or unreadable file (a full disk, a power cut) stands for a holder that died long ago. */
async function readHolder(path: string): Promise<FolderHolder | null> {
  for (let tries = 0; ; tries += 1) {
    const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    });
    if (text === null) return null;
    const holder = parseHolder(text);
    if (holder) return holder;
    // Without hard links the content may be about to be written.
    if (tries < 5) await new Promise((resolve) => setTimeout(resolve, 50));
    else return unreadable(text);
  }
}

function parseHolder(text: string): FolderHolder | null {
  try {
    const holder = JSON.parse(text) as FolderHolder;
    return Number.isInteger(holder.pid) && /^[\w-]+$/.test(holder.token) ? holder : null;
  } catch {
    return null;
  }
}

const unreadable = (text: string): FolderHolder => {
  const token = `unreadable-${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
  return { pid: 0, startedAt: "an unknown time", token, host: hostname(), realm: null, born: null, info: {} };
};

async function introduce(): Promise<FolderHolder> {
  const [realm, born] = await Promise.all([readRealm(), readBorn(process.pid)]);
  const startedAt = new Date().toISOString();
  return { pid: process.pid, startedAt, token: randomUUID(), host: hostname(), realm, born, info: {} };
}

async function readRealm(): Promise<string | null> {
  try {
    const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
    return `${boot} ${await readlink("/proc/self/ns/pid")}`;
  } catch {
    return null;
  }
}

/** Field 22 of /proc/<pid>/stat. */
const readBorn = async (pid: number): Promise<string | null> => (await readStat(pid))[22 - 3] ?? null;

/** An ended process keeps its pid until its parent waits for it, in a container perhaps forever. */
async function isZombie(pid: number): Promise<boolean> {
  const fields = await readStat(pid);
  // The first thread may end before the remaining threads, which then still write.
  return fields[0] === "Z" && Number(fields[20 - 3]) <= 1;
}

/** From the third field on; the second is the command and may contain anything, parentheses too. */
async function readStat(pid: number): Promise<readonly string[]> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return text === "" ? [] : text.slice(text.lastIndexOf(")") + 2).split(" ");
}

async function isAlive(holder: FolderHolder, folder: string): Promise<boolean> {
  if (holder.pid <= 0) return false;
  const realm = await readRealm();
  const visible =
    realm === null || holder.realm === null ? holder.host === hostname() : realm === holder.realm;
  if (!visible) return (await silenceOf(folder)) < silenceMs;
  if (!exists(holder.pid) || (await isZombie(holder.pid))) return false;
  return holder.born === null || (await readBorn(holder.pid)) === holder.born;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Measured by the folder's own clock, by touching a file beside the lock: the clocks of two machines may differ. */
async function silenceOf(folder: string): Promise<number> {
  const draft = join(folder, `draft-${randomUUID()}.json`);
  try {
    const file = await open(draft, "wx", 0o600);
    await file.writeFile("{}").finally(() => file.close());
    const [now, beat] = await Promise.all([stat(draft), stat(join(folder, lockName))]);
    return now.mtimeMs - beat.mtimeMs;
  } finally {
    await rm(draft, { force: true });
  }
}

function hold(folder: string, me: FolderHolder, heartbeatMs: number): FolderLock {
  const path = join(folder, lockName);
  const listeners: ((reason: string) => void)[] = [];
  let current = me;
  let released = false;
  // Serialised: a heartbeat must not see the file during an update's replacement.
  let last: Promise<void> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
  const isMine = async (): Promise<boolean> => (await readHolder(path))?.token === me.token;
  const beat = async (): Promise<void> => {
    if (released) return;
    if (await isMine()) return void (await touch(path));
    clearInterval(beating);
    for (const tell of listeners.splice(0)) tell(`its folder ${folder} was taken away by another process`);
  };
  const beating = setInterval(() => void inTurn(beat).catch(() => {}), heartbeatMs).unref();

  return {
    folder,
    update: (info) =>
      inTurn(async () => {
        if (released || !(await isMine())) return;
        current = { ...current, info: { ...current.info, ...info } };
        await replace(folder, path, current);
      }),
    onLost: (tell) => void listeners.push(tell),
    release: () =>
      inTurn(async () => {
        if (released) return;
        released = true;
        clearInterval(beating);
        heldHere.delete(folder);
        if (await isMine()) await rm(path, { force: true });
      }),
  };
}

/**
 * Rewrites the first byte with the same value: this updates the file's time by the folder's own clock, not its
 * content.
 */
async function touch(path: string): Promise<void> {
  const file = await open(path, "r+");
  await file.write("{", 0).finally(() => file.close());
}
