import { DefinitionError, type Pipeline } from "@headway/engine";
import { documentStates, readHealth, type Target } from "@headway/engine/operate";
import { readAccessKeys } from "./access-keys.ts";
import { type PageContext, rowsMax } from "./page-context.ts";
import { given, type Query } from "./page-query.ts";
import { digest, lists, search, thread, threads } from "./reader-pages.ts";
import { manual, manuals } from "./shelf-pages.ts";
import { alert, alertRules, alerts, bench } from "./watch-pages.ts";

const bodyCharactersMax = 64 * 1024;

/** One answer for each page; `name` in `GET /api/console/name`. */
export const pages = {
  me,
  overview,
  stage,
  documents,
  document,
  dead,
  letter,
  acts,
  outages,
  workers,
  policies,
  quarantine,
  delivery,
  conflicts,
  events,
  sources,
  source,
  alerts,
  alert,
  alertRules,
  bench,
  audit,
  health,
  settings,
  find,
  threads,
  thread,
  lists,
  digest,
  search,
  manuals,
  manual,
} as const;

export type PageName = keyof typeof pages;

/** Pages hidden from readers. */
export const operatorPages: readonly PageName[] = ["delivery", "settings"];

async function me({ person, library, shelf, version, pipelines }: PageContext) {
  return {
    person,
    version,
    readable: library !== null,
    hasManuals: shelf !== null,
    pipelines: pipelines.map(({ name }) => name),
  };
}

async function overview({ operator, hub, pipelines }: PageContext) {
  const levels = await hub.levels();
  const groups = await operator.groupDead({ limit: 5 });
  const conflicting = await operator.conflicts({ limit: rowsMax });
  const quarantined = await operator.groupQuarantined();
  return {
    at: levels.at,
    levels,
    graph: graphOf(pipelines),
    needs: {
      groups,
      conflicts: conflicting.length,
      quarantined: quarantined.reduce((sum, { deliveries }) => sum + deliveries, 0),
    },
  };
}

/** Stages and collections as the code declares them. */
function graphOf(pipelines: readonly Pipeline[]) {
  const stages = pipelines.flatMap((one) => one.stages);
  const names = new Set(
    stages.flatMap(({ reads, writes }) => [reads.name, ...writes.map((one) => one.name)]),
  );
  return {
    nodes: [
      ...[...names].map((name) => ({ id: `c:${name}`, name, kind: "collection" as const })),
      ...stages.map(({ name }) => ({ id: `s:${name}`, name, kind: "stage" as const })),
    ],
    edges: stages.flatMap(({ name, reads, writes }) => [
      { from: `c:${reads.name}`, to: `s:${name}` },
      ...writes.map((one) => ({ from: `s:${name}`, to: `c:${one.name}` })),
    ]),
  };
}

async function stage({ operator, hub, pipelines }: PageContext, query: Query) {
  const name = query.name("name");
  const { stages, workers: all, at } = await hub.levels();
  const line = stages.find((one) => one.stage === name);
  if (!line)
    throw new DefinitionError(
      `There is no stage "${name}"; there are: ${stages.map((one) => one.stage).join(", ")}.`,
    );
  const code = pipelines.flatMap((one) => one.stages).find((one) => one.name === name);
  return {
    at,
    line,
    declared: code
      ? {
          version: code.version,
          model: code.model,
          writes: code.writes.map((one) => one.name),
          needs: code.needs.map((one) => one.name),
          concurrency: code.concurrency,
          isolated: code.isolate !== null,
        }
      : null,
    policies: (await operator.listPolicies()).filter((one) => one.stage === name),
    workers: all.filter((one) => one.stages.includes(name)),
    groups: await operator.groupDead({ stage: name, limit: 20 }),
  };
}

async function documents({ operator, hub }: PageContext, query: Query) {
  const { collections, stages, at } = await hub.levels();
  const collection = query.text("collection") ?? collections.find((one) => one.documents > 0)?.name;
  const names = {
    collections,
    stages: stages.map((one) => ({ stage: one.stage, collection: one.collection })),
  };
  if (collection === undefined) return { at, ...names, collection: null, rows: [], more: false };
  const filter = given({
    collection,
    state: query.choice("state", documentStates),
    stage: query.text("stage"),
  });
  const page = given({ after: query.text("after"), limit: rowsMax + 1 });
  const rows = await operator.documents(filter, page);
  return { at, ...names, collection, rows: rows.slice(0, rowsMax), more: rows.length > rowsMax };
}

async function document({ operator }: PageContext, query: Query) {
  const target = targetOf(query);
  const explanation = await operator.explain(target);
  const { lines, counts, cut } = await operator.trace(target, { limit: 500 });
  const { collection, id } = explanation;
  const [row] = collection
    ? await operator.documents({ collection, ids: [id] }, { body: true, limit: 1 })
    : [];
  const text = row?.body ? JSON.stringify(row.body, null, 2) : null;
  return {
    at: operator.now(),
    explanation,
    lines,
    counts,
    cut,
    about: row ? { ...row, body: null } : null,
    content: text === null ? null : { text: text.slice(0, bodyCharactersMax), characters: text.length },
  };
}

export function targetOf(query: Pick<Query, "text" | "name">): Target {
  const [stage, key] = [query.text("stage"), query.text("key")];
  if (stage !== undefined && key !== undefined) return { stage, key };
  return { collection: query.name("collection"), id: query.name("id") };
}

async function dead({ operator, hub }: PageContext, query: Query) {
  const filter = given({
    stage: query.text("stage"),
    code: query.text("code"),
    fingerprint: query.text("fingerprint"),
    state: query.choice("state", ["open", "closed", "all"]),
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

async function letter({ operator }: PageContext, query: Query) {
  const { input, input_hash: _, ...row } = await operator.inspectDead(query.number("id") ?? 0);
  const text = input === null ? null : JSON.stringify(input, null, 2);
  return {
    at: operator.now(),
    letter: row,
    input: text === null ? null : { text: text.slice(0, bodyCharactersMax), characters: text.length },
  };
}

/** A ramp with all its steps, or a single act. */
async function acts({ operator }: PageContext, query: Query) {
  const id = query.number("id") ?? 0;
  const [first] = await operator.audit({ after: id + 1, limit: 1 });
  if (!first || first.id !== id) throw new DefinitionError(`There is no act ${id}.`);
  if (first.act !== "dead.ramp")
    return { at: operator.now(), act: first, steps: [], requeued: null, state: null };
  const newer = await operator.audit({ act: "dead.ramp", since: first.at, limit: 1_000 });
  const steps = newer.filter((one) => one.id === id || detailOf(one).ramp === id).reverse();
  const last = detailOf(steps.at(-1) ?? first);
  const state = last.stopped !== undefined ? "stopped" : last.batch?.length === 0 ? "finished" : "running";
  return { at: operator.now(), act: first, steps, requeued: last.requeued ?? 0, state };
}

interface RampDetail {
  readonly ramp?: number | null;
  readonly requeued?: number;
  readonly stopped?: string;
  readonly batch?: readonly unknown[];
}

const detailOf = ({ detail }: { readonly detail: object }): RampDetail => detail;

async function outages({ hub }: PageContext) {
  const { at, outages: open, stages } = await hub.levels();
  const held = stages.filter((one) => one.shut !== null && one.paused === null);
  return {
    at,
    outages: open.map((one) => ({
      ...one,
      stages: held
        .filter(({ shut }) => shut === one.name)
        .map(({ stage: name, waiting, oldest }) => ({ stage: name, waiting, oldest })),
    })),
  };
}

async function workers({ hub }: PageContext) {
  const { at, workers: lines, stages } = await hub.levels();
  const served = new Set(lines.filter((one) => one.alive).flatMap((one) => one.stages));
  return { at, workers: lines, unserved: stages.map((one) => one.stage).filter((name) => !served.has(name)) };
}

async function policies({ operator }: PageContext) {
  return {
    at: operator.now(),
    policies: await operator.listPolicies(),
    history: await operator.policyHistory({ limit: rowsMax }),
  };
}

async function quarantine({ operator }: PageContext, query: Query) {
  const rows = await operator.listQuarantined(given({ limit: rowsMax + 1, after: query.number("after") }));
  return {
    at: operator.now(),
    groups: await operator.groupQuarantined(),
    rows: rows.slice(0, rowsMax),
    more: rows.length > rowsMax,
  };
}

const hexBytes = 4_096;

async function delivery({ operator }: PageContext, query: Query) {
  const { body_base64: body, ...row } = await operator.inspectQuarantined(query.number("id") ?? 0);
  const bytes = Buffer.from(body, "base64");
  const shown = bytes.subarray(0, hexBytes);
  return { at: operator.now(), delivery: row, hex: shown.toString("hex"), text: shown.toString("utf8") };
}

async function conflicts({ operator }: PageContext, query: Query) {
  const rows = await operator.conflicts(given({ limit: rowsMax + 1, after: query.number("after") }));
  return { at: operator.now(), rows: rows.slice(0, rowsMax).map(withText), more: rows.length > rowsMax };
}

function withText<T extends { readonly body: object }>({ body, ...row }: T) {
  return { ...row, text: JSON.stringify(body, null, 2).slice(0, 2_000) };
}

async function events({ operator }: PageContext, query: Query) {
  const rows = await operator.events(given({ limit: rowsMax, type: query.text("type") }));
  return {
    at: operator.now(),
    rows: rows.map(({ data, ...row }) => ({ ...row, text: JSON.stringify(data).slice(0, 2_000) })).reverse(),
  };
}

async function sources({ operator, takeFile }: PageContext) {
  return { at: operator.now(), sources: await operator.sources(), takesFiles: takeFile !== null };
}

async function source({ operator }: PageContext, query: Query) {
  const name = query.name("name");
  const found = (await operator.sources()).find((one) => one.name === name);
  if (!found) throw new DefinitionError(`There is no source "${name}".`);
  const acts = await operator.audit({ act: "source.delete", limit: rowsMax });
  return { at: operator.now(), source: found, acts: acts.filter((one) => one.target === name) };
}

async function audit({ operator }: PageContext, query: Query) {
  const filter = given({ actor: query.text("actor"), act: query.text("act"), after: query.number("after") });
  const rows = await operator.audit({ ...filter, limit: rowsMax + 1 });
  const short = rows
    .slice(0, rowsMax)
    .map(({ detail, ...row }) => ({ ...row, detail: JSON.stringify(detail).slice(0, 500) }));
  return { at: operator.now(), rows: short, more: rows.length > rowsMax };
}

async function health({ database, hub, operator, version }: PageContext) {
  const { stages, workers: lines, tookMs, at } = await hub.levels();
  return {
    at,
    version,
    tookMs,
    kind: database.kind,
    database: await readHealth(database),
    unbalanced: stages.filter((one) => !one.balanced).map((one) => one.stage),
    workers: lines.filter((one) => one.alive).length,
    leftToReap: await operator.leftToReap(),
  };
}

async function settings({ data, operator, settings: read }: PageContext) {
  const keys = await readAccessKeys(data);
  return { at: operator.now(), keys: keys.map(({ sha256: _, ...key }) => key), settings: read() };
}

async function find({ operator }: PageContext, query: Query) {
  const { found, near } = await operator.lookUp(query.name("q"));
  return { found, near };
}
