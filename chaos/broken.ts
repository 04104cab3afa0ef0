import type { Store } from "../engine/src/store/store.ts";
import { acknowledgeFirst, tellLater, writeRefused } from "../test/support/broken-stores.ts";

export const brokenNames = ["fencing-off", "ack-before-commit", "outbox-outside", "sweep-off"] as const;
export type BrokenName = (typeof brokenNames)[number];

/** Engines broken on purpose. A storm that does not detect them is itself broken. */
export function breakStore(real: Store, name: BrokenName): Store {
  switch (name) {
    case "fencing-off":
      return { ...real, ...writeRefused(real) };
    case "ack-before-commit":
      return { ...real, ...acknowledgeFirst(real) };
    case "outbox-outside":
      return { ...real, ...tellLater(real) };
    case "sweep-off":
      return { ...real, findDeadWorkers: async () => [] };
  }
}
