import type { DatabaseOption } from "@headway/engine";

/** Command line of a measured Headway process. */
export interface Order {
  readonly act: "completions" | "enqueue" | "wake" | "hold" | "pipeline" | "growth" | "work";
  readonly database: DatabaseOption;
  readonly count: number;
  /** Stages to run; all by default. */
  readonly stages?: readonly string[];
  /** hold: this process also accepts the document. */
  readonly handIn?: boolean;
  /** wake: another engine accepts the document, so the notification travels through the database. */
  readonly elsewhere?: boolean;
  /** growth: numbers of kept completions at which a further block is measured. */
  readonly sizes?: readonly number[];
}

/** Output of the process: lines of JSON, in the format of the peers. */
export type Tell = (line: { readonly kind: string; readonly [field: string]: unknown }) => void;
