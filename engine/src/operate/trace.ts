import type { StoredFacts } from "../decide/result-facts.ts";
import { DefinitionError } from "../define/definition-error.ts";
import {
  countStory,
  findFamily,
  readStory,
  type Scope,
  type TimelineKind,
  type TimelineRow,
  timelineKinds,
} from "../store/timeline.ts";
import { type Operating, readDirectory } from "./context.ts";
import { findTarget, type Target } from "./targets.ts";

/** A past entry, or a future entry: `waiting` lies ahead. */
export interface TraceLine {
  readonly at: Date;
  readonly kind: TimelineKind;
  /** `letters/box-one`, the name of a group, or the target of an act. */
  readonly subject: string;
  readonly stage: string | null;
  /** The failed attempt, or the number of attempts. */
  readonly attempts: number | null;
  /** Number of outputs of a done stage. */
  readonly outputs: number | null;
  readonly deadLetter: number | null;
  /** Source, stage, fault kind and code, event type, act, or worker. */
  readonly word: string | null;
  readonly text: string | null;
  /** Time from the document's arrival or change until the stage was done. */
  readonly tookMs: number | null;
  /** How the result of a done stage was made: time of the attempt, calls to services, a finding. */
  readonly made: StoredFacts | null;
}

/** A timeline: entries in order of time, with counts per kind. */
export interface Trace {
  readonly lines: readonly TraceLine[];
  /** Number of entries per kind, omitted entries included. */
  readonly counts: Readonly<Partial<Record<TimelineKind, number>>>;
  /** Some entries are omitted. */
  readonly cut: boolean;
}

export interface TraceOptions {
  readonly limit?: number;
  readonly kinds?: readonly TimelineKind[];
  readonly stage?: string | undefined;
}

const familyMax = 20_000;

/** The timeline of a request, or of a document with its ancestors and descendants. */
export async function trace(
  context: Operating,
  target: Target | { readonly request: string },
  { limit = 1_000, kinds = timelineKinds, stage }: TraceOptions = {},
): Promise<Trace> {
  const { database } = context;
  const directory = await readDirectory(context);
  const scope = await scopeOf(context, target);
  const filter = { kinds, ...(stage !== undefined && { stage: directory.stage(stage).id }) };
  const rows = await readStory(database, scope, { ...filter, limit: limit + 1 });
  const cut = rows.length > limit;
  const counted = cut ? await countStory(database, scope, filter) : countKinds(rows);
  return {
    lines: rows.slice(0, limit).map((row) => toLine(row, directory.stageName)),
    counts: Object.fromEntries(counted.map(({ kind, lines }) => [kind, lines])),
    cut,
  };
}

/** All rows are here: a second look at the database would count the same. */
const countKinds = (rows: readonly TimelineRow[]) =>
  timelineKinds
    .map((kind) => ({ kind, lines: rows.filter((row) => row.kind === kind).length }))
    .filter(({ lines }) => lines > 0);

async function scopeOf(context: Operating, target: Target | { readonly request: string }): Promise<Scope> {
  if ("request" in target) return { request: requestNumber(target.request) };
  const { row, directory } = await findTarget(context, target);
  const stages = directory.stages.map(({ id }) => id);
  return { subjects: await findFamily(context.database, row.subject, { stages, limit: familyMax }) };
}

/** `req_<uuid>` as in logs, with or without its suffix there. */
export function requestNumber(text: string): string {
  const match = /^(?:req_)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\.stage_.*)?$/i.exec(text);
  if (!match)
    throw new DefinitionError(`"${text}" is not a request: expected req_ and a UUID, as in the logs.`);
  return (match[1] as string).toLowerCase();
}

function toLine(row: TimelineRow, stageName: (number: number) => string): TraceLine {
  const { at, kind, name, stage, number, word, text, ms, made } = row;
  const done = kind === "done";
  return {
    at,
    kind,
    subject: name,
    stage: stage ? stageName(stage) : null,
    attempts: done ? Number(word) : ["fault", "claimed", "waiting"].includes(kind) ? number : null,
    outputs: done ? number : null,
    deadLetter: kind === "dead" || kind === "closed" ? number : null,
    word: done ? null : word,
    text: done && text !== null ? `version ${text}` : text,
    tookMs: ms,
    made,
  };
}
