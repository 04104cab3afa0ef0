import { findAsides } from "./asides.ts";
import { branchesOf } from "./branches.ts";
import { findCommitments } from "./commitments.ts";
import type { Call, Decision, DecisionKind, Person, Position, Post, Question, Weighed } from "./findings.ts";
import { judge } from "./level.ts";
import { meetPeople } from "./people.ts";
import { findQuestions } from "./question.ts";
import { type PostReading, readPosts } from "./read-post.ts";
import type { Hear } from "./reader/hear-post.ts";
import { followThrough } from "./standing.ts";

export type {
  Aside,
  Call,
  CallKind,
  Commitment,
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
 * Positions and outcome of a thread. No language model: every finding quotes its words and names its rule. Rules are data:
 *
 * | finding                                       | file                                                    |
 * |-----------------------------------------------|---------------------------------------------------------|
 * | the author's own words                        | own-words.ts                                            |
 * | people with several addresses                 | people.ts                                               |
 * | words of agreement and objection              | lexicon.ts and its tables; sentence-frame.ts for "not", |
 * |                                               | questions, mere ideas and reports of others' words      |
 * | +1, -1, ballots; Acked-by, NAK, thumbs        | votes.ts, marks.ts                                      |
 * | the question, and answers to the question     | question.ts, on-question.ts                             |
 * | words that may mean the opposite              | direction.ts                                            |
 * | calls, declarations and their numbers         | calls.ts, decisions.ts, declared-tally.ts               |
 * | the last position of a person                 | standing.ts                                             |
 * | agreement about anything else                 | asides.ts                                               |
 * | promised changes                              | commitments.ts                                          |
 * | strong, rough, contested, none, undecided     | level.ts                                                |
 */
export function weigh(posts: readonly Post[], hear?: Hear): Weighed {
  const people = meetPeople(posts);
  const readings = readPosts(posts, people, hear);
  const calls = callsOf(readings);
  const questions = findQuestions(readings, calls);
  const [own = readings, ...branches] = branchesOf(readings, questions.slice(1));
  const main = weighOn(
    isTurned(questions[0], readings) ? belowOf(own, questions[0]) : own,
    questions[0] ?? null,
  );
  const others = branches.map((branch, at) => {
    const question = questions[at + 1]!;
    return { question, ...weighOn(branch, question) };
  });
  const all = [main, ...others];
  return {
    ...main.judged,
    question: questions[0] ?? null,
    calls,
    positions: joinPositions(all.map(({ positions }) => positions)),
    votes: all.flatMap(({ votes }) => votes),
    decisions: all.flatMap(({ decisions }) => decisions),
    asides: all.flatMap(({ asides }) => asides),
    commitments: findCommitments(readings),
    otherQuestions: others.map(({ question, judged }) => ({ ...question, ...judged })),
  };
}

/** A question of a later message is answered below that message, unless it is a call to everybody. */
const isTurned = (question: Question | undefined, [first]: readonly PostReading[]): question is Question =>
  question !== undefined && spokenAside.has(question.kind) && question.message !== first?.post.id;

/** "I will file a bug, unless somebody objects" in the middle of a thread asks those who read on. */
const spokenAside: ReadonlySet<string> = new Set(["proposal", "lazy-consensus", "question"]);

const belowOf = (readings: readonly PostReading[], question: Question): readonly PostReading[] =>
  branchesOf(readings, [question])[1] ?? [];

const callsOf = (readings: readonly PostReading[]): readonly Call[] =>
  readings.flatMap(({ call, author }): Call[] => (call === null ? [] : [{ ...call, by: author }]));

/** Positions on one question and its outcome, from the posts about that question. */
function weighOn(readings: readonly PostReading[], question: Question | null) {
  const calls = callsOf(readings);
  const { positions, votes } = followThrough(readings, question);
  const declared = declarations(readings, { calls, positions, question });
  const posts = readings.map(({ post }) => post);
  const people = [...new Set(readings.map(({ author }) => author))];
  const judged = judge({ posts, people, positions, votes, calls, question, declared });
  const decisions = declared.map(({ decision }) => decision);
  return { judged, positions, votes, decisions, asides: findAsides(readings, positions, votes) };
}

/** Positions of all questions in one list; the first question has no number. */
function joinPositions(all: readonly (readonly Position[])[]): readonly Position[] {
  const joined: Position[] = [];
  for (const [at, positions] of all.entries()) {
    const offset = joined.length;
    for (const { supersededBy, ...position } of positions)
      joined.push({
        ...position,
        supersededBy: supersededBy === null ? null : supersededBy + offset,
        ...(at > 0 && { question: at + 1 }),
      });
  }
  return joined;
}

/** A decision with its declared details. */
export interface Declaration {
  readonly decision: Decision;
  readonly isRough: boolean;
  readonly tally: Weighed["tally"];
  readonly names: readonly string[];
}

const claimWeight = 0.4;

interface Said {
  readonly calls: readonly Call[];
  readonly positions: readonly Position[];
  readonly question: Question | null;
}

function declarations(
  readings: readonly PostReading[],
  { calls, positions, question }: Said,
): readonly Declaration[] {
  const callers = new Set(calls.map(({ by }) => by));
  const supporters = new Set(
    positions.filter(({ stance }) => stance === "support").map(({ person }) => person),
  );
  const opener = readings[0]?.author;
  const authors = new Map(readings.map(({ post, author }) => [post.id, author]));
  return readings.flatMap(({ declared, author, post }): Declaration[] => {
    if (declared === null) return [];
    const answered = post.parent === null ? undefined : authors.get(post.parent);
    // "Applied" in an answer to a third person is about another patch.
    const isOfOther = answered !== undefined && answered !== author && answered !== (question?.by ?? opener);
    if (declared.kind === "merged" && isOfOther) return [];
    const { isOfficial, isRough, tally, names, kind, ...quoted } = declared;
    const mayDeclare = isOfficial || isEntitled(kind, author, { callers, opener, supporters });
    const weight = mayDeclare ? 1 : claimWeight;
    return [{ decision: { kind, by: author, weight, ...quoted }, isRough, tally, names }];
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
