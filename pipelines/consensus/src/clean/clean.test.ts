import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Cleaned } from "./clean.ts";
import { cleanText } from "./clean.ts";

describe("cleaning", () => {
  it("cuts trailing spaces, collapses blank lines and trims the outer ones", () => {
    expect(cleanText("\r\n \r\nOne.  \r\n\r\n\r\n\t\r\nTwo.\rThree.\n\n").clean).toBe("One.\n\nTwo.\nThree.");
  });

  it("says what it removed, where and why", () => {
    const text = "Yes.\n\nAnna wrote:\n> one\n\n> two\nNo.\n-- \nBert\n";
    const { removed } = cleanText(text);
    expect(removed.map(({ start, end, kind }) => [kind, text.slice(start, end)])).toEqual([
      ["attribution", "Anna wrote:\n"],
      ["quote", "> one\n\n> two\n"],
      ["signature", "-- \nBert\n"],
    ]);
  });

  it.each(["", " ", "\n\n", "\r", "\u2028"])("makes nothing of nothing: %j", (text) => {
    expect(cleanText(text)).toEqual({ clean: "", removed: [] });
  });

  it.each([
    "--\nAnna Berg\n",
    "Sent from my iPhone\n",
    "[image: plan.png]\n",
    "To unsubscribe, e-mail: dev-unsubscribe@example.org\n",
    "---------- Forwarded message ---------\n",
  ])("leaves a mail that is nothing but a notice: %j", (text) => {
    expect(cleanText(text).clean).toBe(text.trim());
  });

  it("leaves nothing of a mail that only quotes, whatever hangs below it", () => {
    const text = "Anna wrote:\n> one\n\n-- \nBert\n____________________\nwg mailing list\nwg@example.org\n";
    expect(cleanText(text).clean).toBe("");
  });

  it("takes the signature above an old mail, and the farewell of a quoted one with its quote", () => {
    const text =
      "+1\n\nBest,\nBert\n\n-- \nBert\n\nSent from my phone\n\nOn 3 May 2021 10:15, Anna <a@b.org> wrote:\n> Vote!\n> -- \n> Anna\n";
    expect(cleanText(text).clean).toBe("+1\n\nBest,\nBert");
  });
});

const ownLine = fc.constantFrom(
  "I support the adoption of this draft.",
  "  indented words of mine",
  "- a point in a list",
  "What about section 3?",
  "No.",
  "+1",
  "| a | b |",
  "$ make test > log",
);
const ownPart = fc.array(ownLine, { minLength: 1, maxLength: 4 });
const quotePart = fc
  .tuple(
    fc.constantFrom("> ", ">> ", ">", " > ", "> > "),
    fc.array(fc.lorem({ maxCount: 6 }), { minLength: 1 }),
  )
  .map(([mark, lines]) => lines.map((line) => mark + line));
const attribution = fc.constantFrom(
  [],
  ["On 3 May 2021 10:15, Anna <a@b.org> wrote:"],
  ["Anna Berg schrieb am 03.05.2021:"],
  ["On Mon, 3 May 2021 at 10:15, Anna Berg", "<anna@example.org> wrote:"],
);
const tail = fc.constantFrom(
  [],
  ["-- ", "Anna"],
  ["Sent from my iPhone"],
  ["_____________________________", "wg mailing list", "wg@example.org", "https://example.org/listinfo/wg"],
);

interface Mail {
  readonly own: readonly string[];
  readonly text: string;
}

/** A mail with known lines of its author. */
const mail: fc.Arbitrary<Mail> = fc
  .tuple(ownPart, fc.array(fc.tuple(attribution, quotePart, ownPart), { maxLength: 4 }), tail)
  .map(([first, parts, last]) => ({
    own: [...first, ...parts.flatMap(([, , own]) => own)],
    text: [
      ...first,
      "",
      ...parts.flatMap(([introduction, quote, own]) => [...introduction, ...quote, "", ...own, ""]),
      ...last,
      "",
    ].join("\n"),
  }));

const rough = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 20 }),
      fc.constantFrom(
        ">",
        "> a",
        "-- ",
        "--",
        "",
        "wrote:",
        "On 1/1/2001 10:00 X <a@b.c> wrote:",
        "```",
        "@@ -1,2 +1,2 @@",
      ),
      fc.constantFrom(
        "From: a",
        "Date: 1",
        "To: b",
        "Subject: c",
        "---------- Forwarded message ---------",
        "____________",
      ),
      fc.constantFrom(
        "-----BEGIN PGP SIGNATURE-----",
        "AB> x",
        "| x",
        ": x",
        "[image: x]",
        "Sent from my iPhone",
        "[...]",
      ),
    ),
    { maxLength: 30 },
  )
  .map((lines) => lines.join("\n"));

describe("for every mail", () => {
  it("exactly the author's lines are left, in their order", () => {
    fc.assert(
      fc.property(mail, ({ own, text }) => {
        expect(linesOf(cleanText(text).clean)).toEqual(own);
      }),
    );
  });

  it("cleaning what is clean removes nothing", () => {
    fc.assert(
      fc.property(mail, ({ text }) => {
        const { clean } = cleanText(text);
        expect(cleanText(clean)).toEqual({ clean, removed: [] });
      }),
    );
  });

  it("spans are sorted and disjoint, and what is outside of them is what is left", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          rough,
          mail.map(({ text }) => text),
        ),
        (text) => expectWhole(text, cleanText(text)),
      ),
      {
        numRuns: 400,
      },
    );
  });
});

const linesOf = (text: string) =>
  text.split(/\r\n|\n|\r/).flatMap((line) => (line.trim() === "" ? [] : [line.trimEnd()]));

function expectWhole(text: string, { clean, removed }: Cleaned): void {
  let at = 0;
  let rest = "";
  for (const { start, end } of removed) {
    if (start < at || end <= start || end > text.length) expect.fail(`span ${start}–${end} after ${at}`);
    rest += text.slice(at, start);
    at = end;
  }
  const left = linesOf(rest + text.slice(at)).join("\n");
  if (linesOf(clean).join("\n") !== left) expect.fail(`${clean.slice(0, 500)} is not ${left.slice(0, 500)}`);
  expect(clean).not.toMatch(/\n\n\n|^\n|[ \t]\n|\n$/);
}

describe("a megabyte of garbage", () => {
  const size = 1 << 20;
  it.each([
    ">",
    "> a\nb\n",
    "-- \n",
    "On Mon, 1 Jan 2001 10:00 X <a@b.c> wrote:\n",
    "wrote:\nA ",
    "From: a@b\nDate: 1\nTo: c\nSubject: d\n\n",
    "---------- Forwarded message ----------\n> x\n",
    "-----BEGIN PGP SIGNATURE-----\n",
    "@@ -1,999999 +1,999999 @@\n x\n",
    "AB> x\nCD> y\n\n",
    "To unsubscribe, e-mail: x@y\n",
    `${" ".repeat(1990)}x:\n`,
    `${"a@b <c ".repeat(250)}:\n`,
  ])("is cleaned in one go: %j", (unit) => {
    const text = unit.repeat(Math.ceil(size / unit.length));
    expectWhole(text, cleanText(text));
  });
});
