import type { Target } from "@headway/engine/operate";
import { changesBetween } from "./changes.ts";
import { familyMax, familyOf } from "./family.ts";
import type { PageContext } from "./page-context.ts";
import type { Query } from "./page-query.ts";
import { shownBody } from "./shown-body.ts";

const linesMax = 500;

/** The story of a document or a group: state, time line, family, content. */
export async function document({ operator, hub, pipelines }: PageContext, query: Query) {
  const target = targetOf(query);
  const [explanation, { lines, counts, cut }] = await Promise.all([
    operator.explain(target),
    operator.trace(target, { limit: linesMax }),
  ]);
  const { collection, id } = explanation;
  const [row] = collection
    ? await operator.documents({ collection, ids: [id] }, { body: true, limit: 1 })
    : [];
  const kinds = ["accepted", "made"] as const;
  const origins = cut ? (await operator.trace(target, { kinds, limit: familyMax })).lines : lines;
  const reads = new Map(
    pipelines.flatMap((one) => one.stages.map(({ name, reads: from }) => [name, from.name] as const)),
  );
  const { stages } = await hub.levels();
  for (const { stage, collection: from } of stages) reads.set(stage, from);
  const place = collection ?? ("stage" in target ? target.stage : "");
  return {
    at: operator.now(),
    notes: await operator.notes({ about: [{ kind: "document", name: `${place}/${id}` }], limit: 20 }),
    explanation,
    former: row && row.changed_at > row.created_at ? await formerOf(operator, target, row.body) : null,
    lines,
    counts,
    cut,
    about: row ? { ...row, body: null } : null,
    content: shownBody(row?.body),
    family: familyOf(origins, { collection, id }, (stage) => reads.get(stage)),
  };
}

/** Changes since the former content; null: the content never changed, or the former one is not kept. */
async function formerOf(operator: PageContext["operator"], target: Target, body: unknown) {
  const found = await operator.former(target);
  if (!found) return null;
  const { body: before, ...about } = found;
  return { ...about, ...changesBetween(before, body) };
}

function targetOf(query: Query): Target {
  const [stage, key] = [query.text("stage"), query.text("key")];
  if (stage !== undefined && key !== undefined) return { stage, key };
  return { collection: query.name("collection"), id: query.name("id") };
}
