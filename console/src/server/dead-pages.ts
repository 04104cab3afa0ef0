import { DefinitionError } from "@headway/engine";
import { type PageContext, rowsMax } from "./page-context.ts";
import { given, type Query } from "./page-query.ts";
import { call } from "./planned.ts";
import { shownBody } from "./shown-body.ts";

export async function dead({ operator, hub }: PageContext, query: Query) {
  const filter = given({
    stage: query.text("stage"),
    code: query.text("code"),
    fingerprint: query.text("fingerprint"),
    state: query.choice("state", ["open", "closed", "all"]),
    newerThan: query.choice("since", ["1h", "24h", "7d"]),
  });
  const groups = await operator.groupDead({ ...filter, limit: 100 });
  const letters = await operator.listDead(
    given({ ...filter, limit: rowsMax + 1, after: query.number("after") }),
  );
  const { stages } = await hub.levels();
  return {
    at: operator.now(),
    groups,
    letters: letters.slice(0, rowsMax),
    more: letters.length > rowsMax,
    stages: stages.map((one) => one.stage),
  };
}

export async function letter({ operator }: PageContext, query: Query) {
  const { input, input_hash: _, ...row } = await operator.inspectDead(query.number("id") ?? 0);
  return {
    at: operator.now(),
    letter: row,
    input: shownBody(input),
  };
}

/** A ramp with all its steps, or a single act. */
export async function acts({ operator }: PageContext, query: Query) {
  const id = query.number("id") ?? 0;
  const [first] = await operator.audit({ after: id + 1, limit: 1 });
  if (!first || first.id !== id) throw new DefinitionError(`There is no act ${id}.`);
  if (first.act !== "dead.ramp")
    return { at: operator.now(), act: first, steps: [], requeued: null, state: null, left: 0, again: [] };
  const newer = await operator.audit({ act: "dead.ramp", since: first.at, limit: 1_000 });
  const steps = newer.filter((one) => one.id === id || detailOf(one).ramp === id).reverse();
  const last = detailOf(steps.at(-1) ?? first);
  const state = rampState(last);
  const filter = detailOf(first).filter ?? {};
  // Letters that the ramp would still take, and letters that died after its beginning.
  const { requeued: left } = await call<{ requeued: number }>(operator, "requeueDead", filter, {
    dryRun: true,
  });
  const { olderThan: _, ...causes } = filter as { readonly olderThan?: string };
  const later = { ...causes, newerThan: first.at.toISOString(), limit: rowsMax };
  const again = await call<Awaited<ReturnType<typeof operator.listDead>>>(operator, "listDead", later);
  return { at: operator.now(), act: first, steps, requeued: last.requeued ?? 0, state, left, again };
}

function rampState(last: RampDetail): "stopped" | "halted" | "finished" | "running" {
  if (last.halted !== undefined) return "halted";
  if (last.stopped !== undefined) return "stopped";
  return last.batch?.length === 0 ? "finished" : "running";
}

interface RampDetail {
  readonly filter?: object;
  readonly halted?: string;
  readonly ramp?: number | null;
  readonly requeued?: number;
  readonly stopped?: string;
  readonly batch?: readonly unknown[];
}

const detailOf = ({ detail }: { readonly detail: object }): RampDetail => detail;
