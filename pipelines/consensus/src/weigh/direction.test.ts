import { describe, expect, it } from "vitest";
import { weigh } from "./weigh.ts";

/** The stance of an answer to an asking message. */
function stanceOf(subject: string, asked: string, answer: string): string | undefined {
  const { positions } = weigh([
    {
      id: "asked",
      parent: null,
      from: { name: "Ann Lee", address: "ann@example.org" },
      date: "2026-01-01T00:00:00.000Z",
      subject,
      clean: asked,
    },
    {
      id: "answer",
      parent: "asked",
      from: { name: "Bob Kay", address: "bob@example.org" },
      date: "2026-01-02T00:00:00.000Z",
      subject: `Re: ${subject}`,
      clean: answer,
    },
  ]);
  return positions.find(({ message }) => message === "answer")?.stance;
}

interface Case {
  readonly subject: string;
  readonly asked: string;
  readonly never: "support" | "object";
  readonly answers: readonly string[];
}

const cases: readonly Case[] = [
  {
    subject: "Drop the old format?",
    asked: "Should we drop the old format?",
    never: "object",
    answers: [
      "Nobody should run that any more.",
      "The old format is a bad idea.",
      "The old format is terrible, I never liked it.",
    ],
  },
  {
    subject: "Drop the old format?",
    asked: "Should we drop the old format?",
    never: "support",
    answers: [
      "I like the old format.",
      "I still support the old format.",
      "I love the old format and use it daily.",
      "Please keep it.",
    ],
  },
  {
    subject: "Removing FTP",
    asked: "Does anybody object to removing FTP?",
    never: "support",
    answers: ["Yes.", "Yes, I do.", "Absolutely."],
  },
  {
    subject: "Removing FTP",
    asked: "Does anybody object to removing FTP?",
    never: "object",
    answers: ["No.", "No, not at all."],
  },
  {
    subject: "Removing FTP",
    asked: "Any objections to removing FTP?",
    never: "object",
    answers: ["None here.", "Nope.", "Definitely not."],
  },
  {
    subject: "Removing FTP",
    asked: "Would anyone mind if we removed FTP?",
    never: "support",
    answers: ["I would."],
  },
  {
    subject: "Removing FTP",
    asked: "Would anyone mind if we removed FTP?",
    never: "object",
    answers: ["Please do!"],
  },
  {
    subject: "Removing FTP",
    asked: "Is there any reason not to remove FTP?",
    never: "support",
    answers: ["Certainly."],
  },
  {
    subject: "Removing FTP",
    asked: "Is there any reason not to remove FTP?",
    never: "object",
    answers: ["No, go ahead."],
  },
  {
    subject: "Move to GitHub",
    asked: "I propose that we move to GitHub.",
    never: "support",
    answers: [
      "I agree that GitHub is not a good idea.",
      "I was for it at first, but now I am against it.",
      "Staying where we are works for me.",
      "I'm happy with what we have.",
      "The current setup is fine with me.",
      "The current setup works for me.",
      "Great, another migration. Just what we needed.",
      "Yeah, right.",
      "Good luck with that.",
      "I'd love to, but we can't.",
      "Nice idea in theory.",
      "I wish I could support this.",
      "I used to like the idea.",
      "I like the idea of staying where we are.",
      "I support keeping our own server.",
      "I would welcome a decision to stay.",
      "Anything but that would be great.",
      "I couldn't agree less.",
      "I'm hardly in favour of this.",
      "There is no way I can support this.",
      "I'm far from convinced.",
      "This is neither useful nor needed.",
      "I'd support anything else.",
      "Sounds great, until you read the terms.",
      "It would be great if we did not do this.",
      "It would be great if you stopped proposing this.",
      "I agree with those who want to stay.",
    ],
  },
  {
    subject: "Move to GitHub",
    asked: "I propose that we move to GitHub.",
    never: "object",
    answers: [
      "I don't disagree.",
      "I can't say I'm against it.",
      "I see no sign that there is no agreement.",
      "I was against it at first, but now I am for it.",
      "It would be a mistake not to do this.",
      "I see no reason not to.",
      "I fail to see why anyone would object.",
      "Not moving would be a terrible mistake.",
      "Staying where we are is a bad idea.",
      "I don't think this is a bad idea.",
      "I don't think we should wait any longer.",
      "I don't see a problem with that.",
      "No problem at all.",
      "No doubt this is right.",
      "No, I think it's great!",
      "Can't argue with that.",
      "I couldn't agree more.",
      "Can't wait.",
      "You won't hear me complain.",
      "Never thought I'd say this, but I agree.",
      "Why not?",
      "I don't understand the objections.",
      "I don't share Bob's concerns.",
      "Not a bad idea.",
      "Not bad at all!",
      "I'm not opposed.",
      "I have nothing against it.",
    ],
  },
  {
    subject: "Revert the change",
    asked: "I think we should revert the change.",
    never: "support",
    answers: ["The change is good.", "I like the change."],
  },
  {
    subject: "Revert the change",
    asked: "I think we should revert the change.",
    never: "object",
    answers: ["The change was a mistake.", "The change is a bad idea."],
  },
  {
    subject: "Deprecate the old API",
    asked: "I propose to deprecate the old API.",
    never: "object",
    answers: ["The old API should not be used by anybody.", "I don't like the old API."],
  },
  {
    subject: "Deprecate the old API",
    asked: "I propose to deprecate the old API.",
    never: "support",
    answers: ["I'm in favour of the old API."],
  },
];

describe("nobody's position is turned round", () => {
  for (const { subject, asked, never, answers } of cases)
    it.each(answers)(`"${asked}" %j is never ${never}`, (answer) => {
      expect(stanceOf(subject, asked, answer)).not.toBe(never);
    });
});
