import { type Piece, parsePattern } from "./parse-pattern.ts";

/** The positions of a pattern and their successors, by Glushkov's construction: no step without a character. */
export interface Automaton {
  /** For each position the accepted characters, as indices of the alphabet. */
  readonly takes: readonly ReadonlySet<number>[];
  readonly follows: readonly ReadonlySet<number>[];
  /** The search for a place to begin: position 0 when the pattern may begin anywhere. */
  readonly searches: boolean;
  readonly first: ReadonlySet<number>;
  /** What must hold between two characters for the pattern to begin at a position. */
  readonly guards: ReadonlyMap<number, string>;
  readonly alphabet: readonly string[];
  /** Positions that follow themselves in two ways, as in `(a+)*`: each repetition doubles the ways. */
  readonly doubled: ReadonlySet<number>;
}

interface Part {
  readonly nullable: boolean;
  readonly first: ReadonlySet<number>;
  readonly last: ReadonlySet<number>;
  readonly guards: ReadonlyMap<number, string>;
  /** The conditions under which this part is passed without a character. */
  readonly passing: string;
  /** Last positions behind which no condition is left. */
  readonly ends: ReadonlySet<number>;
}

const nothing: Part = {
  ...{ nullable: true, first: new Set<number>(), last: new Set<number>() },
  ...{ guards: new Map(), passing: "", ends: new Set<number>() },
};
const union = (...sets: readonly ReadonlySet<number>[]) => new Set(sets.flatMap((set) => [...set]));

/** More copies of a bounded repetition than this behave alike. */
const copiesMax = 2;

/**
 * Positions after a complete match are left out: a successful search ends there, and only failing searches try
 * everything.
 */
export function makeAutomaton({ source, flags }: { source: string; flags: string }): Automaton {
  const tree = parsePattern(source);
  const alphabet = alphabetOf(tree, source, flags);
  const takes: Set<number>[] = [new Set(alphabet.keys())];
  const follows: Set<number>[] = [new Set()];
  const doubled = new Set<number>();
  const connect = (from: ReadonlySet<number>, to: ReadonlySet<number>) => {
    for (const one of from) for (const next of to) follows[one]?.add(next);
  };
  const join = (left: Part, right: Part): Part => {
    connect(left.last, right.first);
    return {
      nullable: left.nullable && right.nullable,
      first: left.nullable ? union(left.first, right.first) : left.first,
      last: right.nullable ? union(left.last, right.last) : right.last,
      ends: right.nullable && right.passing === "" ? union(left.ends, right.ends) : right.ends,
      guards: left.nullable ? merge(left.guards, [...right.guards], left.passing) : left.guards,
      passing: left.passing + right.passing,
    };
  };
  const build = (piece: Piece): Part => {
    switch (piece.kind) {
      case "condition":
        return { ...nothing, passing: piece.source };
      case "atom": {
        const position = takes.push(charactersOf(piece.source, flags, alphabet)) - 1;
        follows.push(new Set());
        const own = new Set([position]);
        return {
          ...nothing,
          nullable: false,
          first: own,
          last: own,
          ends: own,
          guards: new Map([[position, ""]]),
        };
      }
      case "sequence":
        return piece.pieces.map(build).reduce(join, nothing);
      case "choice":
        return piece.pieces.map(build).reduce((left, right) => ({
          nullable: left.nullable || right.nullable,
          first: union(left.first, right.first),
          last: union(left.last, right.last),
          ends: union(left.ends, right.ends),
          guards: merge(left.guards, [...right.guards], ""),
          passing: left.nullable && right.nullable ? "" : left.nullable ? left.passing : right.passing,
        }));
      case "look": {
        const { first, guards } = build(piece.piece);
        // Only what looks back can be told from two characters.
        const passing = piece.source.startsWith("(?<") ? piece.source : "(?:)";
        return { ...nothing, first, guards, passing };
      }
      case "repeat":
        return repeat(piece);
    }
  };
  const repeat = ({ piece, least, most }: Extract<Piece, { kind: "repeat" }>): Part => {
    const copies: Part[] = [];
    const endless = most === Number.POSITIVE_INFINITY;
    const count = endless ? Math.max(1, Math.min(least, copiesMax)) : Math.min(most, copiesMax);
    for (let copy = 0; copy < count; copy++) {
      const part = build(piece);
      copies.push(copy >= Math.min(least, copiesMax) ? { ...part, nullable: true, passing: "" } : part);
    }
    const last = copies.at(-1);
    if (endless && last) {
      for (const one of last.last)
        if ([...last.first].some((next) => follows[one]?.has(next))) doubled.add(one);
      connect(last.last, last.first);
    }
    return copies.reduce(join, nothing);
  };
  const whole = build(tree);
  const anchored = beginsAtStart(tree) && !flags.includes("m");
  const searches = !anchored && !flags.includes("y");
  const live = (set: ReadonlySet<number>) =>
    new Set([...set].filter((position) => !whole.ends.has(position)));
  // What matches nothing at once never searches on.
  const first = whole.nullable && whole.passing === "" ? new Set<number>() : live(whole.first);
  if (searches) for (const position of [0, ...first]) follows[0]?.add(position);
  return { takes, follows: follows.map(live), searches, first, guards: whole.guards, alphabet, doubled };
}

function merge(
  left: ReadonlyMap<number, string>,
  right: readonly (readonly [number, string])[],
  before: string,
): Map<number, string> {
  return new Map([...left, ...right.map(([position, guard]) => [position, before + guard] as const)]);
}

/** Whether each way to match begins with `^`. */
function beginsAtStart(piece: Piece): boolean {
  switch (piece.kind) {
    case "condition":
      return piece.source === "^";
    case "sequence": {
      const lead = piece.pieces.find((each) => each.kind !== "look");
      return lead !== undefined && beginsAtStart(lead);
    }
    case "choice":
      return piece.pieces.every(beginsAtStart);
    case "repeat":
      return piece.least > 0 && beginsAtStart(piece.piece);
    default:
      return false;
  }
}

const usual = [
  ..."aeZ059_ \t\n\r\f.,;:!?()[]<>{}@/\\\"'`#$%&*+-=^|~\u00a0\u00e9\u0130\u0416\u4e2d\u0660\u20ac\u0301\u200b\ud83d\ude00\u0001\u007f",
];

/** One character for each class distinguished by the pattern. */
function alphabetOf(tree: Piece, source: string, flags: string): string[] {
  const atoms = atomsOf(tree).map((atom) => compile(atom, flags));
  const kinds = new Map<string, string>();
  for (const character of new Set([...usual, ...source, "\u{1f600}"])) {
    const kind = atoms.map((atom) => (atom.test(character) ? "1" : "0")).join("");
    if (!kinds.has(kind)) kinds.set(kind, character);
  }
  return [...kinds.values()];
}

function atomsOf(piece: Piece): string[] {
  if (piece.kind === "atom") return [piece.source];
  if (piece.kind === "condition") return [];
  const inner = "pieces" in piece ? piece.pieces : [piece.piece];
  return [...new Set(inner.flatMap(atomsOf))];
}

const compile = (atom: string, flags: string): RegExp =>
  new RegExp(`^(?:${atom})$`, flags.replace(/[gyd]/g, ""));

function charactersOf(atom: string, flags: string, alphabet: readonly string[]): Set<number> {
  const pattern = compile(atom, flags);
  return new Set([...alphabet.keys()].filter((index) => pattern.test(alphabet[index] as string)));
}
