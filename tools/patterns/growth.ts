import { type Automaton, makeAutomaton } from "./automaton.ts";

/**
 * A text whose repetition takes a pattern more than linear time, or null.
 *
 * Looks for two loops p and q with a common word from p to p, from p to q and from q to q (Weber and Seidl's criterion):
 * n repetitions can be divided between the loops in n ways, all tried by a failing search. The search for a start
 * position is such a loop, too.
 */
export function repeatedTrouble(pattern: { source: string; flags: string }): string | null {
  const automaton = makeAutomaton(pattern);
  const mayBegin = beginnings(automaton, pattern.flags);
  const loops = loopsOf(automaton.follows);
  const reached = reachable(automaton);
  const inLoop = [...loops.keys()].filter((position) => reached.has(position));
  const twice = inLoop.find((position) => automaton.doubled.has(position));
  if (twice !== undefined) return automaton.alphabet[[...(automaton.takes[twice] ?? [])][0] ?? 0] ?? "";
  for (const p of inLoop)
    for (const q of inLoop) {
      if (p === q || (p !== 0 && !reaches(automaton.follows, p, q))) continue;
      const word = commonWord(automaton, { loops, mayBegin }, p, q);
      if (word !== null) return word;
    }
  return null;
}

/** Positions on a cycle, each with the number of its cycle. */
function loopsOf(follows: Automaton["follows"]): Map<number, number> {
  const loops = new Map<number, number>();
  for (const [position] of follows.entries()) {
    if (loops.has(position) || !reaches(follows, position, position)) continue;
    for (const [other] of follows.entries())
      if (reaches(follows, position, other) && reaches(follows, other, position)) loops.set(other, position);
  }
  return loops;
}

const closures = new WeakMap<Automaton["follows"], Map<number, ReadonlySet<number>>>();

function reaches(follows: Automaton["follows"], from: number, to: number): boolean {
  const known = closures.get(follows) ?? new Map<number, ReadonlySet<number>>();
  closures.set(follows, known);
  const closure = known.get(from) ?? closureOf(follows, follows[from] ?? new Set());
  known.set(from, closure);
  return closure.has(to);
}

function closureOf(follows: Automaton["follows"], start: ReadonlySet<number>): Set<number> {
  const found = new Set(start);
  for (const position of found) for (const next of follows[position] ?? []) found.add(next);
  return found;
}

const reachable = ({ follows, first, searches }: Automaton): Set<number> =>
  closureOf(follows, searches ? new Set([0, ...first]) : first);

type MayBegin = (position: number, before: string, character: string) => boolean;

/** Whether a search may begin at a position between two characters: `\b`, `^` and what looks back forbid most places. */
function beginnings({ guards }: Automaton, flags: string): MayBegin {
  const tests = new Map<string, RegExp>();
  const known = new Map<string, boolean>();
  return (position, before, character) => {
    const guard = guards.get(position) ?? "";
    // The character before the word's first is its last, still unknown: a longer word will do.
    if (guard === "" || before === "") return guard === "";
    const key = `${guard}\n${before}${character}`;
    const held = known.get(key);
    if (held !== undefined) return held;
    const test = tests.get(guard) ?? new RegExp(guard, `${flags.replace(/[gy]/g, "")}y`);
    tests.set(guard, test);
    test.lastIndex = before.length;
    const may = test.test(before + character);
    known.set(key, may);
    return may;
  };
}

interface Known {
  readonly loops: ReadonlyMap<number, number>;
  readonly mayBegin: MayBegin;
}

/** The word that leads (p, p, q) to (p, q, q), or null; breadth first, for a short word. */
function commonWord(automaton: Automaton, { loops, mayBegin }: Known, p: number, q: number): string | null {
  const { takes, follows, alphabet } = automaton;
  const size = follows.length;
  const key = (a: number, b: number, c: number, letter: number) =>
    ((b === 0 ? size + letter : b) * size + a) * size + c;
  const seen = new Set<number>();
  let front: { at: readonly [number, number, number]; word: string }[] = [{ at: [p, p, q], word: "" }];
  const next = (position: number, letter: number, loop: number | null) =>
    [...(follows[position] ?? [])].filter(
      (one) => takes[one]?.has(letter) && (loop === null || loops.get(one) === loop),
    );
  while (front.length > 0) {
    const after: typeof front = [];
    for (const { at, word } of front)
      for (const [letter, character] of alphabet.entries()) {
        const as = p === 0 ? [0] : next(at[0], letter, loops.get(p) as number);
        const cs = as.length === 0 ? [] : next(at[2], letter, loops.get(q) as number);
        const bs = cs.length === 0 ? [] : next(at[1], letter, null);
        const before = word.slice(-1);
        for (const b of bs) {
          if (!(b === q || reaches(follows, b, q))) continue;
          if (at[1] === 0 && b !== 0 && !mayBegin(b, before, character)) continue;
          for (const a of as)
            for (const c of cs) {
              if (a === p && b === q && c === q) return word + character;
              if (seen.has(key(a, b, c, letter))) continue;
              seen.add(key(a, b, c, letter));
              after.push({ at: [a, b, c], word: word + character });
            }
        }
      }
    front = after;
  }
  return null;
}
