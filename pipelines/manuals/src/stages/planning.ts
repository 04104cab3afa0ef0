import { groupStage } from "@headway/engine";
import { plans, prints } from "../collections.ts";
import { pageId } from "../identity.ts";
import { planManual } from "../plan/plan-manual.ts";

/** The pages of a manual get their places. Only changed plans are written. */
export const planning = groupStage("planning", {
  reads: prints,
  per: ({ manual }) => manual,
  quiet: "500ms",
  writes: [plans],
  retry: { attempts: 5 },
  *run({ documents }) {
    for (const plan of planManual(documents)) yield plans.document(pageId(plan.manual, plan.number), plan);
  },
});
