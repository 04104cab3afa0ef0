import type { DatabaseOption } from "@headway/engine";

/** What a process of ours is told on its command line. */
export interface Order {
  readonly act: "completions" | "enqueue" | "wake" | "hold" | "pipeline" | "growth" | "work";
  readonly database: DatabaseOption;
  readonly count: number;
  /** The stages to work on; all when not given. */
  readonly stages?: readonly string[];
  /** hold: it hands in the document itself. */
  readonly handIn?: boolean;
  /** wake: another engine hands in, so that the news travels through the database. */
  readonly elsewhere?: boolean;
  /** growth: completions that are kept when the cost of a further block is measured. */
  readonly sizes?: readonly number[];
}

/** What it says: lines of JSON, the same as the peers'. */
export type Tell = (line: { readonly kind: string; readonly [field: string]: unknown }) => void;
