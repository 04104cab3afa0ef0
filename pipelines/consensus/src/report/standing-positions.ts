import type { DocumentOf } from "@headway/engine";
import type { positions } from "../collections.ts";
import { type PersonKey, plainKey } from "./person-key.ts";

type Position = DocumentOf<typeof positions>;

/** A person's current stance, with earlier stances. */
export interface StandingPosition<Citation> {
  readonly person: Position["person"];
  readonly stance: Position["stance"];
  readonly since: string | null;
  readonly citation: Citation;
  /** The matching rule, in words. */
  readonly because: string;
  /** Latest first. */
  readonly earlier: readonly {
    readonly stance: Position["stance"];
    readonly since: string | null;
    readonly citation: Citation;
    readonly because: string;
  }[];
}

const stances: readonly Position["stance"][] = ["support", "object", "question", "neutral"];

/** One position per person and question: the current, with the replaced positions. Positions without a citation are left out. */
export function standingPositions<Citation>(
  all: readonly Position[],
  cite: (position: Position) => readonly Citation[],
  keyOf: PersonKey = plainKey,
): readonly StandingPosition<Citation>[] {
  const people = new Map<string, { readonly position: Position; readonly citation: Citation }[]>();
  for (const position of all) {
    const [citation] = cite(position);
    if (citation === undefined) continue;
    const key = `${position.question ?? 1} ${keyOf(position.person)}`;
    const known = people.get(key);
    if (known === undefined) people.set(key, [{ position, citation }]);
    else known.push({ position, citation });
  }
  return [...people.values()]
    .flatMap((held) => {
      const [latest, ...earlier] = held.sort((a, b) => compareAge(b.position, a.position));
      if (latest === undefined) return [];
      return [{ person: latest.position.person, ...said(latest), earlier: earlier.map(said) }];
    })
    .sort((a, b) => stances.indexOf(a.stance) - stances.indexOf(b.stance));
}

const said = <Citation>({
  position,
  citation,
}: {
  readonly position: Position;
  readonly citation: Citation;
}) => ({
  stance: position.stance,
  since: position.at,
  citation,
  because:
    position.question === undefined
      ? position.because
      : `on question ${position.question}: ${position.because}`,
});

/** A replaced position is older than the current, regardless of the senders' clocks. */
function compareAge(a: Position, b: Position): number {
  if ((a.supersededBy === null) !== (b.supersededBy === null)) return a.supersededBy === null ? 1 : -1;
  const [one, other] = [`${a.at ?? ""} ${a.id}`, `${b.at ?? ""} ${b.id}`];
  return one < other ? -1 : one > other ? 1 : 0;
}
