import type { Config } from "../engine/src/config.ts";
import type { BrokenName } from "./broken.ts";
import type { Point } from "./points.ts";

/** What a worker process is told on its command line. */
export interface WorkerOrder {
  readonly name: string;
  readonly url: string;
  readonly schema: string;
  readonly blobs: string;
  readonly oracle: string;
  readonly broken: BrokenName | null;
  readonly config: Partial<Config>;
  /** Further options of `startEngine`, such as a broker. */
  readonly engine: object;
  /** Obeyed from the first moment on. */
  readonly first: Order | null;
}

/** What it is told while it runs, one a line: what to do when it passes a point, `after` times aside; or to forget that. */
export type Order =
  | {
      readonly kind: "arm";
      readonly point: Point;
      readonly action: "kill" | "freeze";
      readonly after: number;
    }
  | { readonly kind: "disarm"; readonly point: Point | "all" };
