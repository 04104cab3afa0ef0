import { groupStage } from "@headway/engine";
import { auditManual } from "../audit.ts";
import { findings, harvests, plans } from "../collections.ts";
import { excerpting } from "./excerpting.ts";
import { harvesting } from "./harvesting.ts";

/** A manual becomes findings about its reading; a finding goes when no longer true. */
export const auditing = groupStage("auditing", {
  reads: plans,
  per: ({ manual }) => manual,
  after: [harvesting, excerpting],
  quiet: "500ms",
  writes: [findings],
  version: "2",
  looks: {
    harvested: { of: harvests, ids: ({ documents }) => documents.map(({ id }) => id), optional: true },
  },
  retry: { attempts: 5 },
  *run({ key, documents }, { harvested }) {
    const codes = harvested.flatMap((page) => page.codes);
    for (const finding of auditManual(documents, codes))
      yield findings.document(`${key}#${finding.code}`, { manual: key, ...finding });
  },
});
