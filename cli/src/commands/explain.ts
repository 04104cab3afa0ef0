import type {
  DependencyRow,
  Explanation,
  Named,
  NoteRow,
  NoteSubject,
  Operator,
  PolicyInForce,
  StageExplanation,
} from "@headway/engine/operate";
import { callsText } from "../calls-text.ts";
import { withDesk } from "../desk.ts";
import { findAllNamed, namingWords } from "../find-named.ts";
import { nextCommand } from "../next-command.ts";
import { showNote } from "../note-lines.ts";
import type { Adding } from "../run.ts";
import { sharedFlags } from "../shared-options.ts";
import { showRelative, showSpan, showWhen, withRelative } from "../show-time.ts";
import { type Console, oneLine, pad, shorten, showCount, wrap } from "../terminal.ts";
import { nameOf } from "../which-document.ts";

export function addExplain({ program, console }: Adding): void {
  program
    .command("explain")
    .description("Explain the state of a document at every stage")
    .argument("<id>", "a document's id or a group's key; also collection/id")
    .option("--collection <name>", "the collection it is in")
    .option("--stage <name>", "the fan-in stage whose group it is")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway explain '<1234@example.org>'
  headway explain quic/2024-05 --collection archives
  headway explain quic --stage threading                   a group of a fan-in stage

An id that is in several collections is explained in each of them, the one in trouble first.
The last line says what to type next. The whole story so far: headway trace ID.`,
    )
    .action((id, options) =>
      withDesk(options, async ({ operator }) => {
        const found = await findAllNamed(operator, id, options, "headway explain");
        const around = {
          breakers: await operator.breakers(),
          policies: await operator.listPolicies(),
          now: operator.now(),
        };
        const all: Seen[] = [];
        for (const one of await explainAll(operator, found))
          all.push({ ...one, ...around, notes: await operator.notes({ about: notedOf(one), limit: 10 }) });
        if (options.json) return all.map(toJson).forEach(console.writeJson);
        console.write(`${all.map((seen) => textOf(seen, console)).join("\n\n")}\n`);
      }),
    );
}

/** The document itself, and the stages where work is open. */
const notedOf = ({ named, explanation }: Explained): NoteSubject[] => [
  { kind: "document", name: nameOf(named) },
  ...explanation.stages
    .filter(({ state }) => state !== "done")
    .map(({ stage }) => ({ kind: "stage", name: stage })),
];

interface Seen extends Explained {
  readonly notes: readonly NoteRow[];
  readonly breakers: readonly DependencyRow[];
  readonly policies: readonly PolicyInForce[];
  readonly now: Date;
}

function toJson({ named, explanation, breakers, policies, now, notes }: Seen) {
  const { stages, ...whole } = explanation;
  return {
    ...whole,
    stage: named.stage,
    at: now,
    stages: stages.map((stage) => ({
      ...stage,
      breaker: breakers.find(({ name }) => name === stage.breaker) ?? stage.breaker,
      limitFrom: limitFrom(stage, policies),
      command: nextCommand(named, stage),
    })),
    command: nextOf(named, stages)?.command ?? null,
    notes,
  };
}

/** Need of a person: dead first, then not done, then stale. */
const weightOf = ({ state, stale, because }: StageExplanation): number =>
  state === "dead" ? 0 : state !== "done" ? 1 : stale.length > 0 || because === "unexpected" ? 2 : 3;

export interface Explained {
  readonly named: Named;
  readonly explanation: Explanation;
}

/** Explanations of several documents, the most troubled first. */
export async function explainAll(operator: Operator, found: readonly Named[]): Promise<Explained[]> {
  const all: Explained[] = [];
  for (const named of found)
    all.push({ named, explanation: await operator.explain({ subject: named.subject }) });
  const worst = ({ explanation: { stages } }: Explained) => Math.min(...stages.map(weightOf), 4);
  return all.sort((a, b) => worst(a) - worst(b));
}

/** The stage most in need of a person. */
function nextOf(named: Named, stages: readonly StageExplanation[]) {
  return [...stages]
    .sort((a, b) => weightOf(a) - weightOf(b))
    .map((stage) => ({ stage: stage.stage, command: nextCommand(named, stage) }))
    .find(({ command }) => command !== null);
}

function textOf(seen: Seen, console: Console): string {
  const { named, explanation, now } = seen;
  const { colors, columns } = console;
  const title = `${named.collection ?? named.stage}/${explanation.id}`;
  const blocks = explanation.stages.map((stage) => blockOf(stage, seen, console));
  const next = nextOf(named, explanation.stages);
  const told = explanation.stages.some(({ sentence }) => explanation.sentence.endsWith(sentence));
  return [
    colors.bold(shorten(oneLine(title), columns)),
    ...(told ? [] : [wrap(withRelative(explanation.sentence, now), columns)]),
    ...blocks.flatMap((block) => ["", block]),
    ...seen.notes.flatMap((note) => ["", showNote(note, now, console)]),
    "",
    `${next ? `Next:  ${next.command}` : "Next:  nothing to do."}`,
    `Story: headway trace ${namingWords(named)}`,
  ].join("\n");
}

const labelWidth = 10;

function blockOf(
  stage: StageExplanation,
  { breakers, policies, now, named }: Seen,
  console: Console,
): string {
  const { columns } = console;
  const group =
    stage.group !== null && stage.group !== named.id ? ` of the group "${oneLine(stage.group)}"` : "";
  const rows: (readonly [label: string, text: string])[] = [
    ["why", withRelative(whyOf(stage), now)],
    ["next", withRelative(stage.next.what, now)],
    ["made", madeText(stage)],
    ["finding", stage.result?.finding ?? ""],
    ["attempts", attemptsText(stage, policies, now)],
    ["fault", stage.fault ? `${stage.fault.code} (${stage.fault.kind}): ${stage.fault.message}` : ""],
    ["fix", stage.fix ?? ""],
    ["breaker", breakerText(stage, breakers, now)],
    ["members", membersText(stage)],
    ["differs", differsText(stage)],
    [
      "dead",
      stage.deadLetter !== null
        ? `letter ${stage.deadLetter}${stage.retrySuggested ? "; newer code has come: retry suggested" : ""}`
        : "",
    ],
  ];
  const shown = rows
    .filter(([, text]) => text !== "")
    .map(([label, text]) => {
      const wrapped = wrap(shorten(oneLine(text), 600), columns, " ".repeat(labelWidth + 2));
      return `  ${pad(label, labelWidth)}${wrapped.trimStart()}`;
    });
  return [
    `${markOf(stage, console)} ${console.colors.bold(stage.stage)}${group}: ${stage.because}`,
    ...shown,
  ].join("\n");
}

/** The sentence without the next step, which has a line of its own. */
const whyOf = ({ sentence, next }: StageExplanation): string =>
  sentence.endsWith(next.what) ? sentence.slice(0, sentence.length - next.what.length) : sentence;

function markOf({ state, stale, because }: StageExplanation, { colors }: Console): string {
  if (state === "dead") return colors.red("✗");
  if (state === "done")
    return stale.length > 0 || because === "unexpected" ? colors.yellow("~") : colors.green("✓");
  return colors.yellow("…");
}

/** Facts of the stored result. */
function madeText({ result }: StageExplanation): string {
  if (!result) return "";
  const { attemptMs, batch, calls, outputs } = result;
  const parts = [
    showCount(outputs, "output"),
    attemptMs === null ? "" : `in ${showSpan(attemptMs)}`,
    batch > 1 ? `by an attempt on ${batch} documents` : "",
  ];
  return `${parts.filter((part) => part !== "").join(" ")}${calls ? `; ${callsText(calls)}` : ""}`;
}

/** Origin of the attempt limit: an operator, the code, or unknown here. */
const limitFrom = (
  { stage, fault }: StageExplanation,
  policies: readonly PolicyInForce[],
): PolicyInForce["from"] =>
  policies.find((one) => one.stage === stage && one.kind === (fault?.kind ?? "transient"))?.from ?? "default";

function attemptsText(stage: StageExplanation, policies: readonly PolicyInForce[], now: Date): string {
  const { attemptCount, limit, lastAttemptTime } = stage;
  const known = limitFrom(stage, policies) !== "default" || stage.fault?.kind === "permanent";
  const used = known
    ? `${attemptCount} of ${limit} used`
    : `${attemptCount} used; ${limit} unless its code, which is not here, says otherwise`;
  return lastAttemptTime ? `${used}; the last ${showRelative(lastAttemptTime, now)}` : used;
}

function breakerText({ breaker }: StageExplanation, breakers: readonly DependencyRow[], now: Date): string {
  const open = breakers.find(({ name }) => name === breaker);
  if (!open) return breaker ? `${breaker} is down` : "";
  const cause = open.fault ? `: ${open.fault.code}, ${open.fault.message}` : "";
  return `${open.name} is down since ${showWhen(open.since, now)}, probed ${open.probes} times, next ${showRelative(open.probeAt, now)}${cause}`;
}

function membersText({ members }: StageExplanation): string {
  if (!members) return "";
  const { total, pending, dead } = members;
  return `${total} in all, ${pending} not through the stages before, ${dead} dead there`;
}

/** Changed parts of the completion marker, with old and new values. */
function differsText({ stale, made, newest }: StageExplanation): string {
  const parts = stale.map((part) => {
    if (part === "version") return `version: made with ${made?.version}, now ${newest?.version}`;
    if (part === "model") return `model: made with ${made?.model || "none"}, now ${newest?.model || "none"}`;
    return part === "asked for" ? "somebody asked for it anew" : part;
  });
  return parts.join("; ");
}
