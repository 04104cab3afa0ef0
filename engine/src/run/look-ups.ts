import { notFoundYet, permanent } from "../decide/fault.ts";
import { canonicalJson, contentHash, lookedHash } from "../decide/hash.ts";
import type { ClaimedTask } from "../store/claims.ts";
import type { Database } from "../store/database.ts";
import type { MemberRow } from "../store/groups.ts";
import type { LookedAt, LookedRow } from "../store/looks.ts";
import type { Store } from "../store/store.ts";
import type { PlannedLook, PlannedStage } from "./graph.ts";

/** The look-ups of one task, read. */
export interface TaskLooks {
  /** Documents by the name of the look-up, in the order of the ids. */
  readonly documents: Readonly<Record<string, readonly object[]>>;
  /** Every document looked at, once. */
  readonly looked: readonly LookedAt[];
  readonly hash: Buffer;
  /** The reason not to run: a document is missing, or the ids make no sense. */
  readonly problem: unknown;
}

const idsMax = 100_000;
const namedMax = 3;

/** Reads the look-ups of some tasks: one query for each look-up of the stage, for all tasks together. */
export async function readLooks(
  plan: PlannedStage,
  tasks: readonly ClaimedTask[],
  members: ReadonlyMap<number, readonly MemberRow[]> | null,
  { store, db }: { readonly store: Store; readonly db: Database },
): Promise<ReadonlyMap<number, TaskLooks>> {
  const asking = tasks
    .filter((task) => !task.gone && members?.get(task.subject)?.length !== 0)
    .map((task) => ({ task, asked: askOf(plan, task, members?.get(task.subject) ?? null) }));
  const found: ReadonlyMap<string, LookedRow>[] = [];
  for (const [at, { collection, fields }] of plan.looks.entries()) {
    const ids = new Set(asking.flatMap(({ asked }) => asked.ids[at] ?? []));
    const rows = ids.size > 0 ? await store.readLooked(db, { collection, ids: [...ids], fields }) : [];
    found.push(new Map(rows.map((row) => [row.id, row])));
  }
  return new Map(asking.map(({ task, asked }) => [task.subject, looksOf(plan.looks, asked, found)]));
}

interface Asked {
  /** Of each look-up, in the order of the stage. */
  readonly ids: readonly (readonly string[])[];
  readonly problem: unknown;
}

/** The ids are the author's code: a mistake is a fault of the task, not of the claim. */
function askOf(plan: PlannedStage, task: ClaimedTask, members: readonly MemberRow[] | null): Asked {
  try {
    const input = inputOfTask(task, members);
    return {
      ids: plan.looks.map((look) => checkedIds(plan.stage.name, look, look.ids(input))),
      problem: null,
    };
  } catch (problem) {
    return { ids: plan.looks.map(() => []), problem };
  }
}

/** The input of `run` for a task: a document, or a group. */
export const inputOfTask = (task: ClaimedTask, members: readonly MemberRow[] | null): object =>
  members
    ? { key: task.id, documents: members.map(({ body, id }) => ({ ...body, id })) }
    : { ...task.body, id: task.id };

function checkedIds(stage: string, { name }: PlannedLook, ids: unknown): readonly string[] {
  if (!Array.isArray(ids) || ids.some((id) => typeof id !== "string"))
    throw permanent(
      "look-up.invalid",
      `Stage "${stage}" must give an array of ids for its look-up "${name}".`,
    );
  if (ids.length <= idsMax) return ids;
  throw permanent(
    "look-up.large",
    `Stage "${stage}" looks up ${ids.length} documents as "${name}"; ${idsMax} is the limit.`,
  );
}

function looksOf(
  looks: readonly PlannedLook[],
  { ids, problem }: Asked,
  found: readonly ReadonlyMap<string, LookedRow>[],
): TaskLooks {
  const documents: Record<string, readonly object[]> = {};
  const looked = new Map<string, LookedAt>();
  const hashed: { name: string; documents: { id: string; hash: Buffer }[] }[] = [];
  const missing: string[] = [];
  for (const [at, { name, of, collection, fields, optional }] of looks.entries()) {
    const asked = ids[at] as readonly string[];
    const rows = asked.flatMap((id) => found[at]?.get(id) ?? []);
    for (const id of asked) {
      const row = found[at]?.get(id);
      looked.set(`${collection}/${id}`, { collection, id, hash: row?.hash ?? null });
      if (!row && !optional) missing.push(`${of.name}/${id}`);
    }
    documents[name] = rows.map(({ id, body }) => ({ ...body, id }));
    hashed.push({
      name,
      documents: rows.map(({ id, hash, body }) => ({
        id,
        hash: fields === null ? hash : contentHash(canonicalJson(body)),
      })),
    });
  }
  return {
    documents,
    looked: [...looked.values()],
    hash: lookedHash(hashed),
    problem: problem ?? (missing.length > 0 ? notThere(missing) : null),
  };
}

function notThere(missing: readonly string[]) {
  const more = missing.length > namedMax ? ` and ${missing.length - namedMax} more` : "";
  const names = missing.slice(0, namedMax).join(", ");
  return notFoundYet("look-up.missing", `Documents of a look-up are not there yet: ${names}${more}.`);
}
