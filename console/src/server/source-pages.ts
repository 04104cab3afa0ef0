import { DefinitionError } from "@headway/engine";
import { type PageContext, rowsMax } from "./page-context.ts";
import type { Query } from "./page-query.ts";

/** More documents of a source are not counted at a look. */
const countMax = 10_000;

/** Sources read on a schedule, and all origins of documents. */
export async function sources({ operator, schedules, takeFile }: PageContext) {
  return {
    at: operator.now(),
    scheduled: (await schedules?.list()) ?? [],
    sources: await operator.sources({ countMax }),
    countMax,
    takesFiles: takeFile !== null,
    mayBeScheduled: schedules !== null,
  };
}

const actsMax = 500;

/** One source: schedule and runs, documents, acts of people. */
export async function source({ operator, schedules }: PageContext, query: Query) {
  const name = query.name("name");
  const scheduled = (await schedules?.show(name)) ?? null;
  const brought = (await operator.sources({ countMax })).find((one) => one.name === name) ?? null;
  if (!scheduled && !brought) throw new DefinitionError(`There is no source "${name}".`);
  const acts = await operator.audit({ act: "source", limit: actsMax });
  return {
    at: operator.now(),
    countMax,
    scheduled,
    source: brought,
    acts: acts.filter(({ target }) => target === name).slice(0, rowsMax),
  };
}
