import { describe, expect, it } from "vitest";
import { type Post, weigh } from "./weigh.ts";

/** Stance of an answer's author, in a thread that begins with a proposal or a call for help. */
function stanceOf(words: string, opening: "proposal" | "help", name = "Pat Example"): string {
  const root = { name: "Rae Root", address: "rae@example.net" };
  const isProposal = opening === "proposal";
  const subject = isProposal ? "Proposal: use foo" : "foo fails with bar";
  const posts: readonly Post[] = [
    {
      id: "opening",
      parent: null,
      from: root,
      date: "2024-01-01T00:00:00Z",
      subject,
      clean: isProposal ? "I propose that we use foo." : "My server prints an error when bar is loaded.",
    },
    {
      id: "answer",
      parent: "opening",
      from: { name, address: "pat@example.org" },
      date: "2024-01-02T00:00:00Z",
      subject: `Re: ${subject}`,
      clean: words,
    },
  ];
  return weigh(posts).positions.find(({ message }) => message === "answer")?.stance ?? "nothing";
}

const table = (text: string): readonly (readonly [string, string])[] =>
  text
    .trim()
    .split("\n")
    .map((line) => {
      const bar = line.indexOf("|");
      return [
        line.slice(0, bar).trim(),
        line
          .slice(bar + 1)
          .trim()
          .replaceAll("↵", "\n"),
      ] as const;
    });

/** Phrases that look like a stance and are none, beside similar phrases that are; "↵" ends a line. */
const answersToProposal = table(`
nothing  | Your example works for me, thanks.
nothing  | This is a small recipe that works for me.
nothing  | Whatever works for you.
nothing  | I'm trying to make this branch work for me.
support  | Works for me.
support  | That works for me.
support  | Fine by me.
nothing  | CGI Script Error: Premature end of script headers.
nothing  | That smells of premature optimization.
object   | I think this is premature.
nothing  | The library does the right thing here.
support  | I think this is the right thing to do.
nothing  | Install it, restart, and then you are good to go.
support  | It's good to go.
nothing  | As far as I'm concerned, the list is the place to ask.
object   | I'm concerned about the upgrade.
nothing  | It should do that by itself.
nothing  | All changes of the menu should be applied to that frame's menu bar.
nothing  | The filter should drop this packet.
nothing  | We should release this lock before the call.
support  | We should release this soon.
object   | We should drop this.
nothing  | For streaming I need to support HTTP 1.1 and chunked encoding.
nothing  | We build it for all the platforms we support, and for more.
nothing  | I still support the kernel community.
nothing  | This section needs more context so that it makes sense on its own.
nothing  | He convinced me it's nicer to keep it in a database.
nothing  | Perhaps I will change my mind after the next release.
nothing  | That doesn't mean that I don't want to support all of the use cases.
nothing  | I don't think I'd disagree with that.
nothing  | My mailer gets confused and replies to the wrong place.
object   | This is the wrong place for it.
nothing  | Use the results with care, as they can send you in a wrong direction.
object   | I fear that this is a step in the wrong direction.
nothing  | Fax: +33 (0)1 40 61 33 30
nothing  | [ Expires : -1 ]
nothing  | self.send('Basic ' + cred[:-1])
support  | +100 from me
nothing  | The current set-up is working just fine for me.
support  | Dundee is OK with me.
support  | Tuesday would work for me.
object   | The second week would not work for me.
support  | Support as co-author.
nothing  | I am still trying to resolve my issues with the network.
nothing  | It's probably worth having a discussion after five years.
nothing  | Gerrit mangles mail in a way that is not acceptable to many developers.
object   | This is not acceptable.
nothing  | I felt that it would be a showstopper for them.
nothing  | I will try to convince them that it's a bad idea.
nothing  | That does not mean it's not a good idea to share them.
nothing  | Having it in two places was not the best idea.
object   | I don't think it's a good idea.
neutral  | I only partly agree with that.
neutral  | I partially agree.
support  | I agree.
nothing  | Doug convinced me to try his forms.
support  | You have convinced me.
nothing  | We now support both!
support  | We support both options.
nothing  | I need to be comfortable with the current state first.
support  | I'm comfortable with that.
nothing  | I back it up every night.
nothing  | If I remember it correctly, you would have to see your↵NACK recorded in the patch.
object   | I looked at it twice.↵NACK
nothing  | The protocol is multicast, ordered and reliable,↵NACK-based, with congestion control.
nothing  | The rules say that a release needs at least three↵+1 votes from members.
support  | I ran all of the tests on two machines and they passed↵+1 (binding)
nothing  | d.addCallback(????)
nothing  | The client?s handle is lost as it happens? (maybe every 4 seconds).
question | The client?s handle is lost. Is that known?
question | Did you try foo(bar)?
nothing  | The code:↵↵    x = load()↵    # I'm probably making a mistake here
nothing  | From the chat:↵+1 Cy Roe↵+1 Di Poe
support  | From the chat:↵+1 Cy Roe↵+1 Pat Example
support  | +1 Great Work
nothing  | +1 Rae
support  | +1 Pat
nothing  | So far:↵+1 (binding): Cy Roe, Di Poe
support  | [ ] -1  [ ] 0  [x] +1
nothing  | [ ] -1  [ ] 0  [ ] +1
`);

const answersToHelp = table(`
nothing  | It works fine for me.
nothing  | I have problems with all the examples, even with the one in the tutorial.
nothing  | favicon.ico is what browsers request. I hate it.
nothing  | I'm quite happy with Emacs.
nothing  | I agree, the parser is at fault.
nothing  | It should be applied to the copy.
nothing  | I object to changing this.
nothing  | +1
`);

describe("words that look like a side", () => {
  it.each(answersToProposal)("are read as %s in an answer to a proposal: %s", (stance, words) => {
    expect(stanceOf(words, "proposal")).toBe(stance);
  });

  it.each(answersToHelp)("are read as %s in a thread that asks for help: %s", (stance, words) => {
    expect(stanceOf(words, "help")).toBe(stance);
  });

  it.each(["GitBox", "Apache Jenkins Server", "kernel test robot", "dependabot[bot]", "Zuul"])(
    "are nobody's when %s wrote them",
    (robot) => {
      expect(stanceOf("bokim commented:\n\n+1, I support this. Why not?", "proposal", robot)).toBe("nothing");
    },
  );

  it("are nobody's when a service passes on those of a third", () => {
    const notice = "Github user bokim commented on the issue:\n\n    https://example.org/x/pull/7\n\n    +1";
    expect(stanceOf(notice, "proposal")).toBe("nothing");
    expect(stanceOf(notice, "proposal", "bokim")).toBe("support");
  });

  it("are somebody's when a program sends them in their name", () => {
    expect(stanceOf("+1", "proposal", "Pat Example (JIRA)")).toBe("support");
    expect(stanceOf("+1", "proposal", "Abbot")).toBe("support");
  });

  it("do not make who opens a thread with a complaint an opponent", () => {
    const opening = {
      id: "opening",
      parent: null,
      from: { name: "Rae Root", address: "rae@example.net" },
      date: null,
      subject: "web forms",
      clean: "I have problems with this. The examples are a bad idea.",
    };
    expect(weigh([opening]).positions).toEqual([]);
  });
});
