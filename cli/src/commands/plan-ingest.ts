import { existsSync } from "node:fs";
import { join } from "node:path";
import { planFeed } from "@headway/consensus";
import { type Database, openDatabase } from "@headway/engine/operate";
import { planManualsFeed } from "@headway/manuals";
import { exitCodes } from "../exit-codes.ts";
import { placeOf, type SharedOptions } from "../shared-options.ts";
import { type Console, oneLine, showCount } from "../terminal.ts";
import { whenFree } from "../when-free.ts";

interface PlanOptions extends SharedOptions {
  readonly list?: string | undefined;
  readonly allowPrivate?: boolean | undefined;
}

/** `headway ingest --dry-run`: places are read and compared with the database, which may be missing. */
export async function planIngest(
  places: readonly string[],
  options: PlanOptions,
  console: Console,
): Promise<number> {
  const plan = await withKnown(options, (database) => planFeed(database, places, givenIn(options)));
  const into = plan.lists.length > 0 ? ` (${plan.lists.map(oneLine).join(", ")})` : "";
  return tellPlan(plan, `${showCount(plan.accepted, "archive")}${into}`, options.json === true, console);
}

/** The same for `headway manuals ingest`. */
export async function planManuals(
  places: readonly string[],
  options: PlanOptions,
  console: Console,
): Promise<number> {
  const plan = await withKnown(options, (database) => planManualsFeed(database, places, givenIn(options)));
  return tellPlan(plan, showCount(plan.accepted.length, "manual"), options.json === true, console);
}

const givenIn = ({ list, allowPrivate }: PlanOptions) => ({
  ...(list !== undefined && { list }),
  ...(allowPrivate !== undefined && { allowPrivate }),
});

async function withKnown<T>(
  options: PlanOptions,
  act: (database: Database | null) => Promise<T>,
): Promise<T> {
  const { data, database: place } = placeOf(options);
  if ("folder" in place && !existsSync(join(data, "data"))) return await act(null);
  const database = await whenFree(() => openDatabase(place, { poolMax: 1 }));
  try {
    return await act(database);
  } finally {
    await database.close();
  }
}

interface Plan {
  readonly unchanged: number;
  readonly skipped: readonly { readonly place: string; readonly because: string }[];
  readonly refused: readonly { readonly because: string }[];
}

const shownMax = 10;

function tellPlan(plan: Plan, what: string, json: boolean, console: Console): number {
  const { unchanged, skipped, refused } = plan;
  for (const { because } of refused) console.warn(`headway: ${oneLine(because)}\n`);
  if (json) console.writeJson({ dryRun: true, ...plan });
  else {
    for (const { place, because } of skipped.slice(0, shownMax))
      console.warn(`would skip ${oneLine(place)}: ${oneLine(because)}\n`);
    if (skipped.length > shownMax)
      console.warn(`… and ${skipped.length - shownMax} more would be skipped (--json lists them)\n`);
    console.write(`Would read ${what}; ${unchanged} unchanged. Nothing was changed.\n`);
  }
  return refused.length > 0 ? exitCodes.refused : exitCodes.done;
}
