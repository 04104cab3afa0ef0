import { type Aside, type Position, quoteFrom, type Span, type Vote } from "./findings.ts";
import { mayHear } from "./heard.ts";
import { nameOf } from "./people.ts";
import type { PostReading } from "./read-post.ts";

const strengthMin = 0.4;
const asidesMax = 40;

/** "I agree" to a person without a side in the question: shown beside it, and counted nowhere. */
export function findAsides(
  readings: readonly PostReading[],
  positions: readonly Position[],
  votes: readonly Vote[],
): readonly Aside[] {
  const taken = new Set(
    [...positions.filter(({ stance }) => stance !== "question"), ...votes].map(({ message }) => message),
  );
  const authors = new Map(readings.map(({ post, author }) => [post.id, author]));
  return readings
    .flatMap((reading): Aside[] => {
      const { post, author, call, declared } = reading;
      const other = post.parent === null ? undefined : authors.get(post.parent);
      if (taken.has(post.id) || call !== null || declared !== null) return [];
      if (other === undefined || other === author || nameOf(other) === "") return [];
      const said = plainAgreement(reading) ?? heardAgreement(reading);
      return said === null
        ? []
        : [{ by: author, with: other, agrees: said.lean > 0, ...quoteFrom(post, said.span) }];
    })
    .slice(0, asidesMax);
}

/** The trained reader, from a precision of 0.85 on lists not trained on. */
function heardAgreement(reading: PostReading): { readonly lean: number; readonly span: Span } | null {
  const { heard } = reading;
  if (heard === null) return null;
  const lean = heard.agrees.probability >= heard.disagrees.probability ? 1 : -1;
  const louder = lean > 0 ? heard.agrees : heard.disagrees;
  if (!louder.isSure || !mayHear(reading, louder, { lean, isMeant: () => true })) return null;
  return { lean, span: louder.span };
}

/** Words of agreement with the answered person, or a bare +1; not praise of a thing. */
function plainAgreement({ signals, votes }: PostReading): {
  readonly lean: number;
  readonly span: Span;
} | null {
  const signal = signals.find(
    ({ relation, lean, strength }) => relation?.to === null && lean !== 0 && strength >= strengthMin,
  );
  if (signal !== undefined) return signal;
  const [vote] = votes;
  return votes.length === 1 && vote !== undefined && Math.abs(vote.value) === 1
    ? { lean: vote.value, span: vote.span }
    : null;
}
