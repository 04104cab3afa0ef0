import { type Answer, plainText } from "./executions.ts";
import type { Faults, FaultyDatabase } from "./faulty-database.ts";

/** A stage's call to a service. */
export interface ServiceCall {
  /** `lexicon.explain` */
  readonly method: string;
  readonly arguments: string;
  /** The call carried the idempotency key, so the service can recognise a repetition. */
  readonly keyed: boolean;
}

export interface ObservedService {
  readonly name: string;
  readonly idempotencyKey: () => string;
  readonly process: FaultyDatabase;
  readonly faults: Faults;
  readonly onCall: (call: ServiceCall) => void;
  readonly onAnswer: (answer: Answer) => void;
}

/** One process's view of a service, with crash points before the call and before the answer. */
export function observeService(service: unknown, parts: ObservedService): unknown {
  if ((typeof service !== "object" && typeof service !== "function") || service === null) return service;
  return new Proxy(service, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function" || typeof key === "symbol") return value;
      return (...given: unknown[]) =>
        call(`${parts.name}.${key}`, given, parts, () => Reflect.apply(value, target, given));
    },
    apply: (target, self, given) =>
      call(parts.name, given, parts, () =>
        Reflect.apply(target as (...all: unknown[]) => unknown, self, given),
      ),
  });
}

function call(
  method: string,
  given: readonly unknown[],
  { process, faults, onCall, onAnswer, idempotencyKey }: ObservedService,
  act: () => unknown,
): unknown {
  if (process.dead) return process.crash();
  const fault = faults.next({ what: "service", text: method, effect: true });
  if (fault === "crash before") return diesIn(process, method);
  const text = plainText(given);
  onCall({ method, arguments: text, keyed: text.includes(JSON.stringify(idempotencyKey()).slice(1, -1)) });
  const note = (answer: unknown) => onAnswer({ method, arguments: text, answer: plainText(answer) });
  const answer = act();
  if (isPromise(answer)) return hear(answer, process, fault !== null, note);
  if (fault) return diesIn(process, method);
  note(answer);
  return answer;
}

async function hear(
  answer: PromiseLike<unknown>,
  process: FaultyDatabase,
  dies: boolean,
  note: (answer: unknown) => void,
): Promise<unknown> {
  try {
    const value = await answer;
    if (dies || process.dead) return await process.crash();
    note(value);
    return value;
  } catch (error) {
    if (dies || process.dead) return await process.crash();
    throw error;
  }
}

/** Stops the stage by throwing: the process is dead, and nothing the stage does from here on is kept. */
function diesIn(process: FaultyDatabase, method: string): never {
  void process.crash();
  throw new Error(`The process died in ${method}.`);
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
