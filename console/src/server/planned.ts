import { callVerb } from "@headway/engine/internal";
import type { Database, Operator, VerbName } from "@headway/engine/operate";
import type { Schedules } from "./schedules.ts";

/** An act as it was asked for: fields of a JSON object, checked by the verb's own schema. */
export type Fields = Readonly<Record<string, unknown>>;

/** The effect of an act, shown before the act. */
export interface Planned {
  readonly title: string;
  readonly sentences: readonly string[];
  readonly warnings: readonly string[];
  /** Things that would change; 0: nothing to do. */
  readonly count: number;
  /** Label of the button. */
  readonly button: string;
  /** The word to type before a final act. */
  readonly typed: string | null;
  /** Offers to begin with one. */
  readonly ramp: boolean;
  run(operator: Operator, choice: Choice): Promise<Done>;
}

export interface Choice {
  readonly why: string;
  readonly ramp: boolean;
  /** The person who acts. */
  readonly actor: string;
}

/** Places that acts change besides the operators' verbs. */
export interface ActPlaces {
  readonly database: Database;
  /** The data folder. */
  readonly data: string;
  readonly schedules: Schedules | null;
}

export interface Done {
  readonly sentence: string;
  /** Number of an act with a page of its own. */
  readonly act: number | null;
  /** A ramp continued by the server. */
  readonly ramp?: number;
}

export type ActKind = (operator: Operator, fields: Fields, places: ActPlaces) => Promise<Planned>;

/** Runs a verb with fields from outside, held against the verb's schema. */
export const call = async <T>(operator: Operator, verb: VerbName, ...given: readonly unknown[]): Promise<T> =>
  (await callVerb(operator, verb, given)) as T;

export const plain = { warnings: [], typed: null, ramp: false } as const;
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;
