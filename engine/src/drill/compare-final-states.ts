import type { Pipeline } from "../define/pipeline.ts";
import type { JsonObject, Stage } from "../define/stage.ts";
import type { Database } from "../store/database.ts";
import { type FinalLine, readBodies } from "../store/final-state.ts";
import type { Difference } from "./executions.ts";
import { firstDifference } from "./first-difference.ts";

/** The reference ending for comparisons. */
export interface KeptEnding {
  readonly lines: ReadonlyMap<string, FinalLine>;
  readonly bodies: ReadonlyMap<string, JsonObject>;
}

/** Counts of attempts and faults are no part of the result. */
const isResult = ({ kind }: FinalLine) => kind !== "tries" && kind !== "faults";

const textOf = ({ kind, subject, line }: FinalLine) =>
  `${kind} ${subject}: ${kind === "dead" ? line.replace(/ after \d+ attempts$/, "") : line}`;

const byText = (ending: readonly FinalLine[]) =>
  new Map(ending.filter(isResult).map((line) => [textOf(line), line]));

export async function keepEnding(db: Database, ending: readonly FinalLine[]): Promise<KeptEnding> {
  const names = ending.filter(({ kind }) => kind === "document").map(({ subject }) => subject);
  return { lines: byText(ending), bodies: await readBodies(db, names) };
}

/** The most upstream difference; differences further downstream may follow from this. */
export async function compareFinalStates(
  db: Database,
  kept: KeptEnding,
  ending: readonly FinalLine[],
  pipelines: readonly Pipeline[],
): Promise<(Difference & { readonly stage: string | null }) | null> {
  const lines = byText(ending);
  const missing = [...kept.lines].filter(([text]) => !lines.has(text)).map(([, line]) => line);
  const extra = [...lines].filter(([text]) => !kept.lines.has(text)).map(([, line]) => line);
  const depth = depthsOf(pipelines.flatMap(({ stages }) => stages));
  const rank = ({ stage, kind }: FinalLine) =>
    2 * (stage === null ? -1 : (depth.get(stage) ?? 0)) + (kind === "document" ? 0 : 1);
  const [first] = [...missing, ...extra].sort((a, b) => rank(a) - rank(b));
  if (!first) return null;
  const { stage, kind, subject } = first;
  const same = (line: FinalLine) => line.kind === kind && line.subject === subject;
  const [was, is] = [missing.find(same), extra.find(same)];
  if (kind !== "document" || !was || !is)
    return {
      stage,
      document: subject,
      output: null,
      field: null,
      was: was?.line ?? null,
      is: is?.line ?? null,
    };
  const bodies = await readBodies(db, [subject]);
  const found = firstDifference(kept.bodies.get(subject), bodies.get(subject));
  const [document = subject] = was.line.split(" from ").slice(1);
  return {
    stage,
    document,
    output: subject,
    field: found?.field ?? null,
    was: found?.was ?? was.line,
    is: found?.is ?? is.line,
  };
}

/** Length of the longest upstream path of each stage. */
function depthsOf(stages: readonly Stage[]): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  const depthOf = (stage: Stage): number => {
    const before = stages.filter((one) => one.writes.includes(stage.reads) || stage.after.includes(one));
    const depth = depths.get(stage.name) ?? Math.max(-1, ...before.map(depthOf)) + 1;
    depths.set(stage.name, depth);
    return depth;
  };
  for (const stage of stages) depthOf(stage);
  return depths;
}
