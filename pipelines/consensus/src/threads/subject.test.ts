import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normaliseSubject } from "./subject.ts";

describe("the base of a subject", () => {
  it.each([
    "Plain words",
    "Re: Plain words",
    "RE: re: Plain  words",
    "Re[2]: Plain words",
    "Re (4): plain words",
    "Re^3: Plain words",
    "Re2: Plain words",
    "Re : Plain words",
    "Re\u00a0: Plain words",
    "Aw: Plain words",
    "AW: WG: Plain words",
    "SV: VS: Plain words",
    "Rif: R: Plain words",
    "Antw: Odp: Plain words",
    "RES: ENC: Plain words",
    "Ответ: Plain words",
    "回复：Plain words",
    "答复: 回覆: Plain words",
    "返信: Plain words",
    "Fwd: FW: Tr: Enc: Plain words",
    "Plain words (fwd) (FWD)",
    "[Fwd: Plain words]",
    "Re: [fwd: [list] Plain words]",
    "[list] Plain words",
    "[list] Re: [other-list] AW: Plain words",
    "Re [list]: Plain words",
    "Re: [EXTERNAL] [list] Plain words",
    "Re: Plain\r\n\twords",
    "  Plain words  ",
  ])("%j is about the plain words", (subject) => {
    expect(normaliseSubject(subject).base).toBe("plain words");
  });

  it.each([
    ["[PATCH v2 3/4] net: fix it", "[patch v2 3/4] net: fix it"],
    ["Re: [bpf] [PATCH v2 3/4] net: fix it", "[patch v2 3/4] net: fix it"],
    ["Re: [VOTE] Release 1.0", "[vote] release 1.0"],
    ["[RESULT][VOTE] Release 1.0", "[result][vote] release 1.0"],
    ["[Bug 1234] crash", "[bug 1234] crash"],
    ["TR-069: a protocol", "tr-069: a protocol"],
    ["VS 2019: crash", "vs 2019: crash"],
    ["Reply: not a prefix", "reply: not a prefix"],
    ["Regarding: x", "regarding: x"],
    ["[xyz]", "[xyz]"],
    ["[a] [b]", "[b]"],
    ["[unclosed words", "[unclosed words"],
    ["Re:", ""],
    ["", ""],
    ["(fwd)", ""],
    ["[fwd:]", ""],
  ])("%j has the base %j", (subject, base) => {
    expect(normaliseSubject(subject).base).toBe(base);
  });

  it("is shown in its own case", () => {
    expect(normaliseSubject("RE: [quic] Key Update").text).toBe("Key Update");
  });

  it.each([
    ["Re: x", true, false],
    ["Fwd: x", false, true],
    ["WG: x", false, true],
    ["x (fwd)", false, true],
    ["AW: Fwd: x", true, true],
    ["[list] Re: x", true, false],
    ["x", false, false],
    ["x: Re: y", false, false],
  ])("%j is a reply: %j, a forward: %j", (subject, isReply, isForward) => {
    expect(normaliseSubject(subject)).toMatchObject({ isReply, isForward });
  });
});

describe("any string as a subject", () => {
  const pieces = fc.constantFrom(
    "Re:",
    "Fwd:",
    "[list]",
    "(fwd)",
    "[fwd:",
    "]",
    "[",
    " ",
    "a",
    "Re[2]:",
    "[VOTE]",
  );

  it("has a base that is its own base", () => {
    const subjects = fc.oneof(
      fc.array(pieces).map((each) => each.join("")),
      fc.string(),
    );
    fc.assert(
      fc.property(subjects, (subject) => {
        const { text, base } = normaliseSubject(subject);
        const again = normaliseSubject(text);
        expect(again).toEqual({ text, base, isReply: false, isForward: false });
      }),
    );
  });

  it.each(["Re: ", "[a] ", "[fwd:", "(fwd)", "[", "Re [", " ", "回复：", "[a", "R"])(
    "of a million characters of %j is read in one go",
    (piece) => {
      const text = piece.repeat(1_000_000 / piece.length);
      for (const subject of [text, `${text}x`, `${text}]`, `${text} (fwd)`]) {
        expect(normaliseSubject(subject).base.length).toBeLessThanOrEqual(subject.length);
      }
    },
  );
});
