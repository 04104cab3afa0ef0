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

/** What the lock file says about the process that has the folder open. */
export interface FolderHolder {
  readonly pid: number;
  /** When it took the folder, ISO 8601. */
  readonly startedAt: string;
  readonly token: string;
  readonly host: string;
  /** Where its pid means something: boot and pid namespace of the machine; null where the system does not tell. */
  readonly realm: string | null;
  /** When the process itself began, in the kernel's words: another process under the same pid has another one. */
  readonly born: string | null;
  /** What it wants others to know, e.g. its operator address. */
  readonly info: Readonly<Record<string, unknown>>;
}

export interface FolderLock {
  readonly folder: string;
  /** Adds to what others read in `info`. */
  update(info: Readonly<Record<string, unknown>>): Promise<void>;
  /** Called once if somebody takes the folder away although we are alive: do not write to it any more. */
  onLost(tell: (reason: string) => void): void;
  release(): Promise<void>;
}

const lockName = "lock.json";
export const folderLockDefaults = { heartbeatMs: 5_000 } as const;
/** A holder whose pid we cannot see (another machine or container) is dead when its heart has stood still so long. */
const silenceMs = 30_000;
const triesMax = 50;
const leftoverMs = 60_000;

/** Takes a folder for this process alone. PGlite lets two processes open one folder, and then loses data in silence. */
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

/** Who has a folder open, if anybody: this is how a command finds the running server. */
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
 * The holder of a folder is the last of a chain: `lock.json` names the first, and whoever finds the last one dead
 * appoints itself its successor in `after-<its token>.json`. Each of these files can be created once only, so of any
 * number of processes one wins, also when the winner is killed right there: it is then just a dead last one.
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
    // Had another won before, it would have replaced `lock.json` first and removed its chain only then: without this
    // look we could have extended a chain that is no more.
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

/** Files of processes that were killed while they tried to lock; older than any attempt can be under way. */
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

/** Creates a file with its whole content at once, or returns false because it exists. */
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

/** A file that says nothing (a full disk, a power cut) stands for a holder that died long ago. */
async function readHolder(path: string): Promise<FolderHolder | null> {
  for (let tries = 0; ; tries += 1) {
    const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    });
    if (text === null) return null;
    const holder = parseHolder(text);
    if (holder) return holder;
    // Without hard links it may just be about to be written.
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

/** A process that has ended keeps its pid until its parent asks for it, in a container perhaps forever. */
async function isZombie(pid: number): Promise<boolean> {
  const fields = await readStat(pid);
  // Its first thread may end before the others, which then still write.
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

/** Measured by the folder's own clock, by touching a file beside the lock: two machines need not agree on the time. */
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
  // One after another: a heartbeat must not see the file while an update replaces it.
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

/** Writes what is there already: that moves the file's time by the folder's own clock, and harms nobody's content. */
async function touch(path: string): Promise<void> {
  const file = await open(path, "r+");
  await file.write("{", 0).finally(() => file.close());
}
