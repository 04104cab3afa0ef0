import { describe } from "vitest";
import type { Database } from "../../engine/src/store/database.ts";
import { describeAccepting } from "./store-accepting.ts";
import { describeClaims } from "./store-claims.ts";
import { describeCommits } from "./store-commits.ts";
import { describeDeletions } from "./store-deletions.ts";
import { useDesk } from "./store-desk.ts";
import { describeFailures } from "./store-failures.ts";
import { describeGroups } from "./store-groups.ts";
import { describeOutputs } from "./store-outputs.ts";
import { describeRegistry } from "./store-registry.ts";
import { describeRemovals } from "./store-removals.ts";
import { describeStreams } from "./store-streams.ts";

/** The contract of the store, the same for each kind of database. */
export function describeStore(name: string, open: () => Promise<Database>): void {
  describe(name, () => {
    const desk = useDesk(open);
    describe("what is known", () => describeRegistry(desk));
    describe("what is handed in", () => describeAccepting(desk));
    describe("claims", () => describeClaims(desk));
    describe("results", () => describeCommits(desk));
    describe("outputs that are compared", () => describeOutputs(desk));
    describe("long streams", () => describeStreams(desk));
    describe("what was not finished", () => describeFailures(desk));
    describe("groups", () => describeGroups(desk));
    describe("removals", () => describeRemovals(desk));
    describe("deletions", () => describeDeletions(desk));
  });
}
