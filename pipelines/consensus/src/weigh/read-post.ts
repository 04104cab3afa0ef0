import { splitSentences } from "@headway/text";
import { type Asked, readCall, subjectIsOutcome, subjectIsReply } from "./calls.ts";
import { type Declared, readDecision } from "./decisions.ts";
import type { Person, Post, Span } from "./findings.ts";
import { readMarks } from "./marks.ts";
import { blankForeignWords } from "./own-words.ts";
import { nameWords, type People } from "./people.ts";
import { type Hear, type HeardPost, hearPost } from "./reader/hear-post.ts";
import { isByRobot } from "./robots.ts";
import { readStances, type Signal } from "./stances.ts";
import { type BallotMark, readVotes } from "./votes.ts";

/** A post's content by itself, independent of other posts. */
export interface PostReading {
  readonly post: Post;
  readonly author: Person;
  readonly ownWords: string;
  readonly sentences: readonly Span[];
  readonly call: Asked | null;
  readonly declared: Declared | null;
  readonly votes: readonly BallotMark[];
  /** Strongest first. */
  readonly signals: readonly Signal[];
  readonly question: Span | null;
  /** The trained reader's opinion; null for a post without words, and for robots. */
  readonly heard: HeardPost | null;
}

export function readPosts(
  posts: readonly Post[],
  people: People,
  hear: Hear = hearPost,
): readonly PostReading[] {
  const first = posts.map((post, index) => {
    const ownWords = blankForeignWords(post.clean);
    const readable = { post, ownWords, sentences: splitSentences(ownWords) };
    const call = readCall({ ...readable, isFirst: index === 0 });
    return { ...readable, author: people.authorOf(post), call, declared: declaredIn(readable, index) };
  });
  const inVoteThread = first.some(
    ({ call, post }) => call?.kind === "vote" || voteSubject.test(post.subject.slice(0, 300)),
  );
  const names = countNames(people);
  return first.map(({ post, author, ownWords, sentences, call, declared }) => {
    if (isByRobot(post))
      return {
        post,
        author,
        ownWords,
        sentences,
        call,
        declared,
        votes: [],
        signals: [],
        question: null,
        heard: null,
      };
    const own = new Set(nameWords(author.name));
    const marks = readVotes(ownWords, {
      asksForVotes: call !== null && call.kind !== "proposal",
      reportsVotes: reportsVotes(post, declared),
      inVoteThread,
      author: author.name,
      // A name shared by two people still belongs to another person.
      isOtherName: (word) => (names.get(word) ?? 0) > (own.has(word) ? 1 : 0),
    });
    const { signals, question } = readStances(ownWords, sentences);
    const all = [
      ...signals,
      ...readMarks(ownWords, author, isAnswer(post) && ofPatch.test(post.subject.slice(0, 300))),
    ];
    const votes = marks.length > 0 || !inVoteThread || call !== null ? marks : votesInWords(ownWords, all);
    const ranked = all.map((signal, index) => ({ signal, index }));
    ranked.sort((a, b) => b.signal.strength - a.signal.strength || b.index - a.index);
    const found = ranked.map(({ signal }) => signal);
    const reading = { post, author, ownWords, sentences, call, declared, votes, signals: found, question };
    return { ...reading, heard: isAnswer(post) ? hear(reading) : null };
  });
}

/** Nothing is merged by the message that offers it. */
function declaredIn(readable: Parameters<typeof readDecision>[0], index: number): Declared | null {
  const declared = readDecision(readable);
  return index === 0 && declared?.kind === "merged" && isOffer(readable.post) ? null : declared;
}

const isOffer = ({ parent, subject }: Post): boolean => parent === null && !subjectIsReply(subject);

const ofPatch = /\[[^\]]{0,60}\bpatch\b/i;

/** The first message of a thread agrees with nobody. */
const isAnswer = ({ parent, subject }: Post): boolean => parent !== null || subjectIsReply(subject);

const voteSubject = /\[\s?(?:result\w*\s?\]?\s?\[?)?vote\b/i;

const reportsVotes = (post: Post, declared: Declared | null): boolean =>
  (subjectIsOutcome(post.subject) && !subjectIsReply(post.subject)) ||
  declared?.kind === "vote-passed" ||
  declared?.kind === "vote-failed";

function countNames(people: People): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { name } of people.all) {
    for (const word of new Set(nameWords(name)))
      if (word.length > 2) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

/** "Non-binding, but it works for me": mentioning binding means voting. */
function votesInWords(ownWords: string, signals: readonly Signal[]): readonly BallotMark[] {
  const binding = /\b(non|not)?[- ]?binding\b/i.exec(ownWords.slice(0, 300));
  if (!binding) return [];
  const near = signals.find(
    ({ span, lean, relation }) => relation === undefined && lean !== 0 && span.start < 300,
  );
  if (near === undefined) return [];
  return [
    {
      span: near.span,
      value: near.lean,
      binding: binding[1] === undefined,
      isPart: false,
      isLabelled: false,
      seconds: null,
    },
  ];
}
