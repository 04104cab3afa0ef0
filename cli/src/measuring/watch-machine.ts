import { readdirSync, readFileSync } from "node:fs";

const lookEveryMs = 50;
/** The system's block size in counters. */
const blockBytes = 512;
/** Of `/proc/PID/stat`, in hundredths of a second. */
const ticksPerSecond = 100;

/** Time, processor, memory and disk of this process and of the processes that it started. */
export function watchMachine() {
  const from = performance.now();
  const before = usage();
  let [own, all] = [0, 0];
  const look = () => {
    const now = process.memoryUsage.rss();
    own = Math.max(own, now);
    all = Math.max(all, now + childrenBytes());
  };
  look();
  const timer = setInterval(look, lookEveryMs);
  let seconds = 0;
  return {
    /** The work is done; processes that end later still belong to it. */
    pause() {
      look();
      clearInterval(timer);
      seconds = (performance.now() - from) / 1_000;
    },
    /** After the end of all processes: only then the system adds their counters to ours. */
    figures() {
      const after = usage();
      return {
        seconds,
        cpuSeconds: after.cpu - before.cpu,
        memoryMb: own / 1e6,
        "memory with processes MB": all / 1e6,
        diskReadMb: ((after.read - before.read) * blockBytes) / 1e6,
        diskWrittenMb: ((after.written - before.written) * blockBytes) / 1e6,
      };
    },
  };
}

function usage() {
  const { userCPUTime, systemCPUTime, fsRead, fsWrite } = process.resourceUsage();
  return { cpu: (userCPUTime + systemCPUTime) / 1e6 + childrenSeconds(), read: fsRead, written: fsWrite };
}

/** Processor time of ended children; 0 where the system has no /proc. */
function childrenSeconds(): number {
  const fields = readOr("/proc/self/stat").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) / ticksPerSecond;
}

/** Resident memory of running children; shared pages are counted for each. */
function childrenBytes(): number {
  const bytes = (pid: string): number =>
    Number(/VmRSS:\s+(\d+) kB/.exec(readOr(`/proc/${pid}/status`))?.[1] ?? 0) * 1_024;
  return childrenOf("self").reduce((sum, pid) => sum + bytes(pid), 0);
}

function childrenOf(pid: string): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readOr(`/proc/${pid}/task/${task}/children`).split(" ").filter(Boolean),
    );
  } catch {
    return [];
  }
}

function readOr(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
