import type { DocumentDraft } from "../define/collection.ts";
import { firstDifference } from "./first-difference.ts";
import type { Answer } from "./observe-services.ts";

/** What a stage did otherwise than before. */
export interface Difference {
  /** The document or group it worked on: `letters/a`, `digesting[E-101]`. */
  readonly document: string;
  /** The document it yielded: `stamps/a`. */
  readonly output: string | null;
  readonly field: string | null;
  readonly was: unknown;
  readonly is: unknown;
}

/** What a stage was given: its name, and its content as text. */
export interface Given {
  readonly name: string;
  readonly content: string;
}

/** What a stage made of its input, and what services told it meanwhile. */
export interface Made {
  readonly yielded: readonly DocumentDraft[];
  readonly answers: readonly Answer[];
}

/** A difference, and the services that had answered the same question in another way. */
export interface Compared {
  readonly difference: Difference;
  readonly fickle: readonly string[];
}

/** What stages made of their inputs, over all runs of a drill. */
export interface Executions {
  /** Null: it has made the same of the same input before, or this is the first time. */
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

/** Who was asked the same in both cases, and never gave the answer of before. */
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

/** A value as text: what JSON cannot hold is written as well as can be, since it is only compared. */
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
