import { isFewOf } from "./crowd.ts";
import type { CallKind, DecisionKind, Level, Person, Tally } from "./findings.ts";
import type { Findings, Heads } from "./level.ts";
import { nameOf, nameWords } from "./people.ts";

interface Outcome {
  readonly heads: Heads;
  readonly official: Findings["declared"][number] | undefined;
  readonly tally: Tally | null;
  readonly level: Level;
}

/** Reasons of the level: plain sentences with counts and names. */
export function explain(findings: Findings, outcome: Outcome): readonly string[] {
  return [
    ...explainCalls(findings),
    ...explainDecisions(findings, outcome),
    ...explainHeads(outcome.heads),
    ...explainVotes(findings, outcome),
    ...explainChanges(findings),
    ...explainLevel(findings, outcome),
  ];
}

const calledFor: Readonly<Record<CallKind, string>> = {
  adoption: "called for adoption",
  "last-call": "made a last call",
  vote: "called a vote",
  consensus: "asked for consensus",
  proposal: "made a proposal",
  "lazy-consensus": "asked for objections (lazy consensus)",
};

const declaredThat: Readonly<Record<DecisionKind, string>> = {
  adopted: "declared that it is adopted",
  rejected: "declared that it is rejected",
  consensus: "declared consensus",
  "no-consensus": "declared that there is no consensus",
  "vote-passed": "declared that the vote passed",
  "vote-failed": "declared that the vote failed",
  withdrawn: "withdrew it",
  postponed: "postponed it",
  merged: "took it in",
  cancelled: "cancelled it",
};

function explainCalls({ calls, question }: Findings): readonly string[] {
  const told = new Set(calls.map(({ by, kind }) => `${nameOf(by)} ${calledFor[kind]}.`));
  if (told.size > 0) return [...told].slice(0, 3);
  if (question === null) return ["Nothing was asked, so there is nothing to decide."];
  if (question.quote === "") return ["The subject puts the question."];
  return [
    `${nameOf(question.by)} ${question.kind === "question" ? "asked the group" : calledFor[question.kind]}.`,
  ];
}

function explainDecisions({ declared }: Findings, { official }: Outcome): readonly string[] {
  if (official) return [`${nameOf(official.decision.by)} ${declaredThat[official.decision.kind]}.`];
  const claim = declared.at(-1)?.decision;
  if (claim === undefined) return [];
  return [
    `${nameOf(claim.by)} ${declaredThat[claim.kind]}, but did not call it, so that it counts for little.`,
  ];
}

function explainHeads(heads: Heads): readonly string[] {
  const sentences: string[] = [];
  if (heads.for.length > 0)
    sentences.push(`${count(heads.for, "supports", "support")} it: ${list(heads.for)}.`);
  if (heads.against.length > 0)
    sentences.push(`${count(heads.against, "objects", "object")}: ${list(heads.against)}.`);
  if (heads.neutral.length > 0)
    sentences.push(`${count(heads.neutral, "is", "are")} neutral: ${list(heads.neutral)}.`);
  if (heads.asking.length > 0)
    sentences.push(`${count(heads.asking, "only asks", "only ask")}: ${list(heads.asking)}.`);
  if (heads.unanswered.length > 0)
    sentences.push(`Nobody answered the objection of ${list(heads.unanswered)}.`);
  return sentences;
}

function explainVotes({ votes, calls, posts }: Findings, { official, tally }: Outcome): readonly string[] {
  if (tally === null) return [];
  const sentences: string[] = [];
  if (votes.length === 0) sentences.push(`The votes are not in this thread; declared are ${numbers(tally)}.`);
  else sentences.push(`Votes that count: ${numbers(tally)}.`);
  const declared = official?.tally ?? null;
  if (
    votes.length > 0 &&
    declared !== null &&
    (declared.for !== tally.for || declared.against !== tally.against)
  ) {
    sentences.push(`The declared result differs from the count: ${numbers(declared)} were declared.`);
  }
  sentences.push(...compareNames(official?.names ?? [], votes));
  const perPerson = new Map<Person, number>();
  for (const { by, counts } of votes) if (counts) perPerson.set(by, (perPerson.get(by) ?? 0) + 1);
  const split = [...perPerson].filter(([, cast]) => cast > 1).map(([person]) => person);
  if (split.length > 0)
    sentences.push(`${list(split)} voted both ways, on different parts; both are counted.`);
  if (tally.against > 0 && votes.length > 0 && calls.some(({ kind }) => kind === "vote"))
    sentences.push(veto(posts[0]?.subject ?? ""));
  return sentences;
}

/** Voters as named by the holder of a vote, beside the voters found. */
function compareNames(names: readonly string[], votes: Findings["votes"]): readonly string[] {
  const voters = [...new Set(votes.filter(({ counts }) => counts).map(({ by }) => by))];
  if (names.length === 0 || voters.length === 0) return [];
  const declared = names.map((name) => ({ name: cleanName(name), words: new Set(nameWords(name)) }));
  const isSame = (person: Person, words: ReadonlySet<string>): boolean =>
    nameWords(person.name).some((word) => word.length > 1 && words.has(word)) ||
    words.has(person.address.split("@", 1)[0]!.toLowerCase());
  const unnamed = voters.filter((person) => !declared.some(({ words }) => isSame(person, words)));
  const unseen = declared.filter(({ words }) => !voters.some((person) => isSame(person, words)));
  return [
    ...(unnamed.length === 0 ? [] : [`Voted here, but not named in the result: ${list(unnamed)}.`]),
    ...(unseen.length === 0
      ? []
      : [
          `Named in the result, but no vote was found: ${unseen
            .slice(0, namesMax)
            .map(({ name }) => name)
            .join(", ")}.`,
        ]),
  ];
}

const cleanName = (name: string): string =>
  name
    .replace(/[()<>*•]|\b(?:non-?)?binding\b/gi, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 60);

/** The meaning of a -1 depends on rules outside of the thread. */
function veto(subject: string): string {
  if (/\breleas|\brc\d|\bcandidate\b/i.test(subject.slice(0, 300))) {
    return "A -1 stands; in a vote on a release that is no veto, the majority of binding votes decides.";
  }
  return "A -1 stands; in a vote on a change of code it would be a veto, and whether this is one is not known.";
}

function explainChanges({ positions }: Findings): readonly string[] {
  const changed = positions.flatMap(({ person, stance, supersededBy }) => {
    const next = supersededBy === null ? undefined : positions[supersededBy];
    const isChange = next !== undefined && stance !== "question" && next.stance !== stance;
    return isChange ? [`${nameOf(person)} changed from ${stance} to ${next.stance}.`] : [];
  });
  return changed.slice(0, 5);
}

function explainLevel(findings: Findings, { level, heads, official }: Outcome): readonly string[] {
  const voices = heads.for.length + heads.against.length;
  if (level === "none") return [];
  if (level === "undecided" && !official && voices > 1 && isFewOf(voices, findings))
    return [`${voices} of ${findings.people.length} people spoke to the question: too few to tell.`];
  if (level === "undecided" && !official && voices < 2) return ["Too few people took a side to tell."];
  if (level === "undecided" && !official) return ["The sides are even and small."];
  if (heads.against.length > heads.for.length && level !== "undecided")
    return ["More people object than support it."];
  return [];
}

const numbers = (tally: Tally): string =>
  `${tally.for} for, ${tally.against} against, ${tally.abstain} abstaining`;
const count = (people: readonly Person[], one: string, many: string): string =>
  people.length === 1 ? `1 person ${one}` : `${people.length} people ${many}`;

const namesMax = 8;
function list(people: readonly Person[]): string {
  const names = people.slice(0, namesMax).map(nameOf);
  return people.length > namesMax
    ? `${names.join(", ")} and ${people.length - namesMax} more`
    : names.join(", ");
}
