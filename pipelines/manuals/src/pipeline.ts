import { pipeline } from "@headway/engine";
import { manualsFixes } from "./fixes.ts";
import { auditing } from "./stages/auditing.ts";
import { excerpting } from "./stages/excerpting.ts";
import { harvesting } from "./stages/harvesting.ts";
import { opening } from "./stages/opening.ts";
import { planning } from "./stages/planning.ts";
import { reading } from "./stages/reading.ts";

export const manualsMigrations = new URL("../migrations/", import.meta.url);

/**
 *   manuals ─opening─► sheets ─reading─► pages, prints ─planning─► plans ─excerpting─► excerpts
 *                                                             ├─harvesting─► codes, parts, page-links
 *                                                             └─auditing─► findings
 */
export function makeManuals() {
  return pipeline("manuals", {
    stages: [opening, reading, planning, excerpting, harvesting, auditing],
    migrations: manualsMigrations,
    fixes: manualsFixes,
  });
}
