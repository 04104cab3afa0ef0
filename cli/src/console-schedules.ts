import type { Schedules } from "@headway/console";
import type { Database, Pipeline } from "@headway/engine";
import { isSources } from "@headway/intake";
import { readSourceLines, readSourcePage } from "./source-lines.ts";
import { steerSource } from "./source-routes.ts";

/** Scheduled sources of the console; null: the application runs none. */
export function makeSchedules(database: Database, pipelines: readonly Pipeline[]): Schedules | null {
  if (!pipelines.some(isSources)) return null;
  return {
    list: () => readSourceLines(database),
    show: (name) => readSourcePage(database, name),
    steer: (name, steering) => steerSource(database, { name, ...steering }),
  };
}
