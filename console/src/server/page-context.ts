import type { Pipeline } from "@headway/engine";
import type { Database, Operator } from "@headway/engine/operate";
import type { Hub } from "./hub.ts";
import type { Library, TakeFile } from "./library.ts";
import type { Schedules } from "./schedules.ts";
import type { Person } from "./sessions.ts";
import type { Shelf } from "./shelf.ts";

/** A setting in force, with its origin; secrets are masked. */
export interface Setting {
  readonly group: string;
  readonly variable: string;
  readonly value: string;
  readonly from: string;
  readonly about: string;
}

/** Everything a page may read. */
export interface PageContext {
  readonly operator: Operator;
  readonly hub: Hub;
  readonly database: Database;
  readonly pipelines: readonly Pipeline[];
  readonly library: Library | null;
  readonly shelf: Shelf | null;
  readonly takeFile: TakeFile | null;
  readonly schedules: Schedules | null;
  readonly person: Person;
  readonly data: string;
  readonly version: string;
  readonly settings: () => readonly Setting[];
}

/** Rows of one keyset page. */
export const rowsMax = 50;
