import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "./exit-codes.ts";

/** Marks a data folder as a copy made by `headway snapshot`. */
const mark = "anonymous-copy.txt";

export function markCopy(folder: string): void {
  writeFileSync(
    join(folder, mark),
    "An anonymous copy for staging, made by headway snapshot. Production refuses this folder.\n",
  );
}

/** A copy has invented names and words: as production's data, these would be taken for real. */
export function refuseCopyInProduction(
  folder: string,
  variables: Readonly<Record<string, string | undefined>>,
): void {
  if (variables.HEADWAY_ENVIRONMENT !== "production" || !existsSync(join(folder, mark))) return;
  throw new Refusal(
    `${folder} is an anonymous copy for staging, and HEADWAY_ENVIRONMENT is production: choose another folder with --data, or set HEADWAY_ENVIRONMENT=staging.`,
  );
}
