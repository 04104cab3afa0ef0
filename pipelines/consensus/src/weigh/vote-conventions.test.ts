import { describe, expect, it } from "vitest";
import { type DecisionKind, type Post, weigh } from "./weigh.ts";

/** An invented vote in the style of one community, with a reader's count. */
interface KnownVote {
  readonly name: string;
  readonly subject: string;
  /** "Name: words" or, for another subject, "Name {subject}: words"; all mails answer the first. */
  readonly mails: readonly string[];
  /** For, against and abstaining. */
  readonly tally: readonly [number, number, number] | null;
  readonly decision: DecisionKind | null;
  /** Heads for and against, where people do not vote with numbers. */
  readonly heads?: readonly [number, number];
}

function postsOf({ subject, mails }: KnownVote): readonly Post[] {
  return mails.map((mail, index) => {
    const [, name, own, clean] = /^([^:{]+?)(?: \{(.*?)\})?: ([\s\S]*)$/.exec(mail)!;
    return {
      id: `m${index}`,
      parent: index === 0 ? null : "m0",
      from: { name: name!, address: `${name!.toLowerCase().replace(/[^a-z]+/g, ".")}@example.org` },
      date: new Date(Date.UTC(2023, 4, 1 + index)).toISOString(),
      subject: own ?? (index === 0 ? subject : `Re: ${subject}`),
      clean: clean!,
    };
  });
}

const votes: readonly KnownVote[] = [
  {
    name: "Apache: votes with what was checked",
    subject: "[VOTE] Release Apache Quux 3.1.0 (RC2)",
    tally: [4, 0, 0],
    decision: "vote-passed",
    mails: [
      "Ann Lee: Hi all,\n\nplease vote on releasing this package. The vote is open for at least 72 hours.\n\n[ ] +1 Release it\n[ ] +0 No opinion\n[ ] -1 Do not release it, because...",
      "Bo Kim: +1 (binding), checked sums and signatures, built from source on Java 17.\n\n- LICENSE and NOTICE are fine\n- no binaries in the source release",
      "Cy Roe: +1 (non-binding)\n\nI ran the quickstart, it returned -1 once, but that is QUUX-77 and not new.",
      "Di Poe: Verified on my laptop.\n\nMy vote: +1 (binding)",
      "Ed Fox: Thanks Ann! I'm +1 (binding).",
      "Ann Lee: Reminder: we still need one more binding +1.\n\nSo far:\n+1 (binding): Bo Kim, Di Poe\n+1 (non-binding): Cy Roe",
      "Ann Lee {[RESULT][VOTE] Release Apache Quux 3.1.0 (RC2)}: The vote passes with 4 +1 votes (3 binding) and no 0 or -1.\n\nBinding:\n+1 Bo Kim\n+1 Di Poe\n+1 Ed Fox\n\nNon-binding:\n+1 Cy Roe",
    ],
  },
  {
    name: "Apache: a vote that is carried over and one that is changed",
    subject: "[VOTE] Release Apache Quux 3.1.0 (RC3)",
    tally: [3, 0, 0],
    decision: null,
    mails: [
      "Ann Lee: RC2 had a broken NOTICE. Please vote on RC3, which differs in that file only.",
      "Bo Kim: Carrying over my +1 (binding) from RC2.",
      "Cy Roe: My vote from RC2 stands: +1",
      "Di Poe: -1 (binding), the NOTICE still names 2021.",
      "Di Poe: I was looking at the wrong file, sorry. Changing my vote to +1 (binding).",
    ],
  },
  {
    name: "Apache: a ballot on one line",
    subject: "[VOTE] Retire the Baz subproject",
    tally: [2, 1, 1],
    decision: null,
    mails: [
      "Ann Lee: Please vote: [ ] +1 [ ] 0 [ ] -1",
      "Bo Kim: [x] +1 [ ] 0 [ ] -1",
      "Cy Roe: [ ] +1 [x] 0 [ ] -1",
      "Di Poe: [ ] +1  [ ] 0  [X] -1, I still use it",
      "Ed Fox: +1 [x]  0 [ ]  -1 [ ]",
    ],
  },
  {
    name: "Apache: a vote that is extended and then cancelled",
    subject: "[VOTE] Release Apache Quux 3.2.0",
    tally: [1, 1, 0],
    decision: "cancelled",
    mails: [
      "Ann Lee: Please vote on the release of 3.2.0.",
      "Bo Kim: +1 from me",
      "Ann Lee: We do not have enough votes yet, so I am extending the vote until Friday.",
      "Cy Roe: -1 (binding): the source release contains a jar.",
      "Ann Lee {[CANCELLED][VOTE] Release Apache Quux 3.2.0}: I am cancelling this vote because of the jar. RC2 follows.",
    ],
  },
  {
    name: "Eclipse: the notice of a robot",
    subject: "Committer vote for Jo Hill has concluded successfully",
    tally: [3, 0, 0],
    decision: "vote-passed",
    heads: [0, 0],
    mails: [
      "portal on behalf of Ann Lee: The vote for Jo Hill has concluded.\n\nVote summary: 3/0/0 with 1 not voting\n\n  +1  Ann Lee\n\n  +1  Bo Kim\n\n  +1  Cy Roe\n\nThis is an automatically generated message.",
    ],
  },
  {
    name: "Eclipse: an election on the list",
    subject: "[VOTE] Jo Hill as committer",
    tally: [3, 0, 0],
    decision: null,
    mails: [
      "Ann Lee: I would like to nominate Jo Hill as a committer. Please vote +1, 0 or -1.",
      "Bo Kim: +1 for Jo Hill as committer, great work on the indexer",
      "Cy Roe: +1, well deserved!",
      "Di Poe: A big +1 from my side",
      "Jo Hill: Thank you all, I am honoured.",
    ],
  },
  {
    name: "OSGeo: a motion, with signed votes",
    subject: "[Board] MOTION: adopt the 2024 budget",
    tally: [4, 0, 1],
    decision: "vote-passed",
    mails: [
      "Ann Lee: I move to adopt the budget on the wiki.\n\nI'll start with my own +1.\n\nAnn",
      "Bo Kim: +1 Bo",
      "Cy Roe: +1\n\nCy",
      "Di Poe: +0, I did not read all of it",
      "Ed Fox: Seconded, and +1.",
      "Ann Lee: I declare this motion passed with support from Bo, Cy, Ed and me, and a +0 from Di.",
    ],
  },
  {
    name: "Python: fractions and moods",
    subject: "PEP 9999: a walrus for everything",
    tally: [3, 2, 2],
    decision: null,
    mails: [
      "Ann Lee: I propose the attached PEP. What do people think?",
      "Bo Kim: +0.5. I'd use it in comprehensions.",
      "Cy Roe: -0.5 from me, it is hard to teach.",
      "Di Poe: -0\n\nNot for me, but I won't stand in the way.",
      "Ed Fox: I'm +1 on the idea.",
      "Gil Orr: A very strong -1. Readability counts.",
      "Hal Ito: +0",
      "Ivy Moe: Big +1!",
    ],
  },
  {
    name: "OpenStack: core votes of two",
    subject: "[nova] Proposing Jo Hill for core",
    tally: [4, 0, 0],
    decision: null,
    mails: [
      "Ann Lee: I'd like to propose Jo Hill for the core team. Please respond with +1/-1 within a week.",
      "Bo Kim: +2, of course",
      "Cy Roe: +1 from me, Jo's reviews are great",
      "Di Poe: ++ yes please, +1",
      "Ed Fox: Definitely +1.",
      "Zuul: Build succeeded. Verified+1",
    ],
  },
  {
    name: "IETF: a call for adoption",
    subject: "[quux] Call for adoption: draft-hill-quux-baz-04",
    tally: [1, 0, 0],
    decision: "adopted",
    heads: [4, 1],
    mails: [
      "Ann Lee: This starts a two week call for adoption of draft-hill-quux-baz. Please state whether you support it.",
      "Bo Kim: I have read the draft and support adoption. I am willing to review.",
      "Cy Roe: Support as co-author. I am not aware of any IPR.",
      "Di Poe: I do not support adoption: the problem is solved by RFC 9000.",
      "Ed Fox: Yes, I think the WG should work on this, so I support adopting it.",
      "Gil Orr: Reading section 4, why is the nonce only 32 bits?",
      "Hal Ito: +1 for adoption, we have an implementation.",
      "Ann Lee: Thanks. The call has ended and the draft is adopted. Authors, please submit draft-ietf-quux-baz-00.\n\nAnn, as chair",
    ],
  },
  {
    name: "W3C: a call for consensus",
    subject: "CfC: publish Quux Core as a Candidate Recommendation",
    tally: [3, 0, 0],
    decision: "consensus",
    mails: [
      "Ann Lee: This is a Call for Consensus (CfC) to publish Quux Core. Silence will be taken as consent. Please respond by Friday.",
      "Bo Kim: +1",
      "Cy Roe: +1 to publish",
      "Di Poe: +1 on behalf of Example Inc.",
      "Ann Lee: The CfC has ended. There was consensus to publish, and no objection was received.",
    ],
  },
  {
    name: "a kernel list: marks of reviewers",
    subject: "[PATCH v4 1/3] quux: stop counting twice",
    tally: null,
    decision: "merged",
    heads: [2, 1],
    mails: [
      "Ann Lee: The counter is increased twice.\n\nReviewed-by: Hal Ito <hal.ito@example.org>\nSigned-off-by: Ann Lee <ann.lee@example.org>",
      "Bo Kim: Nice catch.\n\nAcked-by: Bo Kim <bo.kim@example.org>",
      "Cy Roe: NAK. The second place is needed for hotplug.",
      "kernel test robot: Hi Ann,\n\nkernel test robot noticed a build warning:\n\nReported-by: kernel test robot <lkp@example.org>",
      "Di Poe: Reviewed-by: Di Poe <di.poe@example.org>",
      "Ed Fox: Applied to quux-next, thanks!",
    ],
  },
  {
    name: "Debian: seconds for a resolution",
    subject: "Proposed General Resolution: sunset the quux archive",
    tally: null,
    decision: null,
    heads: [3, 1],
    mails: [
      "Ann Lee: I propose the following resolution and ask for seconds.",
      "Bo Kim: Seconded.",
      "Cy Roe: I second this proposal.",
      "Di Poe: Seconded, thanks for writing it down.",
      "Ed Fox: I am opposed to this. The archive costs us nothing.",
    ],
  },
  {
    name: "GitHub: notifications and a bot",
    subject: "[quux/quux] Proposal: drop Python 3.8 (Issue #77)",
    tally: [2, 1, 0],
    decision: null,
    mails: [
      "Ann Lee: I propose to drop 3.8 in the next minor release.",
      "bokim: +1",
      "Cy Roe: -1, our distribution still ships it.",
      "Di Poe (JIRA): +1",
      "GitBox: bokim commented on issue #77\n\n+1\n\nThis is an automated message from the Git service.",
      "stale[bot]: This issue has had no activity. -1",
    ],
  },
  {
    name: "a vote whose result differs from the subject's tune",
    subject: "[VOTE] Switch to the new website generator",
    tally: [1, 3, 0],
    decision: "vote-failed",
    mails: [
      "Ann Lee: Please vote on switching.\n\n+1 switch\n0 do not care\n-1 stay",
      "Bo Kim: -1, we would lose our old links, and I have seen three\n+1 votes for the same thing fail before.",
      "Cy Roe: -1 (binding)",
      "Di Poe: Bo is right: -1",
      "Ed Fox: +1, I would maintain it",
      "Ann Lee {[RESULT] [VOTE] Switch to the new website generator}: The vote has failed:\n\n+1: Ed Fox\n-1: Bo Kim, Cy Roe, Di Poe",
    ],
  },
  {
    name: "votes that somebody passes on",
    subject: "[VOTE] Meet in Ghent",
    tally: [2, 0, 0],
    decision: null,
    mails: [
      "Ann Lee: Please vote on the place.",
      "Bo Kim: From the chat:\n\n+1 Cy Roe\n+1 Di Poe\n+1 Bo Kim",
      "Ed Fox: +1 Ghent is lovely",
    ],
  },
];

describe("a vote in the convention of its community", () => {
  it.each(votes.map((vote) => [vote.name, vote] as const))(
    "is counted as a reader counts it: %s",
    (_, vote) => {
      const { tally, decisions, positions } = weigh(postsOf(vote));
      expect(tally && [tally.for, tally.against, tally.abstain]).toEqual(vote.tally);
      expect(decisions.findLast(({ weight }) => weight === 1)?.kind ?? null).toBe(vote.decision);
      if (vote.heads === undefined) return;
      const standing = positions.filter(({ supersededBy }) => supersededBy === null);
      const count = (stance: string) => standing.filter((each) => each.stance === stance).length;
      expect([count("support"), count("object")]).toEqual(vote.heads);
    },
  );
});
