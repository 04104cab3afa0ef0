import type { Store } from "../../engine/src/store/store.ts";
import type { Violation } from "../crash/checker.ts";
import type { Ground } from "./ground.ts";
import type { NetworkParts } from "./network.ts";
import type { Plot } from "./plot.ts";
import type { Server } from "./server.ts";

/** Shared parts of a run. */
export interface SceneParts extends NetworkParts {
  readonly ground: Ground;
  readonly server: Server;
  readonly store: Store;
  readonly plot: Plot;
  /** Deliveries per event. */
  readonly told: Map<string, number>;
  readonly violated: (...violations: Violation[]) => void;
  /** Whether invariants are checked at deaths: not after the story itself broke an invariant. */
  looking: boolean;
}
