import type { Config } from "../engine/src/config.ts";
import type { BrokenName } from "./broken.ts";
import type { Point } from "./points.ts";

/** Command line of a worker process. */
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
  /** Obeyed from the first moment. */
  readonly first: Order | null;
}

/** Orders at runtime, one per line: an action at a point, after passing it `after` times; or its cancellation. */
export type Order =
  | {
      readonly kind: "arm";
      readonly point: Point;
      readonly action: "kill" | "freeze";
      readonly after: number;
    }
  | { readonly kind: "disarm"; readonly point: Point | "all" };
