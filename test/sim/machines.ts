import { permanent, rateLimited, transient } from "../../engine/src/decide/fault.ts";
import type { Chance } from "./chance.ts";
import { type Machine, moodOf } from "./letters.ts";
import { meetDoom, type Process } from "./process.ts";
import type { Scheduler } from "./scheduler.ts";
import type { Weather } from "./weather.ts";

export interface MachineParts {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly weather: Weather;
  /** Jams per word over all processes: machines have a memory, processes do not. */
  readonly jams: Map<string, number>;
  /** Kills the process working on the word. */
  readonly kill: (process: Process) => void;
}

/** One process's view of a machine. */
export function makeMachine(name: string, process: Process, parts: MachineParts): Machine {
  const { scheduler, chance, weather, jams, kill } = parts;
  const jammed = (word: string, times: number) => {
    const count = jams.get(word) ?? 0;
    if (count < times) jams.set(word, count + 1);
    return count < times;
  };
  function judge(word: string): unknown {
    const times = Number(word.match(/\d/)?.[0] ?? 1);
    switch (moodOf(word)) {
      case "torn":
      case "bad":
        return permanent(`word.${moodOf(word)}`, `The word "${word}" is ${moodOf(word)}.`);
      case "jam":
        return jammed(word, times) ? transient("word.jam", `The word "${word}" jams.`) : null;
      case "always":
        return transient("word.always", `The word "${word}" always jams.`);
      case "busy":
        return jammed(word, times) ? rateLimited("word.busy", "Later.", 500) : null;
      default:
        return null;
    }
  }
  return {
    work: (words) =>
      new Promise((resolve, reject) => {
        meetDoom(process, "working");
        const slow = words.some((word) => moodOf(word) === "slow");
        const usual = chance.happens(0.3) ? chance.between(50, 600) : chance.between(0.5, 50);
        const delayMs = slow ? chance.between(500, 6_000) : usual;
        scheduler.after(delayMs, process, () => {
          if (weather.servicesDown.has(name)) return reject(refused(name));
          if (words.some((word) => moodOf(word) === "kill")) return kill(process);
          const problem = words.map(judge).find((one) => one !== null);
          if (problem) reject(problem);
          else resolve();
        });
      }),
  };
}

const refused = (name: string) =>
  Object.assign(new Error(`connect ECONNREFUSED (${name})`), { code: "ECONNREFUSED" });
