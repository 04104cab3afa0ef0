import { subjectIsReply } from "./calls.ts";
import type { MayInvert } from "./direction.ts";
import { type Person, type Position, type Question, quoteFrom, type Stance, type Vote } from "./findings.ts";
import { mayHear, toldBy } from "./heard.ts";
import { makeOnQuestion } from "./on-question.ts";
import { nameOf, nameWords } from "./people.ts";
import type { PostReading } from "./read-post.ts";
import type { Signal } from "./stances.ts";
import type { BallotMark } from "./votes.ts";

/** All positions and votes, oldest first, each with its current validity. */
export interface Standing {
  readonly positions: readonly Position[];
  readonly votes: readonly Vote[];
}

/** Weaker hints say too little; without a call, a hint may be about anything. */
const strengthMin = { asked: 0.35, notAsked: 0.6, opener: 0.65 };
/** A proposer is in favour, except for explicit words to the contrary. */
const proposerStrengthMin = 0.9;
/** A person leaves a side with words of about the same strength, not with a polite phrase. */
const turningShare = 0.7;

/**
 * Goes through a thread in order of time. A later word of the same person replaces an earlier one, if
 * as outspoken or if it takes the earlier back; a question replaces nothing.
 */
export function followThrough(readings: readonly PostReading[], question: Question | null): Standing {
  const log = openLog(readings, question);
  for (const reading of inOrderOfTime(readings)) {
    const votes = reading.votes.filter(
      ({ seconds }) => log.inVoteThread || (seconds === null && log.mayVote(reading)),
    );
    log.castVotes(reading, votes);
    const meant = reading.signals.filter((signal) => log.isMeant(reading, signal));
    const signals = isOffice(reading) ? [] : [...meant, ...hearAnswer(reading, log)];
    for (const { ends, takesVote } of signals)
      if (takesVote) log.takeVotesBack(reading.author, ends ?? "either");
    const signal = choose(reading, votes, signals, log);
    if (signal !== undefined) log.take(reading, signal);
    else if (reading.question !== null && reading.call === null) log.ask(reading, reading.question);
  }
  if (question !== null) return { positions: log.positions, votes: log.votes };
  // Where nothing was asked, agreement is about this and that, and nobody's position; a person asks once at most.
  const asked = log.positions.filter(({ stance }) => stance === "question");
  return { positions: asked.map((position) => ({ ...position, supersededBy: null })), votes: [] };
}

/** Calls and declarations speak of other people's positions. */
const isOffice = ({ call, declared }: PostReading): boolean =>
  call !== null || (declared !== null && declared.kind !== "merged" && declared.kind !== "withdrawn");

/** Posts without a date keep their place after the previous post. */
function inOrderOfTime(readings: readonly PostReading[]): readonly PostReading[] {
  let last = "";
  const dated = readings.map((reading, index) => {
    last = reading.post.date ?? last;
    return { reading, index, at: Date.parse(last) || 0 };
  });
  dated.sort((a, b) => a.at - b.at || a.index - b.index);
  return dated.map(({ reading }) => reading);
}

/**
 * The trained reader on an answer to the question, for a person without a position. A wrong objection puts words into a
 * person's mouth, so it also needs to be surer.
 */
function hearAnswer(reading: PostReading, log: Log): readonly Signal[] {
  const { heard, author, ownWords } = reading;
  if (heard === null || !log.answers(reading) || log.isProposer(author)) return [];
  if ((log.standingOf(author)?.stance ?? "question") !== "question") return [];
  const lean = heard.agrees.probability >= heard.disagrees.probability ? 1 : -1;
  const louder = lean > 0 ? heard.agrees : heard.disagrees;
  if (!louder.isAnswer || (lean < 0 && !(louder.probability >= objectionMin && log.mayObject))) return [];
  if (log.mayInvert(ownWords.slice(louder.span.start, louder.span.end), lean)) return [];
  const isMeant = (signal: Signal): boolean => log.isMeant(reading, signal);
  if (!mayHear(reading, louder, { lean, isMeant })) return [];
  const strength = 0.4 + 0.4 * louder.probability;
  return [{ span: louder.span, lean, strength, because: toldBy(louder, lean) }];
}

const objectionMin = 0.8;

interface Log {
  readonly inVoteThread: boolean;
  readonly isAsked: boolean;
  /** Whether a judgment is about the question, and not about a thing that came up on the way. */
  readonly isMeant: (reading: PostReading, signal: Signal) => boolean;
  readonly mayVote: (reading: PostReading) => boolean;
  readonly answers: (reading: PostReading) => boolean;
  readonly mayInvert: MayInvert;
  /** Whether disagreement with the asking message is an objection: not for a choice or an open question. */
  readonly mayObject: boolean;
  readonly isProposer: (person: Person) => boolean;
  readonly isOpener: (person: Person) => boolean;
  readonly opening: PostReading | undefined;
  readonly positions: Position[];
  readonly votes: Vote[];
  readonly standingOf: (person: Person) => Position | undefined;
  /** Stance at the time of writing of a named person, or else of the parent's author. */
  readonly leanOf: (reading: PostReading, name: string | null) => number | "proposer" | undefined;
  readonly castVotes: (reading: PostReading, marks: readonly BallotMark[]) => void;
  readonly takeVotesBack: (person: Person, which: "against" | "for" | "either") => void;
  readonly take: (reading: PostReading, signal: Signal) => void;
  readonly ask: (reading: PostReading, span: Signal["span"]) => void;
}

function openLog(readings: readonly PostReading[], question: Question | null): Log {
  const onQuestion = makeOnQuestion(readings, question);
  const taken = new Set<string>();
  const positions: Position[] = [];
  const votes: Vote[] = [];
  const standing = new Map<Person, number>();
  const votesOf = new Map<Person, number[]>();
  const proposers = new Set(readings.flatMap(({ call, author }) => (call === null ? [] : [author])));
  if (question !== null && !subjectIsReply(readings[0]?.post.subject ?? "")) proposers.add(question.by);
  const opener = openerOf(readings);
  const findTarget = makeTargets(readings, proposers);
  const standingOf = (person: Person): Position | undefined => positions[standing.get(person) ?? -1];
  const write = (
    { post, author }: PostReading,
    stance: Stance,
    { span, strength, because }: Signal,
  ): void => {
    const before = standing.get(author);
    if (before !== undefined) positions[before] = { ...positions[before]!, supersededBy: positions.length };
    standing.set(author, positions.length);
    const quoted = quoteFrom(post, span);
    if (stance !== "question") taken.add(post.id);
    positions.push({
      person: author,
      stance,
      ...quoted,
      at: post.date,
      strength: round(strength),
      supersededBy: null,
      because,
    });
  };
  const takeBack = (person: Person, isMeant: (vote: Vote) => boolean): void => {
    const counting = votesOf.get(person) ?? [];
    const meant = counting.filter((index) => isMeant(votes[index]!));
    for (const index of meant) votes[index] = { ...votes[index]!, counts: false };
    votesOf.set(
      person,
      counting.filter((index) => votes[index]!.counts),
    );
  };
  return {
    inVoteThread: readings.some(({ call }) => call?.kind === "vote"),
    isProposer: (person) => proposers.has(person),
    isOpener: (person) => person === opener,
    opening: opener === undefined ? undefined : readings[0],
    isAsked: question !== null,
    isMeant: (reading, signal) => onQuestion.isMeant(reading, signal, taken),
    mayVote: (reading) => onQuestion.mayVote(reading, taken),
    answers: onQuestion.answers,
    mayInvert: onQuestion.mayInvert,
    mayObject: onQuestion.mayObject,
    positions,
    votes,
    standingOf,
    leanOf(reading, name) {
      const target = findTarget(reading, name);
      if (target === undefined) return undefined;
      const stance = standingOf(target.person)?.stance;
      if (stance === "support" || stance === "object") return stance === "support" ? 1 : -1;
      return target.isProposer ? "proposer" : undefined;
    },
    castVotes({ post, author }, marks) {
      if (marks.length === 0) return;
      takeBack(author, () => true);
      const isSplit = votesBothWays(marks);
      const counting: number[] = [];
      for (const [index, { span, value, binding }] of marks.entries()) {
        const counts = isSplit || index === marks.length - 1;
        if (counts) counting.push(votes.length);
        votes.push({ by: author, value, binding, counts, ...quoteFrom(post, span) });
      }
      votesOf.set(author, counting);
    },
    takeVotesBack(person, which) {
      takeBack(person, ({ value }) => which === "either" || value < 0 === (which === "against"));
    },
    take: (reading, signal) => write(reading, stanceOf(signal.lean), signal),
    ask(reading, span) {
      if (!standing.has(reading.author))
        write(reading, "question", { span, lean: 0, strength: 0.5, because: "asks" });
    },
  };
}

/** The opener of a thread describes the matter: trouble with a program is no objection. */
function openerOf([first]: readonly PostReading[]): Person | undefined {
  return first === undefined || first.post.parent !== null || subjectIsReply(first.post.subject)
    ? undefined
    : first.author;
}

const stanceOf = (lean: number): Stance => (lean > 0 ? "support" : lean < 0 ? "object" : "neutral");
const round = (value: number): number => Math.round(Math.min(1, value) * 100) / 100;

/** The one statement of a post about its author, in the light of earlier statements. */
function choose(
  reading: PostReading,
  votes: readonly BallotMark[],
  signals: readonly Signal[],
  log: Log,
): Signal | undefined {
  const before = log.standingOf(reading.author);
  if (votes.length > 0) return fromVotes(votes);
  const seconded = reading.votes.filter(({ seconds }) => seconds !== null).map(fromSecond);
  const answers = seconded.filter((signal) => log.isMeant(reading, signal));
  const resolved = [...answers, ...signals].map((signal) => resolve(signal, reading, before, log));
  resolved.sort((a, b) => b.strength - a.strength);
  const enough = strengthNeeded(reading, log);
  const best = resolved.find(({ strength, ends }) => strength >= enough || ends !== undefined);
  if (best === undefined || before === undefined || before.stance === "question") return best;
  if (best.ends !== undefined) return best;
  const isSame = before.stance === stanceOf(best.lean);
  return best.strength >= before.strength * (isSame ? 1 : turningShare) ? best : undefined;
}

function strengthNeeded(reading: PostReading, log: Log): number {
  if (log.isProposer(reading.author) || reading === log.opening) return proposerStrengthMin;
  if (log.isAsked) return strengthMin.asked;
  return log.isOpener(reading.author) ? strengthMin.opener : strengthMin.notAsked;
}

/** "-1 on renaming, +1 on moving". */
function votesBothWays(votes: readonly BallotMark[]): boolean {
  const signs = new Set(votes.map(({ value }) => Math.sign(value)));
  return votes.every(({ isPart }) => isPart) && signs.has(1) && signs.has(-1);
}

function fromVotes(votes: readonly BallotMark[]): Signal {
  const last = votes.at(-1)!;
  if (votesBothWays(votes)) {
    return { span: votes[0]!.span, lean: 0, strength: 0.8, because: "votes both ways, on different parts" };
  }
  const lean = last.value > 0 ? 1 : last.value < 0 ? -1 : 0;
  const strength = lean === 0 ? 0.8 : Math.max(0.5, Math.abs(last.value));
  return { span: last.span, lean, strength, because: `votes ${signed(last.value)}` };
}

export const signed = (value: number): string =>
  value < 0 || Object.is(value, -0) ? `-${Math.abs(value)}` : `+${value}`;

const fromSecond = ({ span, value, seconds }: BallotMark): Signal => ({
  span,
  lean: value < 0 ? -1 : 1,
  strength: 0.6,
  because: `votes ${signed(value)} to what another said`,
  relation: { to: seconds },
});

/** Turns "I agree with Bob" and "you convinced me" into for or against. */
function resolve(signal: Signal, reading: PostReading, before: Position | undefined, log: Log): Signal {
  if (isHalf(signal, reading)) return { ...signal, lean: 0, because: `${signal.because}, with a reserve` };
  if (signal.ends === "either") {
    const lean = before?.stance === "support" ? -1 : 1;
    return { ...signal, lean };
  }
  if (signal.relation === undefined) return signal;
  // Further down such words are mostly about a detail.
  const isFirst = isNearTop(reading, signal.span.start);
  if (!isFirst && signal.relation.to === null && signal.because === "says the same")
    return { ...signal, strength: 0 };
  const other = log.leanOf(reading, signal.relation.to);
  if (other === 1) return { ...signal, because: `${signal.because} with one who supports it` };
  if (other === -1) {
    return { ...signal, lean: signal.lean > 0 ? -1 : 1, because: `${signal.because} with one who objects` };
  }
  if (other === "proposer") return { ...signal, because: `${signal.because} with the proposal` };
  const isNamed = isNameIn(reading, signal.relation.to) || others.has(signal.relation.to ?? "");
  const isHeard = log.isAsked && isFirst && !isNamed && log.answers(reading);
  return { ...signal, strength: isHeard ? signal.strength * 0.75 : 0 };
}

/** "Looks good, but we no longer have an index": polite words before a "but" are no support yet. */
const isHalf = ({ lean, strength, span, ends }: Signal, { ownWords }: PostReading): boolean =>
  lean > 0 &&
  strength < firm &&
  ends === undefined &&
  reserve.test(ownWords.slice(span.start, Math.min(span.end, span.start + 600)));
const firm = 0.75;
const reserve = /[\s,.;-](?:but|however|just want to)\b/i;

/** After at most a greeting. */
const isNearTop = ({ post }: PostReading, start: number): boolean =>
  start < 80 && !/[.!?]\s+\S/.test(post.clean.slice(0, start));

/** "I agree with Zoe", and not "I agree with adopting it". */
const isNameIn = ({ ownWords }: PostReading, name: string | null): boolean =>
  name !== null &&
  new RegExp(`\\b(?:with|what|something|everything)\\s+${name[0]!.toUpperCase()}${name.slice(1)}\\b`).test(
    ownWords,
  );

/** "I agree with those who want to stay": with people outside of this exchange. */
const others: ReadonlySet<string> = new Set(
  "those people others them him her anybody anyone some many everybody critics".split(" "),
);

interface Target {
  readonly person: Person;
  readonly isProposer: boolean;
}

function makeTargets(
  readings: readonly PostReading[],
  proposers: ReadonlySet<Person>,
): (reading: PostReading, name: string | null) => Target | undefined {
  const byId = new Map(readings.map((reading) => [reading.post.id, reading]));
  const byName = new Map<string, Person>();
  for (const { author } of readings) for (const word of nameWords(author.name)) byName.set(word, author);
  return (reading, name) => {
    const named = name === null ? undefined : byName.get(name);
    // "I agree with Albert", who wrote nothing here, agrees with nobody we know.
    if (named === undefined && (isNameIn(reading, name) || others.has(name ?? ""))) return undefined;
    const parent = reading.post.parent === null ? undefined : byId.get(reading.post.parent);
    const person = named ?? parent?.author;
    if (person === undefined || person === reading.author || nameOf(person) === "") return undefined;
    return { person, isProposer: proposers.has(person) };
  };
}
