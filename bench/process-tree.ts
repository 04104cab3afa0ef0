import { readdirSync, readFileSync } from "node:fs";

/** CPU time and memory of this process with its child processes; without /proc only of itself. */
export interface ProcessTree {
  stop(): { readonly cpuS: number; readonly peakRssMb: number };
}

const ticksPerSecond = 100;
const pageBytes = 4_096;
const sampleMs = 2_000;

/** CPU time counts from this call on; a child that lives for less than a sample is not seen. */
export function watchProcessTree(): ProcessTree {
  const own = process.cpuUsage();
  const before = new Map(readChildren().map(({ pid, cpuS }) => [pid, cpuS]));
  const latest = new Map<number, number>();
  let peak = 0;
  const look = () => {
    let rss = process.memoryUsage.rss();
    for (const { pid, cpuS, rssBytes } of readChildren()) {
      latest.set(pid, cpuS - (before.get(pid) ?? 0));
      rss += rssBytes;
    }
    peak = Math.max(peak, rss);
  };
  look();
  const timer = setInterval(look, sampleMs);
  return {
    stop() {
      look();
      clearInterval(timer);
      const { user, system } = process.cpuUsage(own);
      const children = [...latest.values()].reduce((sum, cpuS) => sum + cpuS, 0);
      return { cpuS: (user + system) / 1e6 + children, peakRssMb: peak / 1e6 };
    },
  };
}

function readChildren(): { pid: number; cpuS: number; rssBytes: number }[] {
  try {
    // Children were started later, so their numbers are larger: reading all of a busy machine would take the thread's time.
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > process.pid)
      .flatMap((pid) => readProcess(pid) ?? []);
  } catch {
    return [];
  }
}

function readProcess(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may contain blanks.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (Number(fields[1]) !== process.pid) return null;
    const cpuS = (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
    return { pid, cpuS, rssBytes: Number(fields[21]) * pageBytes };
  } catch {
    return null;
  }
}
