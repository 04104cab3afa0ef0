import type { Fault } from "../decide/fault.ts";
import { canonicalJson, contentHash } from "../decide/hash.ts";
import { decideRestore, type Restoring } from "../decide/restore.ts";
import { storableJson } from "../decide/text.ts";
import type { Queryable } from "../store/database.ts";
import {
  type KeptFault,
  type KeptLetter,
  lockPlaces,
  type PlaceRow,
  restoreLetters,
} from "../store/restore-letters.ts";
import { type DryRun, type Operating, perform, record } from "./context.ts";

/** Outcome of importing dead letters. */
export interface ImportedDead {
  readonly restored: number;
  /** Present as exported. */
  readonly unchanged: number;
  readonly refused: number;
  readonly dryRun: boolean;
}

/** A line of an import that was refused, with its reason. */
export interface RefusedLetter {
  /** Counted from 1. */
  readonly line: number;
  readonly letter: string;
  readonly because: string;
}

/** Reason and dry run of an import. */
export interface ImportOptions extends DryRun {
  /** The reason, for the audit. */
  readonly why?: string;
  /** Called for each letter that cannot be restored. */
  readonly onRefused?: (refused: RefusedLetter) => void;
}

const importPage = 50;

/**
 * Restores content of purged dead letters from an export. Documents are not touched, and no new dead letter is made.
 * Page by page; after an interruption, repeat to finish.
 */
export async function importDead(
  context: Operating,
  lines: AsyncIterable<unknown> | Iterable<unknown>,
  { dryRun = false, why, onRefused = () => undefined }: ImportOptions = {},
): Promise<ImportedDead> {
  const total = { restored: 0, unchanged: 0, refused: 0 };
  const refuse = (line: number, letter: string, because: string) => {
    total.refused += 1;
    onRefused({ line, letter, because });
  };
  const finish = async (page: readonly Read[]) => {
    if (page.length === 0) return;
    const moves = await perform(context, (tx) => importSome(tx, context, page, { dryRun, why }));
    for (const [index, move] of moves.entries()) {
      const { line, letter } = page[index] as Read;
      if (move.kind === "restore") total.restored += 1;
      else if (move.kind === "unchanged") total.unchanged += 1;
      else refuse(line, `${letter.stage}/${letter.document}`, move.because);
    }
  };
  let page: Read[] = [];
  let line = 0;
  for await (const given of lines) {
    line += 1;
    const letter = readLetter(given);
    if (typeof letter === "string") refuse(line, "", letter);
    else page.push({ line, letter });
    if (page.length < importPage) continue;
    await finish(page);
    page = [];
  }
  await finish(page);
  return { ...total, dryRun };
}

interface Read {
  readonly line: number;
  readonly letter: ReadLetter;
}

async function importSome(
  tx: Queryable,
  context: Operating,
  page: readonly Read[],
  { dryRun, why }: { dryRun: boolean; why: string | undefined },
): Promise<Restoring[]> {
  const rows = await lockPlaces(
    tx,
    page.map((one) => one.letter),
  );
  const taken = new Set<number>();
  const moves = page.map(({ letter }, index): Restoring => {
    const row = rows[index] as PlaceRow;
    const move = decide(row, letter);
    if (move.kind !== "restore") return move;
    // The same letter twice in a file.
    if (taken.has(row.letter as number)) return { kind: "unchanged" };
    taken.add(row.letter as number);
    return move;
  });
  const kept = page.flatMap(({ letter }, index): KeptLetter[] =>
    moves[index]?.kind === "restore" ? [{ ...letter, letter: rows[index]?.letter as number }] : [],
  );
  if (dryRun || kept.length === 0) return moves;
  await restoreLetters(tx, kept);
  const detail = { letters: kept.map((one) => one.letter) };
  await record(tx, context, { act: "dead.import", target: "dead letters of an export", why, detail });
  return moves;
}

function decide(row: PlaceRow, exported: ReadLetter): Restoring {
  const letter = row.letter !== null &&
    row.died_at !== null && {
      diedAt: row.died_at,
      fingerprint: row.fingerprint ?? "",
      purged: row.closed_as === "purged",
    };
  const facts = {
    stageKnown: row.stage !== null,
    documentThere: row.subject !== null,
    owed: row.owed,
    letter: letter || null,
  };
  const move = decideRestore(facts, {
    ...exported,
    fingerprint: exported.fault.fingerprint,
    purged: exported.closedAs === "purged",
  });
  const { input, collection } = exported;
  if (move.kind !== "restore" || input === null || collection === null || !row.input_hash) return move;
  const same = contentHash(canonicalJson(input)).equals(row.input_hash);
  return same ? move : { kind: "refuse", because: "its input is not the one that died" };
}

/** One line of an export, checked. */
interface ReadLetter extends Omit<KeptLetter, "letter"> {
  readonly stage: string;
  readonly collection: string | null;
  readonly document: string;
  readonly diedAt: Date;
}

/** Parses a line, or describes its problem: files are edited, cut off and mixed up. */
function readLetter(line: unknown): ReadLetter | string {
  if (typeof line !== "object" || line === null) return "it is not a dead letter of an export";
  const given = line as Record<string, unknown>;
  const { stage, document, input = null, collection = null, faults, fault, request } = given;
  const diedAt = readMoment(given.died_at);
  const history = Array.isArray(faults) ? faults.map((one) => readFault(one, String(request))) : null;
  if (typeof stage !== "string" || typeof document !== "string" || !diedAt)
    return "it lacks a stage, a document or a time";
  if (collection !== null && typeof collection !== "string") return "its collection is not a name";
  if (typeof input !== "object") return "its input is not a document";
  if (!isFault(fault) || !history || history.includes(null)) return "its faults are damaged";
  if (!isStorable(line)) return "it contains what no export can contain";
  return {
    stage,
    collection,
    document,
    diedAt,
    input,
    fault,
    faults: history as KeptFault[],
    closedAt: readMoment(given.closed_at),
    closedAs: typeof given.closed_as === "string" ? given.closed_as : null,
    closedBy: typeof given.closed_by === "string" ? given.closed_by : null,
  };
}

function isStorable(line: object): boolean {
  try {
    return storableJson(line).replaced === 0;
  } catch {
    // Nested deeper than any stored value.
    return false;
  }
}

function readFault(given: unknown, request: string): KeptFault | null {
  if (typeof given !== "object" || given === null) return null;
  const {
    attempt,
    fault,
    version,
    worker,
    correlation_id: correlationId,
    at,
  } = given as Record<string, unknown>;
  const moment = readMoment(at);
  if (!Number.isInteger(attempt) || !isFault(fault) || typeof correlationId !== "string" || !moment)
    return null;
  const own = [correlationId, `req_${request}`].flatMap((text) => requestOf.exec(text)?.[1] ?? [])[0];
  if (own === undefined) return null;
  return {
    attempt: Math.min(attempt as number, 32_767),
    fault,
    version: typeof version === "string" ? version : null,
    worker: Number.isSafeInteger(worker) ? (worker as number) : null,
    request: own,
    correlationId,
    at: moment,
  };
}

const requestOf = /^req_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/;

function isFault(given: unknown): given is Fault {
  if (typeof given !== "object" || given === null) return false;
  const { kind, code, fingerprint, message } = given as Record<string, unknown>;
  return [kind, code, fingerprint, message].every((one) => typeof one === "string");
}

function readMoment(given: unknown): Date | null {
  const moment = typeof given === "string" ? new Date(given) : null;
  return moment && !Number.isNaN(moment.getTime()) ? moment : null;
}
