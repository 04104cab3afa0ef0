import type { StrikeKind } from "./storm.ts";

/** Separate parts of the storm; `all` is the whole. */
export const scenarios: Readonly<Record<string, readonly StrikeKind[] | null>> = {
  all: null,
  calm: [],
  kills: ["kill one", "kill at a point", "kill the holder", "kill a group", "bomb"],
  zombies: ["freeze at a point", "freeze one", "free a worker", "swallow packets"],
  database: ["restart the database", "end sessions", "exhaust connections", "read-only", "lose tasks"],
  network: ["slow network", "cut connections", "swallow packets", "cut off the source"],
  services: ["oracle misbehaves", "disk full"],
  operators: ["pause a stage", "requeue the dead", "change a policy", "reprocess", "free a worker"],
  broker: [
    "restart the broker",
    "wipe the broker",
    "meddle with deliveries",
    "cut the broker off",
    "kill one",
  ],
};
