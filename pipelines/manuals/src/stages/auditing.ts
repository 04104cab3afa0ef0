import { groupStage } from "@headway/engine";
import { auditManual } from "../audit.ts";
import { findings, plans } from "../collections.ts";
import { shelf } from "../services.ts";
import { excerpting } from "./excerpting.ts";
import { harvesting } from "./harvesting.ts";

/** A manual becomes findings about its reading; a finding goes when no longer true. */
export const auditing = groupStage("auditing", {
  reads: plans,
  per: ({ manual }) => manual,
  after: [harvesting, excerpting],
  quiet: "500ms",
  writes: [findings],
  needs: [shelf],
  retry: { attempts: 5 },
  async *run({ key, documents }, { shelf }) {
    for (const finding of auditManual(documents, await shelf.codes(key)))
      yield findings.document(`${key}#${finding.code}`, { manual: key, ...finding });
  },
});
