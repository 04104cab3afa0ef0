import type { Sometimes } from "../support/sometimes.ts";
import type { Chance } from "./chance.ts";
import { meetDoom, type Process } from "./process.ts";
import type { Scheduler } from "./scheduler.ts";
import type { Weather } from "./weather.ts";

/** A call. `alone`: can take effect after its process died; `commits`: has a lasting effect. */
export interface Call {
  readonly what: string;
  readonly alone: boolean;
  readonly commits: boolean;
}

/** Carries a call from a process to the database, and the answer back: late, or never. */
export type Send = <T>(process: Process, call: Call, effect: () => Promise<T>) => Promise<T>;

export interface NetworkParts {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly weather: Weather;
  readonly sometimes: Sometimes;
}

type Fate = "arrives" | "cut before" | "cut after" | "cut and late" | "conflict";
type Outcome<T> = { kind: "answered"; value: T } | { kind: "failed"; error: unknown };

export function makeNetwork({ scheduler, chance, weather, sometimes }: NetworkParts): Send {
  const delayMs = () => {
    if (chance.happens(weather.slowShare)) return chance.between(50, 900);
    return chance.happens(0.2) ? chance.between(3, 40) : chance.between(0.1, 3);
  };
  function fateOf({ alone, commits }: Call): Fate {
    if (chance.happens(weather.cutShare)) return chance.pick(alone ? cuts : cuts.slice(0, 2));
    return commits && chance.happens(weather.conflictShare) ? "conflict" : "arrives";
  }
  /** Takes effect, unless a fault prevents it. */
  async function arrive<T>(fate: Fate, effect: () => Promise<T>): Promise<Outcome<T>> {
    if (weather.databaseDown) {
      sometimes.add("the database cannot be reached");
      return { kind: "failed", error: unreachable() };
    }
    if (fate === "cut before") return { kind: "failed", error: cut() };
    if (fate === "conflict") {
      sometimes.add("two transactions are in each other's way");
      return { kind: "failed", error: deadlock() };
    }
    return await effect().then(
      (value) => ({ kind: "answered", value }) as const,
      (error) => ({ kind: "failed", error }) as const,
    );
  }
  return <T>(process: Process, call: Call, effect: () => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      if (process.state === "dead") return;
      const fate = fateOf(call);
      const answer = (reply: () => void) => void scheduler.after(delayMs(), process, reply);
      if (fate === "cut and late") answer(() => reject(answerLost()));
      const happen = async () => {
        process.onItsWay.delete(onItsWay);
        const outcome = await arrive(fate, effect);
        scheduler.note(
          `${process.name}: ${call.what} → ${describe(outcome)}${fate === "arrives" ? "" : ` (${fate})`}`,
        );
        if (fate === "cut and late")
          return sometimes.add("a statement takes effect after its connection was cut");
        const committed = call.commits && outcome.kind === "answered";
        if (committed) process.unanswered += 1;
        if (committed) meetDoom(process, "done");
        answer(() => {
          if (committed) process.unanswered -= 1;
          if (committed && fate === "cut after") sometimes.add("the answer to a commit is lost");
          if (fate === "cut after") reject(answerLost());
          else if (outcome.kind === "failed") reject(outcome.error);
          else resolve(outcome.value);
        });
      };
      const lateMs = fate === "cut and late" ? chance.between(10, 2_000) : 0;
      const arrival = scheduler.after(delayMs() + lateMs, call.alone ? null : process, happen, {
        unheard: true,
      });
      const drop = () => {
        arrival.off = true;
      };
      const hurry = () => {
        arrival.off = true;
        scheduler.after(0, null, happen, { unheard: true });
      };
      const onItsWay = { ...call, drop, hurry };
      process.onItsWay.add(onItsWay);
      if (call.commits) meetDoom(process, "sent");
    });
}

const cuts = ["cut before", "cut after", "cut and late"] as const;

const describe = (outcome: Outcome<unknown>): string => {
  if (outcome.kind === "failed") return String((outcome.error as Error)?.message ?? outcome.error);
  return Array.isArray(outcome.value) ? `${outcome.value.length} rows` : "done";
};

const failure = (message: string, more: object) => Object.assign(new Error(message), more);
const cut = () => failure("The connection was cut.", { code: "08006" });
const answerLost = () =>
  failure("The connection was cut before the answer came.", { code: "08007", commitUnknown: true });
const unreachable = () => failure("connect ECONNREFUSED", { code: "ECONNREFUSED" });
const deadlock = () => failure("deadlock detected", { code: "40P01" });
