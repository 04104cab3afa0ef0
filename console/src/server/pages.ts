import { DefinitionError, type Pipeline } from "@headway/engine";
import { migrationsStanding, readHealth } from "@headway/engine/internal";
import { documentStates } from "@headway/engine/operate";
import { readAccessKeys } from "./access-keys.ts";
import { acts, dead, letter } from "./dead-pages.ts";
import { conflict, conflicts, delivery, events, quarantine } from "./delivery-pages.ts";
import { document } from "./document-page.ts";
import { error, errors } from "./error-pages.ts";
import { history } from "./history-page.ts";
import { type PageContext, rowsMax } from "./page-context.ts";
import { given, type Query } from "./page-query.ts";
import { digest, lists, search, thread, threads } from "./reader-pages.ts";
import { manual, manuals } from "./shelf-pages.ts";
import { source, sources } from "./source-pages.ts";
import { alert, alertRules, alerts, bench } from "./watch-pages.ts";

/** One answer for each page; `name` in `GET /api/console/name`. */
export const pages = {
  me,
  overview,
  history,
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
  conflict,
  events,
  errors,
  error,
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
    notes: await operator.notes({ about: [{ kind: "stage", name }], limit: 20 }),
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

async function outages({ hub, operator }: PageContext) {
  const { at, outages: open, stages } = await hub.levels();
  const past = await operator.listAlerts({ state: "resolved", limit: 200 });
  const rules = (await operator.listAlertRules()).filter((one) => one.type === "outage");
  const watch = new Set(rules.map(({ name }) => name));
  const held = stages.filter((one) => one.shut !== null && one.paused === null);
  return {
    at,
    outages: open.map((one) => ({
      ...one,
      stages: held
        .filter(({ shut }) => shut === one.name)
        .map(({ stage: name, waiting, oldest }) => ({ stage: name, waiting, oldest })),
    })),
    past: past
      .filter(({ rule }) => watch.has(rule))
      .slice(0, rowsMax)
      .map(({ id, key, openedAt, resolvedAt }) => ({ id, key, openedAt, resolvedAt })),
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

async function audit({ operator }: PageContext, query: Query) {
  const filter = given({ actor: query.text("actor"), act: query.text("act"), after: query.number("after") });
  const rows = await operator.audit({ ...filter, limit: rowsMax + 1 });
  const short = rows
    .slice(0, rowsMax)
    .map(({ detail, ...row }) => ({ ...row, detail: JSON.stringify(detail).slice(0, 500) }));
  return { at: operator.now(), rows: short, more: rows.length > rowsMax };
}

async function health({ database, hub, operator, pipelines, version }: PageContext) {
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
    migrations: (await migrationsStanding(database, pipelines)).map(({ of, applied, known }) => ({
      of,
      applied,
      known,
    })),
    countedAt: stages.map((one) => one.countedAt).toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null,
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
