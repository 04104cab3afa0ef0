/** A name as a pipeline declares it. An index has no meaning of its own: its name says all. */
export interface Owned {
  readonly pipeline: string;
  readonly kind: "stage" | "collection" | "index" | "projection";
  readonly name: string;
  readonly meaning: StageMeaning | CollectionMeaning | ProjectionMeaning | null;
}

export interface StageMeaning {
  readonly shape: string;
  readonly reads: string;
  readonly writes: readonly string[];
}

export interface CollectionMeaning {
  readonly fields: readonly string[];
}

export interface ProjectionMeaning {
  readonly of: string;
  /** Name, type and expression of each column. */
  readonly columns: readonly (readonly [name: string, type: string, value: string])[];
  /** Access method and columns of each index. */
  readonly indexes: readonly (readonly [using: string, ...columns: string[]])[];
  /** An extension of PostgreSQL that its columns need. */
  readonly extension: string | null;
}

export type Ownership =
  | { readonly kind: "refused"; readonly sentence: string }
  | {
      readonly kind: "granted";
      readonly put: readonly Owned[];
      readonly drop: readonly Owned[];
      /** Stages that no pipeline declared for a while: documents may have come meanwhile. */
      readonly returned: readonly string[];
    };

const keyOf = ({ pipeline, kind, name }: Owned): string => JSON.stringify([pipeline, kind, name]);
const textOf = ({ meaning }: Owned): string => JSON.stringify(meaning && sorted(meaning));
const sorted = (meaning: object) =>
  Object.fromEntries(Object.entries(meaning).sort(([a], [b]) => (a < b ? -1 : 1)));

/**
 * Whether pipelines may use the names they declare in a database with these owners, and what has to be written down. A
 * pipeline may always change what is its own; a name of another pipeline may be shared if both mean the same.
 */
export function own(declared: readonly Owned[], owners: readonly Owned[]): Ownership {
  const pipelines = new Set(declared.map((one) => one.pipeline));
  const others = owners.filter((one) => one.pipeline !== "" && !pipelines.has(one.pipeline));
  for (const mine of declared) {
    const clash = others.find(
      (one) => one.kind === mine.kind && one.name === mine.name && !isSame(mine, one),
    );
    if (clash) return { kind: "refused", sentence: refusal(mine, clash) };
  }
  const wanted = new Map(declared.map((one) => [keyOf(one), one]));
  const known = new Map(owners.map((one) => [keyOf(one), one]));
  const put = [...wanted].filter(([key, one]) => {
    const before = known.get(key);
    return !before || textOf(before) !== textOf(one);
  });
  const isTaken = ({ kind, name }: Owned) => declared.some((one) => one.kind === kind && one.name === name);
  const drop = owners.filter(
    (one) =>
      (pipelines.has(one.pipeline) && !wanted.has(keyOf(one))) || (one.pipeline === "" && isTaken(one)),
  );
  const isOwned = (mine: Owned) => owners.some((one) => one.kind === mine.kind && one.name === mine.name);
  const returned = declared.filter((one) => one.kind === "stage" && !isOwned(one)).map((one) => one.name);
  return { kind: "granted", put: put.map(([, one]) => one), drop, returned };
}

/** Two declarations of a collection mean the same if one has all fields of the other: a field may be added. */
function isSame(a: Owned, b: Owned): boolean {
  if (!a.meaning || !b.meaning) return true;
  if (!("fields" in a.meaning) || !("fields" in b.meaning)) return textOf(a) === textOf(b);
  const [few, many] = [a.meaning.fields, b.meaning.fields].sort((x, y) => x.length - y.length);
  return (few ?? []).every((field) => many?.includes(field));
}

const refusal = (mine: Owned, theirs: Owned): string =>
  `The ${mine.kind} "${mine.name}" of pipeline "${mine.pipeline}" ${sayMeaning(mine)}, but in this database it belongs to ` +
  `pipeline "${theirs.pipeline}", where it ${sayMeaning(theirs)}: give one of them another name, or each pipeline a database ` +
  "or schema of its own.";

function sayMeaning({ meaning }: Owned): string {
  if (!meaning) return "means something else";
  if ("columns" in meaning)
    return `keeps ${meaning.columns.map(([name]) => name).join(", ")} of ${meaning.of}`;
  if ("fields" in meaning) return `has the fields ${meaning.fields.join(", ") || "none"}`;
  const groups = meaning.shape === "fan-in" ? "groups " : "reads ";
  return `${groups}${meaning.reads} and writes ${meaning.writes.join(", ") || "nothing"}`;
}
