import { readFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";

/** The cores that isolated stages may use in this process, and the reason why no more. */
export interface Cores {
  readonly used: number;
  /** Cores that the system lets this process run on. */
  readonly present: number;
  readonly limitedBy: "machine" | "setting" | "quota" | "memory";
}

/** The machine as the system shows it to this process. */
export interface Machine {
  readonly cores: number;
  /** Cores' worth of time that a container is granted; null: no limit. */
  readonly quota: number | null;
  readonly memoryMb: number;
}

/** `engineMb`: the engine with an embedded database. `processMb`: the process of an isolated stage. */
const sizes = { engineMb: 450, processMb: 160 } as const;

/**
 * As many as there are, fewer by a container's quota or memory. A setting (HEADWAY_CORES) goes before the quota, and never
 * above the cores present: more processes than cores only cost memory. At least one.
 */
export function countCores(setting: number, { cores, quota, memoryMb }: Machine = readMachine()): Cores {
  const byMemory = Math.max(1, Math.floor((memoryMb - sizes.engineMb) / sizes.processMb));
  const wanted = setting > 0 ? setting : Math.ceil(quota ?? cores);
  const used = Math.max(1, Math.min(wanted, cores, byMemory));
  const asked = Math.min(wanted, cores);
  if (used === cores) return { used, present: cores, limitedBy: "machine" };
  if (used < asked) return { used, present: cores, limitedBy: "memory" };
  return { used, present: cores, limitedBy: setting > 0 ? "setting" : "quota" };
}

export const readMachine = (): Machine => ({
  cores: availableParallelism(),
  quota: readQuota(),
  memoryMb: Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) / 1024 ** 2,
});

/** Linux containers are limited by time slices instead of by cores; other systems have no such file. */
function readQuota(): number | null {
  try {
    const [slice, period] = readFileSync("/sys/fs/cgroup/cpu.max", "utf8").split(" ").map(Number);
    return slice && period && slice / period > 0 ? slice / period : null;
  } catch {
    return null;
  }
}
