import { describe, expect, it } from "vitest";
import type { Post } from "./findings.ts";
import { weigh } from "./weigh.ts";

let serial = 0;
const aPost = (from: string, clean: string, rest: Partial<Post> = {}): Post => {
  serial++;
  const address = `${from.toLowerCase()}@example.org`;
  return {
    id: `m${serial}`,
    parent: null,
    from: { name: `${from} Example`, address },
    date: new Date(Date.UTC(2026, 0, 1, 0, serial)).toISOString(),
    subject: "[PATCH] docs: describe the queue",
    clean,
    ...rest,
  };
};

/** A patch by Ann with answers, each to the patch unless it says otherwise. */
function aThread(...answers: readonly (readonly [from: string, text: string, to?: number])[]) {
  const posts = [aPost("Ann", "This patch describes the queue in the manual. Please review.")];
  for (const [from, text, to = 0] of answers) {
    const subject = "Re: [PATCH] docs: describe the queue";
    posts.push(aPost(from, text, { parent: posts[to]!.id, subject }));
  }
  return weigh(posts);
}

const sidesOf = ({ positions }: ReturnType<typeof weigh>): readonly string[] =>
  positions
    .filter(({ stance }) => stance !== "question")
    .map((each) => `${each.person.name}: ${each.stance}`);

describe("an answer to a patch", () => {
  it("that adds a signature of its author supports the patch", () => {
    expect(sidesOf(aThread(["Bob", "Signed-off-by: Bob Example <bob@example.org>"]))).toEqual([
      "Bob Example: support",
    ]);
  });

  it("with the signature of somebody else takes no side", () => {
    expect(sidesOf(aThread(["Bob", "Signed-off-by: Eve Example <eve@example.org>"]))).toEqual([]);
  });

  it("with polite words before a but is no support", () => {
    const { positions } = aThread(["Bob", "It looks good to me, but we no longer have a manual."]);
    expect(positions.map(({ stance }) => stance)).not.toContain("support");
  });

  it("that does not think it right objects; the same words further down do not", () => {
    expect(sidesOf(aThread(["Bob", "I don't think this is the right distinction."]))).toEqual([
      "Bob Example: object",
    ]);
    const below = aThread(
      ["Bob", "Which queue is meant here?"],
      ["Cid", "The one in memory, as far as I know.", 1],
      ["Dan", "I don't think that is correct.", 2],
    );
    expect(sidesOf(below)).toEqual([]);
  });

  it("that agrees with somebody who wrote nothing here takes no side", () => {
    expect(sidesOf(aThread(["Bob", "I agree with Zoe: the queue has two names."]))).toEqual([]);
  });

  it("to a later message of its author counts if it names the patch", () => {
    const named = aThread(
      ["Bob", "Which queue is meant here?"],
      ["Ann", "The one in memory.", 1],
      ["Bob", "I think the patch is a nice improvement.", 2],
    );
    expect(sidesOf(named)).toEqual(["Bob Example: support"]);
  });
});

describe("a patch", () => {
  it.each(["Thanks a lot, Ann. Patch applied.", "And applied.", "I just committed my version of Ann's fix."])(
    "is taken in by: %s",
    (text) => {
      expect(aThread(["Bob", text]).decisions.map(({ kind }) => kind)).toEqual(["merged"]);
    },
  );

  it("is not taken in by the message that offers it", () => {
    const posts = [aPost("Ann", "Which reply do you prefer?\n\n- Applied, thanks!\n\n- Does not apply.")];
    expect(weigh(posts).decisions).toEqual([]);
  });
});

describe("a thread in which nothing was asked at first", () => {
  const subject = "Trouble with the parser";
  const opening = aPost("Ann", "The parser stops after the first line of my file.", { subject });
  const reply = (from: string, text: string, to: Post): Post =>
    aPost(from, text, { parent: to.id, subject: `Re: ${subject}` });
  const turn = reply("Bob", "Should we make the parser skip such lines by default?", opening);

  it("is turned by a later question to the group, which the answers below it decide", () => {
    const yes = reply("Cid", "Yes, I am in favour of that.", turn);
    const { question, positions } = weigh([opening, turn, yes]);
    expect(question?.message).toBe(turn.id);
    expect(positions.filter(({ stance }) => stance === "support").map(({ message }) => message)).toEqual([
      yes.id,
    ]);
  });

  it("is not turned by a rhetorical question", () => {
    const asked = reply("Bob", "Exactly, so why should we make the parser do both things at once?", opening);
    expect(weigh([opening, asked, reply("Cid", "Right.", asked)]).question).toBeNull();
  });

  it("stays without a question if a person asks for help", () => {
    const help = aPost("Ann", "It would be nice if someone could explain the parser to me.", { subject });
    expect(
      weigh([help, reply("Bob", "You already have a good idea of how it works.", help)]).question,
    ).toBeNull();
  });

  it("stays without a question if nobody answers that message", () => {
    expect(weigh([opening, turn]).question).toBeNull();
  });
});
