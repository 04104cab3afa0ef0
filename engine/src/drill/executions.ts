import type { DocumentDraft } from "../define/collection.ts";
import { firstDifference } from "./first-difference.ts";

/** A stage's output that differs from an earlier execution. */
export interface Difference {
  /** The input document or group: `letters/a`, `digesting[E-101]`. */
  readonly document: string;
  /** The output document: `stamps/a`. */
  readonly output: string | null;
  readonly field: string | null;
  readonly was: unknown;
  readonly is: unknown;
}

/** The input of a stage: name, and content as text. */
export interface Given {
  readonly name: string;
  readonly content: string;
}

/** A service's answer to a call. */
export interface Answer {
  readonly method: string;
  readonly arguments: string;
  readonly answer: string;
}

/** The outputs of an execution, and the answers of services meanwhile. */
export interface Made {
  readonly yielded: readonly DocumentDraft[];
  readonly answers: readonly Answer[];
}

/** A difference, with the services that gave a different answer to the same call. */
export interface Compared {
  readonly difference: Difference;
  readonly fickle: readonly string[];
}

/** The executions of all stages over all runs of a drill. */
export interface Executions {
  /** Null: first execution with this input, or the same outputs as before. */
  compare(stage: string, given: Given, made: Made): Compared | null;
}

export function makeExecutions(): Executions {
  const seen = new Map<string, { readonly outputs: Outputs; readonly answers: readonly Answer[] }>();
  return {
    compare(stage, given, { yielded, answers }) {
      const key = JSON.stringify([stage, given.name, given.content]);
      const outputs = new Map(
        yielded.map(({ collection, id, body }) => [`${collection}/${id}`, plainText(body)]),
      );
      const before = seen.get(key);
      if (!before) seen.set(key, { outputs, answers });
      const difference = before ? compareYields(given.name, before.outputs, outputs) : null;
      return before && difference ? { difference, fickle: compareAnswers(before.answers, answers) } : null;
    },
  };
}

type Outputs = ReadonlyMap<string, string>;

/** Methods called with the same arguments in both executions, with only different answers. */
function compareAnswers(before: readonly Answer[], now: readonly Answer[]): string[] {
  const same = (a: Answer, b: Answer) => a.method === b.method && a.arguments === b.arguments;
  const others = now.filter((one) => {
    const told = before.filter((other) => same(one, other));
    return told.length > 0 && told.every(({ answer }) => answer !== one.answer);
  });
  return [...new Set(others.map(({ method }) => method))];
}

function compareYields(document: string, before: Outputs, now: Outputs): Difference | null {
  for (const [output, was] of before) {
    const is = now.get(output);
    if (is === undefined) {
      const other = [...now.keys()].find((name) => !before.has(name)) ?? null;
      return { document, output, field: other ? "id" : null, was: output, is: other };
    }
    if (was === is) continue;
    const found = firstDifference(JSON.parse(was), JSON.parse(is));
    return { document, output, field: found?.field ?? null, was: found?.was ?? null, is: found?.is ?? null };
  }
  const more = [...now.keys()].find((name) => !before.has(name));
  return more === undefined ? null : { document, output: more, field: null, was: null, is: more };
}

/** A value as text for comparison; values without a JSON form are approximated. */
export function plainText(value: unknown): string {
  const sorted = (_: string, each: unknown): unknown => {
    if (typeof each === "bigint") return `${each}n`;
    if (each instanceof AbortSignal || typeof each === "function") return undefined;
    if (each instanceof Map || each instanceof Set) return [...each];
    if (typeof each !== "object" || each === null || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  try {
    return JSON.stringify(value, sorted) ?? "null";
  } catch {
    return JSON.stringify(String(value));
  }
}
