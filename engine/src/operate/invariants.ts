import type { Broken, CheckName } from "../store/verify.ts";

/**
 * Every checked promise, in order of importance.
 *
 * @example
 * import { invariants } from "@headway/engine/operate";
 *
 * export const promises = Object.entries(invariants).map(([name, about]) => `${name}: ${about}`);
 */
export const invariants = {
  "task-of-nothing": "Every task belongs to a document or group that exists.",
  "result-of-nothing": "Every result belongs to a document or group that exists.",
  "dead-letter-of-nothing": "Every dead letter belongs to a document or group that exists.",
  "waiting-and-dead": "Nothing is waiting and dead at the same time.",
  "group-without-record": "Every group is waiting, done or dead.",
  "member-of-nothing": "Every member is a document that exists, in a group that exists.",
  "document-without-producer": "Every document comes from a source or a stage that is on record.",
  "share-of-nothing": "Every further producer of a document is on record.",
  "outputs-miscounted": "Every result has as many documents as it says.",
  "stage-not-owed": "Every document is waiting, done or dead at every stage that reads it.",
  "member-missing": "Every document is in a group of every stage that collects it.",
  "claim-broken": "Every claim belongs to a living worker and names tasks that nobody else holds.",
  "marker-wrong": "Every completion marker is the hash of its parts.",
  "content-changed": "Every document has the content that its hash says.",
  "ledger-unbalanced": "Accepted is done, waiting, claimed, dead and deleted together.",
} as const satisfies Record<CheckName, string> & Record<string, string>;

/** Name of a promise about stored rows. */
export type Invariant = keyof typeof invariants;

/** Broken rows on one page of a walk. */
export interface Finding {
  readonly invariant: Invariant;
  readonly broken: readonly Broken[];
  readonly rows: number;
  readonly sentence?: string;
}
