import type { Call, Decision, DecisionKind, Person, Position, Post, Weighed } from "./findings.ts";
import { judge } from "./level.ts";
import { meetPeople } from "./people.ts";
import { findQuestion } from "./question.ts";
import { type PostReading, readPosts } from "./read-post.ts";
import { followThrough } from "./standing.ts";

export type {
  Call,
  CallKind,
  Decision,
  DecisionKind,
  Level,
  Person,
  Position,
  Post,
  Question,
  Quoted,
  Stance,
  Tally,
  Vote,
  Weighed,
} from "./findings.ts";

/**
 * Who stands where in a thread, and what it came to. No model and no guessing: every finding quotes its words and
 * names its rule. The rules are data in these files:
 *
 * | what                                          | where                                                   |
 * |-----------------------------------------------|---------------------------------------------------------|
 * | which words are the author's own              | own-words.ts                                            |
 * | who is who                                    | people.ts                                               |
 * | how people say that they agree or object      | lexicon.ts and its tables; sentence-frame.ts for "not", |
 * |                                               | questions, mere ideas and what others said              |
 * | +1, -1, ballots; Acked-by, NAK, thumbs        | votes.ts, marks.ts                                      |
 * | the question, and who speaks to it            | question.ts                                             |
 * | what asks, what declares, and which numbers   | calls.ts, decisions.ts, declared-tally.ts               |
 * | which position stands when minds change       | standing.ts                                             |
 * | strong, rough, contested, none, undecided     | level.ts                                                |
 */
export function weigh(posts: readonly Post[]): Weighed {
  const people = meetPeople(posts);
  const readings = readPosts(posts, people);
  const calls = readings.flatMap(({ call, author }): Call[] =>
    call === null ? [] : [{ ...call, by: author }],
  );
  const question = findQuestion(readings, calls);
  const { positions, votes } = followThrough(readings, question);
  const declared = declarations(readings, calls, positions);
  const judged = judge({ posts, people: people.all, positions, votes, calls, question, declared });
  const decisions = declared.map(({ decision }) => decision);
  return { ...judged, positions, votes, decisions, calls, question };
}

/** A decision with its declared details. */
export interface Declaration {
  readonly decision: Decision;
  readonly isRough: boolean;
  readonly tally: Weighed["tally"];
}

const claimWeight = 0.4;

function declarations(
  readings: readonly PostReading[],
  calls: readonly Call[],
  positions: readonly Position[],
): readonly Declaration[] {
  const callers = new Set(calls.map(({ by }) => by));
  const supporters = new Set(
    positions.filter(({ stance }) => stance === "support").map(({ person }) => person),
  );
  const opener = readings[0]?.author;
  return readings.flatMap(({ declared, author }): Declaration[] => {
    if (declared === null) return [];
    const { isOfficial, isRough, tally, kind, ...quoted } = declared;
    const mayDeclare = isOfficial || isEntitled(kind, author, { callers, opener, supporters });
    const weight = mayDeclare ? 1 : claimWeight;
    return [{ decision: { kind, by: author, weight, ...quoted }, isRough, tally }];
  });
}

interface Roles {
  readonly callers: ReadonlySet<Person>;
  readonly opener: Person | undefined;
  readonly supporters: ReadonlySet<Person>;
}

/**
 * The caller may close; a change is merged by another person, or after another person's support; its author may
 * withdraw.
 */
function isEntitled(kind: DecisionKind, author: Person, { callers, opener, supporters }: Roles): boolean {
  if (kind === "merged") return author !== opener || [...supporters].some((person) => person !== author);
  if (kind === "withdrawn") return author === opener || callers.has(author);
  return callers.has(author);
}
