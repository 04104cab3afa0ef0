import type { Difference, Drilled, DrilledStage } from "@headway/engine/testing";
import { type Console, oneLine, shorten, showCount, showNumber, table, wrap } from "../terminal.ts";

/** The report of a drill, for people. */
export function tellDrilled(drilled: Drilled, name: string, console: Console): void {
  const { stages, unexplained, ok, places, points, documents } = drilled;
  const { green, red } = console.colors;
  console.write(`${table(stages, columns, console.columns)}\n`);
  for (const stage of stages) for (const line of remarks(stage)) console.write(`${wrapped(line, console)}\n`);
  for (const line of unexplained)
    console.write(`${wrapped(`No stage is answerable for this, so please report it: ${line}`, console)}\n`);
  const where = `killed at ${showNumber(points)} of ${showCount(places, "place")}, with ${showCount(documents, "document")}`;
  const bad = stages.filter(({ same }) => !same).map(({ stage }) => stage);
  const verdict = ok
    ? green(`${name} comes to the same result wherever it is killed`)
    : red(`${name} does not come to the same result: ${bad.join(", ") || "see above"}`);
  console.write(`\n${verdict} (${where}).\n`);
}

const columns = [
  { title: "STAGE", of: ({ stage }: DrilledStage) => stage },
  { title: "KILLED", of: ({ points }: DrilledStage) => showNumber(points), align: "right" as const },
  { title: "DONE AGAIN", of: ({ again }: DrilledStage) => showNumber(again), align: "right" as const },
  { title: "SAME RESULT", of: (line: DrilledStage) => verdictOf(line) },
  { title: "FIRST DIFFERENCE", of: ({ first }: DrilledStage) => (first ? brief(first) : ""), flexible: true },
];

const verdictOf = ({ same, runs }: DrilledStage) => (same ? (runs === 0 ? "not tried" : "yes") : "NO");

const brief = ({ document, output, field }: Difference) =>
  [document, output, field].filter((part) => part !== null && part !== "").join(" → ");

/** Remarks about a stage. */
function remarks({ stage, first, runs, dead, differing, calledAgain, fickle }: DrilledStage): string[] {
  const lines: string[] = [];
  if (first)
    lines.push(
      `${stage} is not idempotent: ${contrast(first)} (${first.point}; ${showCount(differing, "run")} in all).`,
    );
  if (runs === 0) lines.push(`${stage} had nothing to do: add a document that reaches it.`);
  if (dead > 0) lines.push(`${stage} has ${showCount(dead, "dead letter")} even if nothing is killed.`);
  for (const method of fickle)
    lines.push(
      `${stage} hangs on ${method}, which answers the same question otherwise each time: so does what it makes of that, and it is not blamed.`,
    );
  for (const { method, times, keyed } of calledAgain)
    lines.push(
      keyed
        ? `${stage} called ${method} again with the same idempotencyKey (${showCount(times, "time")}): whoever is called can tell.`
        : `${stage} called ${method} again with the same arguments (${showCount(times, "time")}): if it acts on the outside, give it the idempotencyKey.`,
    );
  return lines;
}

function contrast({ document, output, field, was, is }: Difference): string {
  if (output === null) return `${document} was ${show(was)}, and another time ${show(is)}`;
  if (was === null) return `of ${document} it made ${output} only another time`;
  if (is === null) return `of ${document} it made ${output}, and another time not`;
  return field === "id"
    ? `of ${document} it made ${output}, and another time ${show(is)}`
    : `of ${document} it made ${output} with ${field} ${show(was)}, and another time with ${show(is)}`;
}

const show = (value: unknown): string =>
  value === null || value === undefined
    ? "nothing"
    : shorten(oneLine(typeof value === "string" ? value : JSON.stringify(value)), 60);

const wrapped = (line: string, console: Console) => `• ${wrap(line, console.columns, "  ").trimStart()}`;
