import { describe, expect, it } from "vitest";
import { type DecisionKind, type Level, type Post, type Stance, weigh } from "./weigh.ts";

/** An invented thread with a reader's judgement. No rule was made or changed for any of these. */
interface LabelledThread {
  readonly name: string;
  readonly subject: string;
  /** "Name: words" or, for another subject, "Name {subject}: words"; all mails answer the first. */
  readonly mails: readonly string[];
  readonly level: Level;
  readonly tally?: readonly [number, number, number] | null;
  readonly decision?: DecisionKind | null;
  /** Final stances. */
  readonly stands?: Readonly<Record<string, Stance>>;
}

function postsOf({ subject, mails }: LabelledThread): readonly Post[] {
  return mails.map((mail, index) => {
    const [, name, own, clean] = /^([^:{]+?)(?: \{(.*?)\})?: ([\s\S]*)$/.exec(mail)!;
    return {
      id: `m${index}`,
      parent: index === 0 ? null : "m0",
      from: { name: name!, address: `${name!.toLowerCase().replace(/ /g, ".")}@example.org` },
      date: new Date(Date.UTC(2024, 2, 1 + index)).toISOString(),
      subject: own ?? (index === 0 ? subject : `Re: ${subject}`),
      clean: clean!,
    };
  });
}

const ballot =
  "Please vote, the vote is open for 72 hours.\n\n[ ] +1 Release\n[ ] 0 No opinion\n[ ] -1 Do not release, because";

const threads: readonly LabelledThread[] = [
  {
    name: "a release vote that passes",
    subject: "[VOTE] Release Foo 1.2",
    level: "strong",
    tally: [4, 0, 0],
    decision: "vote-passed",
    mails: [
      `Ann Lee: ${ballot}`,
      "Bo Kim: +1 (binding)\nchecked signatures",
      "Cy Roe: +1 (non-binding)",
      "Di Poe: Built from source, all tests pass. +1",
      "Ann Lee: +1 from me as well",
      "Ann Lee {[RESULT] [VOTE] Release Foo 1.2}: The vote passes with 4 +1 votes and no -1.",
    ],
  },
  {
    name: "a vote without result yet",
    subject: "[VOTE] Release Foo 1.3",
    level: "strong",
    tally: [3, 0, 1],
    mails: [
      `Ann Lee: ${ballot}`,
      "Bo Kim: [X] +1 Release\n[ ] 0 No opinion\n[ ] -1 Do not release",
      "Cy Roe: +1",
      "Di Poe: +0, did not have time to test",
      "Ed Fox: My vote: +1",
    ],
  },
  {
    name: "a cancelled vote",
    subject: "[VOTE] Release Foo 1.4 RC1",
    level: "undecided",
    tally: [1, 1, 0],
    decision: "cancelled",
    mails: [
      `Ann Lee: ${ballot}`,
      "Bo Kim: +1",
      "Cy Roe: -1, NOTICE file is missing",
      "Ann Lee {[CANCELLED] [VOTE] Release Foo 1.4 RC1}: Thanks Cy, I will roll RC2.",
    ],
  },
  {
    name: "a vote that fails",
    subject: "[VOTE] Move to monorepo",
    level: "contested",
    tally: [2, 3, 0],
    decision: "vote-failed",
    mails: [
      "Ann Lee: Please vote on moving everything into one repository.",
      "Bo Kim: +1",
      "Cy Roe: -1, history gets lost",
      "Di Poe: -1",
      "Ed Fox: -1 (binding)",
      "Gil Orr: +1",
      "Ann Lee {[RESULT] [VOTE] Move to monorepo}: The vote has failed with 2 +1 and 3 -1.",
    ],
  },
  {
    name: "a majority vote with one against",
    subject: "[VOTE] Accept donation of Bar",
    level: "rough",
    tally: [4, 1, 0],
    decision: "vote-passed",
    mails: [
      "Ann Lee: Please vote on accepting Bar.",
      "Bo Kim: +1",
      "Cy Roe: +1",
      "Di Poe: +1 (binding)",
      "Ed Fox: -1: nobody will maintain it",
      "Gil Orr: Big +1",
      "Ann Lee: The vote passes, thanks all.",
    ],
  },
  {
    name: "a changed vote",
    subject: "[VOTE] Release Foo 2.0",
    level: "strong",
    tally: [3, 0, 0],
    stands: { "Cy Roe": "support" },
    mails: [
      `Ann Lee: ${ballot}`,
      "Bo Kim: +1",
      "Cy Roe: -1 the javadoc is broken",
      "Di Poe: +1",
      "Cy Roe: Fixed now, changing my vote to +1",
    ],
  },
  {
    name: "a withdrawn vote",
    subject: "[VOTE] Release Foo 2.1",
    level: "strong",
    tally: [3, 0, 0],
    stands: { "Cy Roe": "support" },
    mails: [
      `Ann Lee: ${ballot}`,
      "Bo Kim: +1",
      "Cy Roe: -1",
      "Di Poe: +1",
      "Ed Fox: +1",
      "Cy Roe: I misread the report. I withdraw my -1.",
    ],
  },
  {
    name: "votes that are only mentioned",
    subject: "[VOTE] Release Foo 2.2",
    level: "undecided",
    tally: null,
    mails: [
      `Ann Lee: ${ballot}`,
      "Bo Kim: We need three +1 votes from PMC members, as usual.",
      "Cy Roe: +1 from John too, he told me on the phone.",
      "Ann Lee: Still waiting for votes. The vote closes at 18:00 UTC+1.",
    ],
  },
  {
    name: "an adoption call with support",
    subject: "Call for adoption: draft-lee-foo-00",
    level: "strong",
    tally: null,
    decision: "adopted",
    mails: [
      "Ann Lee: This starts a two week call for adoption of draft-lee-foo. Please state whether you support or object.",
      "Bo Kim: I support adoption.",
      "Cy Roe: I have read the draft and support adoption. Willing to review.",
      "Di Poe: Support.",
      "Ann Lee: The call has ended. The WG has adopted the draft; authors, please submit draft-ietf-wg-foo-00.",
    ],
  },
  {
    name: "an adoption call that splits",
    subject: "Call for adoption: draft-lee-bar-02",
    level: "contested",
    mails: [
      "Ann Lee: This is a call for adoption of draft-lee-bar.",
      "Bo Kim: I support adoption.",
      "Cy Roe: I strongly oppose adoption, the problem is not real.",
      "Di Poe: I do not support this draft, see my mail from March.",
      "Ed Fox: I'm in favour.",
    ],
  },
  {
    name: "a last call with rough consensus",
    subject: "WGLC for draft-ietf-foo-bar-07",
    level: "rough",
    decision: "consensus",
    mails: [
      "Ann Lee: This message starts a Working Group Last Call for draft-ietf-foo-bar-07.",
      "Bo Kim: The document is ready for publication.",
      "Cy Roe: I think it is ready.",
      "Di Poe: I object, section 4 is wrong.",
      "Ed Fox: I support publication.",
      "Ann Lee: WGLC has ended. The chairs see rough consensus to publish; Di's comment was discussed.",
    ],
  },
  {
    name: "no consensus, says the chair",
    subject: "Call for adoption: draft-kim-baz",
    level: "contested",
    decision: "no-consensus",
    mails: [
      "Ann Lee: This is an adoption call for draft-kim-baz.",
      "Bo Kim: I support it as author.",
      "Cy Roe: I don't think we should adopt this.",
      "Ann Lee: There is no consensus to adopt at this time.",
    ],
  },
  {
    name: "a call that nobody answers",
    subject: "Call for adoption: draft-roe-qux",
    level: "undecided",
    tally: null,
    decision: null,
    mails: [
      "Ann Lee: This starts an adoption call for draft-roe-qux.",
      "Ann Lee: Reminder, this call ends on Friday.",
    ],
  },
  {
    name: "talk in which nothing is asked",
    subject: "Build fails on Windows",
    level: "none",
    tally: null,
    decision: null,
    mails: [
      "Ann Lee: The build fails with error 5 since yesterday.",
      "Bo Kim: Which compiler do you use?",
      "Ann Lee: 12.2, from the package manager.",
      "Cy Roe: Known bug, see the tracker.",
    ],
  },
  {
    name: "an objection that is resolved",
    subject: "Proposal: drop Python 3.7",
    level: "strong",
    stands: { "Cy Roe": "support" },
    mails: [
      "Ann Lee: I propose that we drop Python 3.7 in the next release.",
      "Bo Kim: +1",
      "Cy Roe: I object, our customers still use it.",
      "Ann Lee: We would keep a branch with security fixes for two years.",
      "Cy Roe: OK, that addresses my concerns.",
      "Di Poe: Works for me.",
    ],
  },
  {
    name: "somebody who is convinced",
    subject: "Proposal: move to Git",
    level: "rough",
    stands: { "Bo Kim": "support" },
    mails: [
      "Ann Lee: I propose moving to Git.",
      "Bo Kim: I am opposed to this.",
      "Ann Lee: The mirror stays read-only, nothing is lost.",
      "Bo Kim: You convinced me.",
      "Cy Roe: I'm in favour.",
    ],
  },
  {
    name: "reported positions",
    subject: "Proposal: new logo",
    level: "undecided",
    stands: {},
    mails: [
      "Ann Lee: I propose the blue logo.",
      "Bo Kim: Cy objects to blue, he told me. Di supports it, I hear.",
      "Ann Lee: Then let them write here.",
    ],
  },
  {
    name: "lazy consensus",
    subject: "Removing the old parser",
    level: "undecided",
    decision: null,
    mails: [
      "Ann Lee: If nobody objects, I will remove the old parser in 72 hours.",
      "Bo Kim: No objection from me.",
    ],
  },
  {
    name: "a patch that is applied",
    subject: "[PATCH] net: fix leak in foo",
    level: "rough",
    decision: "merged",
    stands: { "Bo Kim": "support" },
    mails: [
      "Ann Lee: Fix a leak.\n\nSigned-off-by: Ann Lee <ann.lee@example.org>",
      "Bo Kim: Reviewed-by: Bo Kim <bo.kim@example.org>",
      "Cy Roe: Applied, thanks!",
    ],
  },
  {
    name: "a patch that is refused",
    subject: "[PATCH v2] sched: add knob",
    level: "contested",
    stands: { "Bo Kim": "object", "Cy Roe": "object" },
    mails: [
      "Ann Lee: Add a knob.\n\nSigned-off-by: Ann Lee <ann.lee@example.org>\nAcked-by: Di Poe <di@example.org>",
      "Bo Kim: NAK. We have enough knobs.",
      "Cy Roe: I agree with Bo.",
      "Di Poe: Acked-by: Di Poe <di.poe@example.org>",
    ],
  },
  {
    name: "a proposal that is withdrawn",
    subject: "Proposal: rename the project",
    level: "undecided",
    decision: "withdrawn",
    mails: [
      "Ann Lee: I propose to rename the project.",
      "Bo Kim: -1",
      "Cy Roe: I don't like this idea.",
      "Ann Lee: OK, I withdraw the proposal.",
    ],
  },
  {
    name: "one voice against one",
    subject: "Proposal: tabs instead of spaces",
    level: "undecided",
    mails: ["Ann Lee: I propose tabs.", "Bo Kim: +1", "Cy Roe: -1"],
  },
  {
    name: "votes on parts",
    subject: "Proposal: new style guide",
    level: "rough",
    tally: [3, 1, 0],
    stands: { "Cy Roe": "neutral" },
    mails: [
      "Ann Lee: I propose a style guide with tabs and short lines.",
      "Bo Kim: +1",
      "Cy Roe: -1 on tabs, +1 on short lines",
      "Di Poe: +1",
    ],
  },
  {
    name: "conditional support",
    subject: "Call for adoption: draft-poe-quux",
    level: "strong",
    mails: [
      "Ann Lee: Call for adoption of draft-poe-quux.",
      "Bo Kim: I support adoption provided that the IANA section is completed.",
      "Cy Roe: I support it.",
      "Di Poe: Support adoption!",
    ],
  },
  {
    name: "condition only",
    subject: "Call for adoption: draft-poe-corge",
    level: "undecided",
    stands: { "Bo Kim": "neutral" },
    mails: [
      "Ann Lee: Call for adoption of draft-poe-corge.",
      "Bo Kim: I would support this if there were an implementation.",
      "Cy Roe: Has anybody implemented it?",
    ],
  },
  {
    name: "the same person from two addresses",
    subject: "[VOTE] Release Foo 3.0",
    level: "rough",
    tally: [2, 0, 0],
    mails: [`Ann Lee: ${ballot}`, "Bo Kim: +1", "Cy Roe: +1", "Bo  Kim: +1, once more from home"],
  },
  {
    name: "quoted votes in the text",
    subject: "[VOTE] Release Foo 3.1",
    level: "undecided",
    tally: [1, 0, 0],
    mails: [
      `Ann Lee: ${ballot}`,
      "Bo Kim: > -1 because of licence\n\nI could not find that problem. +1",
      'Cy Roe: Di wrote "-1" on IRC, what is the reason?',
    ],
  },
  {
    name: "unanimous objections and a refusal",
    subject: "PEP 9999: remove floats",
    level: "strong",
    decision: "rejected",
    mails: [
      "Ann Lee: I propose to remove floats.",
      "Bo Kim: -1",
      "Cy Roe: I strongly oppose this.",
      "Di Poe: -1000",
      "Ann Lee: The PEP is rejected, then.",
    ],
  },
  {
    name: "nothing but thanks",
    subject: "Proposal: weekly meeting",
    level: "undecided",
    stands: {},
    mails: [
      "Ann Lee: I propose a weekly meeting.",
      "Bo Kim: Thanks for organising this!",
      "Cy Roe: Nice work, thank you.",
    ],
  },
  {
    name: "a declared tally that differs",
    subject: "[VOTE] Release Foo 3.2",
    level: "strong",
    tally: [2, 0, 0],
    decision: "vote-passed",
    mails: [
      `Ann Lee: ${ballot}`,
      "Bo Kim: +1",
      "Cy Roe: +1",
      "Ann Lee {[RESULT] [VOTE] Release Foo 3.2}: The vote has passed:\n\n+1: Bo Kim, Cy Roe, Di Poe",
    ],
  },
  {
    name: "a result without its votes",
    subject: "[RESULT] [VOTE] Release Foo 3.3",
    level: "strong",
    tally: [3, 0, 1],
    decision: "vote-passed",
    mails: ["Ann Lee: The vote has passed with 3 +1 votes and one +0 vote."],
  },
  {
    name: "a postponed decision",
    subject: "Proposal: split the list",
    level: "undecided",
    decision: "postponed",
    mails: [
      "Ann Lee: I propose to split the list.",
      "Bo Kim: +1",
      "Cy Roe: I have concerns about moderation.",
      "Ann Lee: This will be postponed until the next meeting.",
    ],
  },
  {
    name: "a question is no objection",
    subject: "Proposal: use CMake",
    level: "rough",
    stands: { "Cy Roe": "question" },
    mails: [
      "Ann Lee: I propose CMake.",
      "Bo Kim: I'm in favour.",
      "Cy Roe: Does it run on AIX?",
      "Di Poe: Sounds good to me.",
    ],
  },
  {
    name: "agreement with an objector",
    subject: "Call for adoption: draft-orr-grault",
    level: "contested",
    stands: { "Cy Roe": "object" },
    mails: [
      "Ann Lee: Call for adoption of draft-orr-grault.",
      "Bo Kim: I object, this duplicates RFC 9999.",
      "Cy Roe: I agree with Bo.",
      "Di Poe: I support adoption.",
    ],
  },
  {
    name: "others' claims weigh less",
    subject: "Call for adoption: draft-fox-garply",
    level: "contested",
    mails: [
      "Ann Lee: Call for adoption of draft-fox-garply.",
      "Bo Kim: I object.",
      "Cy Roe: I support adoption.",
      "Di Poe: I oppose adoption.",
      "Cy Roe: I think there is rough consensus to adopt.",
    ],
  },
  {
    name: "a straw poll",
    subject: "Consensus call: two-byte header",
    level: "strong",
    mails: [
      "Ann Lee: This is a consensus call on the two-byte header.",
      "Bo Kim: Works for me.",
      "Cy Roe: I can live with it.",
      "Di Poe: LGTM",
      "Ed Fox: I agree.",
    ],
  },
  {
    name: "a big majority with an answered objection",
    subject: "WGLC draft-ietf-foo-waldo",
    level: "rough",
    mails: [
      "Ann Lee: This starts a WGLC for draft-ietf-foo-waldo.",
      "Bo Kim: Support publication.",
      "Cy Roe: I support publication.",
      "Di Poe: Ready for publication.",
      "Ed Fox: I don't think this is ready.",
    ],
  },
  {
    name: "a sarcastic remark in quotation marks",
    subject: "Proposal: AI reviews",
    level: "undecided",
    stands: {},
    mails: [
      "Ann Lee: I propose that a bot reviews patches.",
      'Bo Kim: I can already hear the "I fully support this" from marketing.',
      'Cy Roe: Our "+1" culture is the problem.',
    ],
  },
  {
    name: "three who do not mind",
    subject: "Proposal: new meeting time",
    level: "rough",
    mails: [
      "Ann Lee: I propose 15:00 UTC.",
      "Bo Kim: I don't mind.",
      "Cy Roe: No objection.",
      "Di Poe: I can live with that.",
    ],
  },
  {
    name: "a vote by words",
    subject: "[VOTE] Elect Bo as chair",
    level: "strong",
    tally: [3, 0, 1],
    mails: [
      "Ann Lee: Please vote on the election.",
      "Cy Roe: I vote yes.",
      "Di Poe: +1 for Bo",
      "Ed Fox: I abstain.",
      "Gil Orr: +1",
    ],
  },
  {
    name: "a vote on code with a standing -1",
    subject: "[VOTE] Merge branch rewrite",
    level: "rough",
    tally: [3, 1, 0],
    mails: [
      "Ann Lee: Please vote on merging the branch.",
      "Bo Kim: +1",
      "Cy Roe: +1",
      "Di Poe: +1",
      "Ed Fox: -1, it breaks the API",
    ],
  },
  {
    name: "a patch in the mail",
    subject: "Fix the counter",
    level: "none",
    tally: null,
    stands: {},
    mails: [
      "Ann Lee: Here is the fix.\n\n--- a/x.c\n+++ b/x.c\n@@ -1,2 +1,2 @@\n-1\n+1\n x\n",
      "Bo Kim: Which branch is this for?",
    ],
  },
];

describe("a thread", () => {
  it.each(threads)("is weighed as a reader weighs it: $name", (thread) => {
    const weighed = weigh(postsOf(thread));
    const standing = weighed.positions.filter(({ supersededBy }) => supersededBy === null);
    expect(weighed.level, weighed.reasons.join("\n")).toBe(thread.level);
    if (thread.tally !== undefined) {
      const { tally } = weighed;
      expect(tally && [tally.for, tally.against, tally.abstain]).toEqual(thread.tally);
    }
    if (thread.decision !== undefined) expect(weighed.decisions.at(-1)?.kind ?? null).toBe(thread.decision);
    const sides = standing.filter(({ stance }) => stance !== "question");
    if (thread.stands && Object.keys(thread.stands).length === 0) expect(sides).toEqual([]);
    for (const [name, stance] of Object.entries(thread.stands ?? {})) {
      expect(standing.find(({ person }) => person.name === name)?.stance, name).toBe(stance);
    }
  });
});
