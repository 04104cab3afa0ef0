import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { placeVariables } from "../cli/src/known-variables.ts";
import { helpTexts } from "../cli/src/run.ts";
import { version } from "../cli/src/version.ts";
import { knobs, readConfig } from "../engine/src/config.ts";
import { type Move, moves, shownStatus } from "../engine/src/decide/task.ts";
import { durationMs, showDuration } from "../engine/src/define/duration.ts";
import { attemptsVariable, retryVariables } from "../engine/src/define/retry-variables.ts";
import { describeApi } from "../engine/src/operate/openapi.ts";
import { logLevels, signalKinds } from "../engine/src/watch/tell.ts";
import { consensusKnobs } from "../pipelines/consensus/src/settings.ts";
import { apiPage, doors } from "./api-page.ts";
import { eventReference } from "./event-pages.ts";
import { grafanaFiles } from "./grafana-files.ts";
import { logsFile } from "./grafana-logs.ts";
import { metricsPage } from "./metrics-page.ts";
import { prometheusFiles } from "./prometheus-files.ts";
import { breakingChanges } from "./schema-changes.ts";
import { schemaFiles, schemasPage } from "./schema-files.ts";
import { seedsPage } from "./seeds-page.ts";
import { type Node, parse, repo, walk } from "./source.ts";

/** Pages made from the code, so pages and code always agree. */
export const referencePages = async (): Promise<
  readonly { readonly path: string; readonly text: string }[]
> => [
  ...doors.map((one) => ({ path: one.page, text: apiPage(one, madeBy) })),
  { path: "docs/reference/commands.md", text: await commandsPage() },
  { path: "docs/reference/config.md", text: configPage() },
  { path: "docs/reference/metrics.md", text: metricsPage(madeBy) },
  { path: "docs/reference/signals.md", text: signalsPage() },
  { path: "docs/reference/task-states.md", text: statesPage() },
  { path: "docs/reference/openapi.json", text: `${JSON.stringify(describeApi(version), null, 2)}\n` },
  { path: "docs/reference/schemas.md", text: schemasPage(madeBy("cli/src/schemas/every-schema.ts")) },
  ...schemaFiles(),
  { path: "docs/reference/seeds.md", text: seedsPage(madeBy("tools/seed-requirements.ts")) },
  ...prometheusFiles(),
  ...grafanaFiles(),
  logsFile(),
  ...eventReference(madeBy("engine/src/decide/envelope.ts` and `pipelines/consensus/src")),
];

const madeBy = (from: string): string =>
  `*Made from \`${from}\` by \`tools/reference.ts\`; a test compares. Change the code, not this page.*`;

function configPage(): string {
  const { effective } = readConfig();
  const rows = effective.map(({ name, variable, shown, about }) => {
    const { unit, least, most } = knobs[name as keyof typeof knobs];
    const limit = (value: number) => (unit === "whole" ? String(value) : showDuration(value));
    const plainly = unit === "seconds" || unit === "hours" ? ` (a plain number of ${unit})` : "";
    return `| \`${name}\` | \`${variable}\`${plainly} | ${shown} | ${limit(least)} to ${limit(most)} | ${about} |`;
  });
  return `# Settings

${madeBy("engine/src/config.ts")}

Given in code (\`startEngine({ config: { slots: 8 } })\`), as an environment variable, or in a file: \`HEADWAY_CONFIG\` names
a JSON file whose fields have the names of the variables (\`{"HEADWAY_POLL": "500ms"}\`). Code wins over the environment, the
environment over the file, the file over the default. In code, times are milliseconds (\`pollMs: 500\`), elsewhere a number
and a unit (\`500ms\`; ${durationUnits()}). A value outside its limits is refused at start with one sentence; so
is a name that nobody reads (a variable \`HEADWAY_…\` or \`RETRY_…\`, a field of the file), with the nearest name, and a silence that is shorter than two heartbeats.

| in code | variable | default | limits | what it is |
|---|---|---|---|---|
${rows.join("\n")}

Every variable can be given as a file instead, as container secrets are: \`HEADWAY_LLM_KEY_FILE=/run/secrets/llm-key\` stands for
\`HEADWAY_LLM_KEY\` with the content of the file. \`headway config --check\` says whether all settings are good, and starts nothing.

## Where things are

| variable | what it is |
|---|---|
${placeRows().join("\n")}

## Retry policies

What a stage declares (\`retry\`) is overridden by these variables, and both by what operators set in the database.

| variable | unit | sets | of faults that are |
|---|---|---|---|
${retryRows().join("\n")}

## The consensus pipeline

Environment variables only, because some of them are secrets. A bad value is refused at start with one sentence.

| variable | default | what it is |
|---|---|---|
${consensusRows().join("\n")}
`;
}

const placeRows = (): string[] =>
  Object.entries(placeVariables).map(([variable, meaning]) => `| \`${variable}\` | ${meaning} |`);

const consensusRows = (): string[] =>
  Object.values(consensusKnobs).map(
    ({ variable, value, meaning }) =>
      `| \`${variable}\` | ${value === "" ? "" : `\`${value}\``} | ${meaning} |`,
  );

async function commandsPage(): Promise<string> {
  const sections = (await helpTexts()).map(
    ({ command, text }) => `## ${command}\n\n\`\`\`text\n${text}\n\`\`\``,
  );
  return `# Commands

${madeBy("cli/src")}

In a clone, after \`npm ci\`: \`npx headway …\`. Results are written to the standard output and everything about them to the
standard error, so a pipe gets results only. With \`--json\` a list is one object a line.

${sections.join("\n\n")}
`;
}

function retryRows(): string[] {
  const units = new Map([
    ["attemptsMax", "tries"],
    ["multiplier", "factor"],
  ]);
  const times = new Map([
    [1, "milliseconds"],
    [1_000, "seconds"],
    [60_000, "minutes"],
  ]);
  const rows = retryVariables.map(
    ({ variable, kind, field, unit }) =>
      `| \`${variable}\` | ${units.get(field) ?? times.get(unit)} | \`${field}\` | ${kind} |`,
  );
  const every = attemptsVariable("archives");
  return [...rows, `| \`${every}\` (any collection's name) | tries | \`attemptsMax\` | transient, unknown |`];
}

const durationUnits = (): string =>
  (["1ms", "1s", "1m", "1h", "1d"] as const)
    .filter((one) => durationMs(one) > 0)
    .map((one) => `\`${one.slice(1)}\``)
    .join(", ");

function signalsPage(): string {
  const fields = signalFields();
  const rows = Object.entries(signalKinds).map(([kind, { level, about }]) => {
    const own = fields.get(kind);
    if (!own) throw new Error(`Signal "${kind}" has no declaration in engine/src/decide/signal.ts.`);
    return `| \`${kind}\` | ${level} | ${own.map((field) => (field === "*task*" ? field : `\`${field}\``)).join(", ")} | ${about} |`;
  });
  return `# Signals

${madeBy("engine/src/decide/signal.ts` and `engine/src/watch/tell.ts")}

The engine never logs. It emits signals, and whoever wants to know listens: \`startEngine({ onSignal })\` or
\`engine.onSignal(heard)\`. Every signal has a \`kind\` and the moment \`at\`. \`logSignals()\` writes them as lines of JSON at the
level given here (${logLevels.map((level) => `\`${level}\``).join(", ")}); \`countSignals()\` adds them up for metrics. A listener that throws harms
nobody but itself.

*task* stands for the fields that all signals about a task have: ${(fields.get("OfTask") ?? []).map((field) => `\`${field}\``).join(", ")}.

| kind | level | fields | when |
|---|---|---|---|
${rows.join("\n")}

## A line of the log

| field | what it is |
|---|---|
| \`level\` | as above |
| \`timestamp\` | when the engine emitted the signal, ISO 8601 |
| \`correlation_id\` | \`req_<uuid>.stage_<name>.retry_<n>\`; without a task the request (\`req_<uuid>\`) or the worker (\`worker_<n>\`), else null |
| \`processor\` | the stage; without one the first word of the kind |
| \`document_id\` | the id of the document, or the key of the group; else null |
| \`metadata\` | the kind and all other fields of the signal; texts are shortened, stacks only at level error |
| \`message\` | one sentence |

What looks like a credential (\`://user:password@\`, \`password=…\`, \`Bearer …\`) is masked.
`;
}

/** The declared fields of each kind, in order; fields of every task under "OfTask". */
function signalFields(): Map<string, string[]> {
  const path = "engine/src/decide/signal.ts";
  const tree = parse({ path, text: readFileSync(join(repo, path), "utf8") });
  const fields = new Map<string, string[]>();
  walk(tree, (node, parents) => {
    if (node.type === "TSInterfaceDeclaration" && node.id.name === "OfTask") {
      fields.set("OfTask", namesOf(node.body.body));
    }
    if (node.type !== "TSTypeLiteral") return;
    const kind = node.members.find((member: Node) => member.key?.name === "kind");
    const name = kind?.typeAnnotation?.typeAnnotation?.literal?.value;
    if (typeof name !== "string") return;
    const ofTask = parents[0]?.type === "TSIntersectionType";
    fields.set(name, [
      ...namesOf(node.members).filter((each) => each !== "kind"),
      ...(ofTask ? ["*task*"] : []),
    ]);
  });
  return fields;
}

const namesOf = (members: readonly Node[]): string[] => members.map((member) => member.key.name);

/** When a task makes the move. A new move needs a row here. */
const whenMoved: { readonly [Name in Move]: string } = {
  owe: "a document came to be that the stage reads, or a group got its first member",
  finish: "a result was committed, with its marker",
  retry: "an attempt failed and the policy allows another one, at `ready_at`",
  wait: "a group is not complete or not quiet yet",
  hold: "a dependency is down; no attempt is counted",
  release: "the worker stops, which costs nothing, or died, which is counted apart from attempts",
  die: "the fault is permanent, the tries or the time are used up, or its workers kept dying; it is a dead letter now",
  "input changed": "the document or group has other content; tries begin anew",
  reprocess: "a person asked for it to be made anew; the old result stays until then",
  requeue: "a person sent a dead letter back",
  delete: "the document is gone, with everything that came from it",
};

function statesPage(): string {
  const shown = { none: "[*]", pending: "pending", done: "done", dead: "dead" } as const;
  const arrows = new Map<string, string[]>();
  for (const [move, { from, to }] of Object.entries(moves)) {
    for (const state of from) {
      const arrow = `${shown[state]} --> ${shown[to]}`;
      arrows.set(arrow, [...(arrows.get(arrow) ?? []), move]);
    }
  }
  const rows = (Object.entries(moves) as [Move, (typeof moves)[Move]][]).map(
    ([move, { from, to }]) => `| ${move} | ${from.join(", ")} | ${to} | ${whenMoved[move]} |`,
  );
  return `# States of a task

${madeBy("engine/src/decide/task.ts")}

A task is one stage owed to one document, or to one group of a fan-in stage. There is no state "processing": being worked
on is a [claim](../concepts/claims.md) by a living worker, which no crash can leave behind.

\`\`\`mermaid
stateDiagram-v2
${[...arrows].map(([arrow, names]) => `  ${arrow}: ${names.join(" / ")}`).join("\n")}
\`\`\`

| move | from | to | when |
|---|---|---|---|
${rows.join("\n")}

In the database a pending task is a row of \`task\`, a done one of \`done\`, a dead one of \`dead_letter\`. To people they are shown in
these words:

| state | shown as |
|---|---|
| pending, no failed attempt yet | \`${shownStatus("pending", 0)}\` |
| pending, after a failed attempt | \`${shownStatus("pending", 1)}\` |
| done | \`${shownStatus("done", 1)}\` |
| dead | \`${shownStatus("dead", 1)}\` |
`;
}

/** Keeps the shape of a version: the file of a schema is not overwritten by a schema that breaks its readers. */
function refuseBreaking(path: string, text: string): void {
  if (!path.startsWith("docs/reference/schemas/") || !existsSync(join(repo, path))) return;
  const broken = breakingChanges(JSON.parse(readFileSync(join(repo, path), "utf8")), JSON.parse(text));
  if (broken.length > 0)
    throw new Error(`${path}: ${broken.join("; ")}. Raise the version in cli/src/schemas/every-schema.ts.`);
}

// node --conditions=@headway/source --import tsx tools/reference.ts
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { path, text } of await referencePages()) {
    refuseBreaking(path, text);
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), text);
  }
}
