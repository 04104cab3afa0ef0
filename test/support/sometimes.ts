/** Counts hard situations. A proof that never met a situation proved nothing about the situation, and fails. */
export interface Sometimes {
  add(what: string): void;
  readonly counts: ReadonlyMap<string, number>;
}

export function countSituations(situations: readonly string[]): Sometimes {
  const counts = new Map<string, number>(situations.map((what) => [what, 0]));
  return {
    counts,
    add(what) {
      const count = counts.get(what);
      if (count === undefined) throw new Error(`"${what}" is not on the list of hard situations.`);
      counts.set(what, count + 1);
    },
  };
}
