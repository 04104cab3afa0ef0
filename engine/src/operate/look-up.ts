import { DefinitionError } from "../define/definition-error.ts";
import { isLarge } from "../store/ledger.ts";
import { findNamed, findPrefixed, findSimilar, type NamedRow, type Places } from "../store/look-up.ts";
import { type Directory, type Operating, readDirectory } from "./context.ts";

/** A possible meaning of a typed name. */
export interface Named {
  readonly subject: number;
  /** Null for a group. */
  readonly collection: string | null;
  /** The fan-in stage of a group; null for a document. */
  readonly stage: string | null;
  readonly id: string;
}

/** Documents and groups of a name, and near names if there are none. */
export interface LookedUp {
  readonly found: readonly Named[];
  /** For an unknown name: the nearest names, best first. */
  readonly near: readonly Named[];
}

const candidatesMax = 300;
const nearMax = 5;
const neighboursMax = 100;

/**
 * Finds documents and groups by human names: an id, a key, or `collection/id` as in the audit. Searches one
 * collection, or the groups of one stage, if given.
 */
export async function lookUp(
  context: Operating,
  name: string,
  given: { readonly collection?: string | undefined; readonly stage?: string | undefined } = {},
): Promise<LookedUp> {
  const { database } = context;
  if (name === "") throw new DefinitionError("A document has a name: the id is empty.");
  const directory = await readDirectory(context);
  const places = placesOf(directory, given);
  const exact = await findNamed(database, name, places);
  const found = exact.length > 0 ? exact : await findQualified(context, directory, name, places);
  if (found.length > 0) return { found: found.map((row) => toNamed(row, directory)), near: [] };
  const similar = (await isLarge(database))
    ? await findNeighbours(context, name, places)
    : await findSimilar(database, name, places, candidatesMax);
  return { found: [], near: nearest(name, similar).map((row) => toNamed(row, directory)) };
}

/**
 * Names that share their beginning with an unknown name, the longest beginning first: a range of an index each. Among
 * many documents, a mistake at the very beginning finds nothing.
 */
async function findNeighbours({ database }: Operating, name: string, places: Places): Promise<NamedRow[]> {
  const plain = [...name];
  for (const share of [1, 0.85, 0.7, 0.5]) {
    const prefix = plain.slice(0, Math.ceil(plain.length * share)).join("");
    const found = await findPrefixed(database, prefix, places, neighboursMax);
    if (found.length > 0) return found;
  }
  return [];
}

function placesOf(
  directory: Directory,
  { collection, stage }: { collection?: string | undefined; stage?: string | undefined },
): Places {
  const everything = collection === undefined && stage === undefined;
  const ids = (rows: readonly { readonly id: number }[]) => rows.map((one) => one.id);
  return {
    collections:
      collection !== undefined
        ? [directory.collection(collection).id]
        : everything
          ? ids(directory.collections)
          : [],
    stages:
      stage !== undefined
        ? [directory.stage(stage).id]
        : everything
          ? ids(directory.stages.filter((one) => one.shape === "fan-in"))
          : [],
  };
}

/** `letters/box-one`: the part before the first slash is a collection or a stage. */
async function findQualified(
  { database }: Operating,
  directory: Directory,
  name: string,
  places: Places,
): Promise<NamedRow[]> {
  const slash = name.indexOf("/");
  if (slash < 0) return [];
  const within = name.slice(0, slash);
  const called = (
    things: readonly { readonly id: number; readonly name: string }[],
    among: readonly number[],
  ) => things.filter((one) => one.name === within && among.includes(one.id)).map((one) => one.id);
  const narrowed = {
    collections: called(directory.collections, places.collections),
    stages: called(directory.stages, places.stages),
  };
  return await findNamed(database, name.slice(slash + 1), narrowed);
}

const toNamed = (row: NamedRow, directory: Directory): Named => ({
  subject: row.subject,
  collection: row.collection === null ? null : directory.collectionName(row.collection),
  stage: row.stage === null ? null : directory.stageName(row.stage),
  id: row.id,
});

/** Names that contain the typed name first, then names by edit distance; unrelated names are left out. */
function nearest(name: string, candidates: readonly NamedRow[]): NamedRow[] {
  const wanted = name.toLowerCase();
  const farthest = Math.max(2, Math.ceil(name.length / 3));
  const same = candidates.filter(({ id }) => id.toLowerCase() === wanted);
  if (same.length > 0) return same.slice(0, nearMax);
  return candidates
    .map((row) => {
      const id = row.id.toLowerCase();
      return { row, distance: id.includes(wanted) ? 0 : editDistance(wanted, id) };
    })
    .filter(({ distance }) => distance <= farthest)
    .sort((a, b) => a.distance - b.distance || a.row.id.length - b.row.id.length)
    .slice(0, nearMax)
    .map(({ row }) => row);
}

const comparedMax = 200;

/** Number of inserted, removed or changed characters. */
export function editDistance(a: string, b: string): number {
  const [from, to] = [a.slice(0, comparedMax), b.slice(0, comparedMax)];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, (row[j - 1] as number) + same));
    }
    row = next;
  }
  return row[to.length] as number;
}

/** The name nearest to a misspelt one; null: none is near. */
export function nearestName(name: string, names: readonly string[]): string | null {
  const farthest = Math.max(2, Math.floor(name.length / 5));
  const [best] = names
    .map((one) => ({ one, distance: editDistance(name, one) }))
    .filter(({ distance }) => distance <= farthest)
    .sort((a, b) => a.distance - b.distance);
  return best?.one ?? null;
}
