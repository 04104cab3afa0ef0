import { DefinitionError } from "@headway/engine";
import { type PageContext, rowsMax } from "./page-context.ts";
import { given, type Query } from "./page-query.ts";

const groupsMax = 200;

/** Errors by cause: reported by other services, and of the stages. */
export async function errors({ operator }: PageContext, query: Query) {
  const state = query.choice("state", ["open", "resolved", "muted", "all"]) ?? "open";
  const groups = await operator.groupErrors(
    given({ state: state === "all" ? undefined : state, limit: groupsMax + 1 }),
  );
  return {
    at: operator.now(),
    groups: groups.slice(0, groupsMax),
    cut: groups.length > groupsMax,
    stages: await operator.groupDead({ limit: 20 }),
  };
}

/** One cause with its newest events. */
export async function error({ operator }: PageContext, query: Query) {
  const fingerprint = query.name("fingerprint");
  const group = (await operator.groupErrors({ limit: 1_000 })).find((one) => one.fingerprint === fingerprint);
  if (!group) throw new DefinitionError(`There is no group of errors "${fingerprint}".`);
  const offset = query.number("after") ?? 0;
  const events = await operator.listErrors({ fingerprint, limit: rowsMax + 1, offset });
  return {
    at: operator.now(),
    group,
    events: events.slice(0, rowsMax).map(({ context, ...event }) => ({
      ...event,
      context: JSON.stringify(context, null, 2).slice(0, 8_000),
    })),
    next: events.length > rowsMax ? offset + rowsMax : null,
  };
}
