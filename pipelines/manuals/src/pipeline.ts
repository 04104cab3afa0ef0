import { pipeline } from "@headway/engine";
import { manualsFixes } from "./fixes.ts";
import { manualExcerpts, manualVectors } from "./projections.ts";
import { auditing } from "./stages/auditing.ts";
import { excerpting } from "./stages/excerpting.ts";
import { harvesting } from "./stages/harvesting.ts";
import { meaning } from "./stages/meaning.ts";
import { opening } from "./stages/opening.ts";
import { planning } from "./stages/planning.ts";
import { profiling } from "./stages/profiling.ts";
import { reading } from "./stages/reading.ts";
import { recognising } from "./stages/recognising.ts";

export const manualsMigrations = new URL("../migrations/", import.meta.url);

/**
 *   manuals ─opening─► sheets ─reading─► pages, prints ─planning─► plans ─excerpting─► excerpts ─meaning─► excerpt-vectors
 *                                                             ├─harvesting─► codes, parts, tables, pictures, page-links
 *                                                             └─auditing─► findings
 *   prints ─profiling─► profiles;  scans ─recognising─► recognitions, excerpts (only with a reader of pictures)
 */
export function makeManuals({ ocr = false }: { readonly ocr?: boolean } = {}) {
  const known = [opening, reading, planning, excerpting, meaning, harvesting, auditing, profiling];
  return pipeline("manuals", {
    stages: ocr ? [...known, recognising] : known,
    projections: [manualExcerpts, manualVectors],
    migrations: manualsMigrations,
    fixes: manualsFixes,
  });
}
