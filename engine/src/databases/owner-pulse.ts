import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/** A process as the system sees it: state and used CPU time. Null: unknown. */
export interface Pulse {
  /** `R` runs, `S` and `D` wait, `T` is stopped. */
  readonly state: string;
  readonly cpuMs: number;
}

/** A tick of the kernel's accounting, on every Linux that Node runs on. */
const tickMs = 10;

export async function readPulse(pid: number): Promise<Pulse | null> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The second field is the command and may contain anything, parentheses too.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[14 - 3]) + Number(fields[15 - 3]);
  return text === "" || Number.isNaN(ticks) ? null : { state: fields[0] ?? "?", cpuMs: ticks * tickMs };
}

/** The last touch of the folder's lock by the owner, every few seconds unless the owner is too busy; null: unknown. */
export const lastBeat = (folder: string): Promise<Date | null> =>
  stat(join(folder, "lock.json")).then(
    ({ mtime }) => mtime,
    () => null,
  );

export interface Silence {
  readonly pid: number;
  readonly folder: string;
  /** The last beat of its lock. */
  readonly since: Date | null;
  readonly overMs: number;
  readonly before: Pulse | null;
  readonly after: Pulse | null;
}

/** A process that uses a tenth of the time is at work. */
const busyShare = 0.1;

/** The verdict on a process without an answer, with advice: a working process is left alone, and asked before a kill. */
export function tellSilence({ pid, folder, since, overMs, before, after }: Silence): string {
  const head = `Process ${pid} has ${folder} open and`;
  const from = since ? ` since ${since.toISOString().slice(0, 19)}Z` : "";
  const safe = "nothing is lost by that, what it was working on is done again";
  if (after?.state === "T") return `${head} is stopped${from}: let it go on with "kill -CONT ${pid}".`;
  const usedMs = before && after ? after.cpuMs - before.cpuMs : 0;
  if (usedMs >= busyShare * overMs) {
    const used = `${(usedMs / 1_000).toFixed(1)} s of CPU time in ${(overMs / 1_000).toFixed(0)} s`;
    return `${head} has been busy${from} (${used}): it lives, ask again in a moment. To end it in good order: kill -TERM ${pid}; ${safe}.`;
  }
  return `${head} has not answered${from}, and does next to nothing: end it with "kill -TERM ${pid}", or with "kill -9 ${pid}" if it is still there after a minute; ${safe}.`;
}
