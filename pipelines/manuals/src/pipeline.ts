import { pipeline } from "@headway/engine";
import { excerpting } from "./stages/excerpting.ts";
import { opening } from "./stages/opening.ts";
import { planning } from "./stages/planning.ts";
import { reading } from "./stages/reading.ts";

/**
 *   manuals ─opening─► sheets ─reading─► pages, prints ─planning─► plans ─excerpting─► excerpts
 */
export function makeManuals() {
  return pipeline("manuals", {
    stages: [opening, reading, planning, excerpting],
    migrations: new URL("../migrations/", import.meta.url),
  });
}
