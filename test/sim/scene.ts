import type { Store } from "../../engine/src/store/store.ts";
import type { Violation } from "../crash/checker.ts";
import type { Ground } from "./ground.ts";
import type { NetworkParts } from "./network.ts";
import type { Plot } from "./plot.ts";
import type { Server } from "./server.ts";

/** What everybody in a run shares. */
export interface SceneParts extends NetworkParts {
  readonly ground: Ground;
  readonly server: Server;
  readonly store: Store;
  readonly plot: Plot;
  /** How often each event was told. */
  readonly told: Map<string, number>;
  readonly violated: (...violations: Violation[]) => void;
  /** Whether what must always hold is looked at when somebody dies: not after the story itself broke it. */
  looking: boolean;
}
