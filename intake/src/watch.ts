import { type FSWatcher, watch } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { showName } from "./archive-key.ts";
import { type WalkOptions, walkFolder } from "./folder-walk.ts";
import type { Recogniser } from "./recogniser.ts";
import { IngestRefusal, refusePath } from "./refusal.ts";

export interface WatchOptions {
  readonly recogniser: Recogniser;
  /** New or changed files, by absolute path, that have stopped changing; the next look waits for the result. */
  readonly onChange: (paths: readonly string[]) => Promise<void> | void;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** Time without changes before a file is read. */
  readonly settleMs?: number;
  /** Interval of complete looks, for changes the system does not report. */
  readonly lookMs?: number;
  /** Waits, but not beyond the signal. */
  readonly pause?: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

const defaults = { settleMs: 1_000, lookMs: 60_000 };

/**
 * Watches a folder until the signal. All files present at the start count as changed, so nothing is lost between
 * reading a folder and watching.
 */
export async function watchFolder(folder: string, options: WatchOptions): Promise<void> {
  const { recogniser, onChange, signal, settleMs, lookMs, pause } = {
    ...defaults,
    pause: pauseFor,
    ...options,
  };
  await checkFolder(folder);
  const root = resolve(folder);
  const alarm = makeAlarm();
  const watcher = startWatcher(root, alarm.ring);
  try {
    let seen: Looks = new Map();
    const read = new Map<string, string>();
    while (!signal.aborted) {
      alarm.reset();
      const looks = await lookAt(root, { recogniser, signal });
      const { settled, moving } = compare({ looks, seen, read });
      seen = looks;
      for (const path of settled) read.set(path, looks.get(path) as string);
      for (const path of read.keys()) if (!looks.has(path)) read.delete(path);
      if (settled.length > 0) await onChange(settled);
      if (!moving) await firstOf(alarm, (waiting) => pause(lookMs, waiting), signal);
      // Limits the frequency of looks, independent of the number of events.
      await pause(settleMs, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    watcher?.close();
  }
}

/** Size and time of each file, as one word. */
type Looks = ReadonlyMap<string, string>;

/** Files to read: different from the last read, and unchanged since the last look. */
export function compare(of: { looks: Looks; seen: Looks; read: Looks }): {
  settled: string[];
  moving: boolean;
} {
  const changed = [...of.looks].filter(([path, look]) => of.read.get(path) !== look);
  const settled = changed.filter(([path, look]) => of.seen.get(path) === look).map(([path]) => path);
  return { settled, moving: settled.length < changed.length };
}

async function lookAt(folder: string, options: WalkOptions): Promise<Looks> {
  const looks = new Map<string, string>();
  try {
    for await (const file of walkFolder(folder, options)) {
      if (file.kind === "file") looks.set(file.path, `${file.size} ${file.modifiedMs}`);
    }
  } catch (error) {
    // A temporarily missing folder, such as an unmounted disk, is looked at again.
    if (!(error instanceof IngestRefusal)) throw error;
  }
  return looks;
}

async function checkFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch((error) => {
    throw refusePath(showName(folder), error);
  });
  if (found.isDirectory()) return;
  const message = `${showName(folder)} is not a folder: only folders can be watched.`;
  throw new IngestRefusal("path.unreadable", showName(folder), message);
}

/** The system's own watcher, if available; periodic looks do the rest. */
function startWatcher(folder: string, ring: () => void): FSWatcher | null {
  try {
    const watcher = watch(folder, { recursive: true, persistent: false }, ring);
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}

interface Alarm {
  ring(): void;
  reset(): void;
  /** Resolves after a ring since the last reset. */
  rung(): Promise<void>;
}

function makeAlarm(): Alarm {
  let isRinging = false;
  let wake: () => void = () => undefined;
  return {
    ring() {
      isRinging = true;
      wake();
    },
    reset() {
      isRinging = false;
    },
    rung: () =>
      new Promise((done) => {
        wake = done;
        if (isRinging) done();
      }),
  };
}

async function firstOf(alarm: Alarm, pause: (signal: AbortSignal) => Promise<void>, signal: AbortSignal) {
  const enough = new AbortController();
  const pausing = pause(AbortSignal.any([signal, enough.signal]));
  await Promise.race([alarm.rung(), pausing]);
  enough.abort();
  await pausing;
}

async function pauseFor(delayMs: number, signal: AbortSignal): Promise<void> {
  await wait(delayMs, undefined, { signal }).catch((error) => {
    if (!signal.aborted) throw error;
  });
}
