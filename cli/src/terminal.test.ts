import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  oneLine,
  pad,
  printable,
  safeJson,
  shorten,
  showCount,
  showDay,
  table,
  widthOf,
  wrap,
} from "./terminal.ts";

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 80 }),
  fc.string({ unit: "grapheme", maxLength: 80 }),
  fc.constantFrom("\u001b[2J", "旧形式からの変換", "e\u0301", "👩‍👩‍👧", "a\r\nb", "\u202Eevil", "\ud800"),
);

describe("what a terminal shows", () => {
  it("is one line without anything that moves the cursor", () => {
    fc.assert(
      fc.property(text, (given) => {
        const shown = oneLine(given);
        expect(shown).not.toMatch(/\p{Cc}|[\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF]/u);
        expect(shown).toBe(shown.trim());
        expect(oneLine(shown)).toBe(shown);
      }),
    );
    expect(oneLine(" a\r\n\tb\u001b[31m \u0007c ")).toBe("a b[31m c");
  });

  it("keeps its lines and tabs where it may have several", () => {
    expect(printable("a\r\nb\rc\td\u001b[2J\u202E")).toBe("a\nb\nc\td[2J");
    fc.assert(
      fc.property(text, (given) => {
        expect(printable(given)).not.toMatch(/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/u);
      }),
    );
  });

  it("is as wide as a person sees it", () => {
    const widths = ["abc", "旧形式", "e\u0301", "🙂", "", "ＡＢ"].map(widthOf);
    expect(widths).toEqual([3, 6, 1, 2, 0, 4]);
  });

  it("is cut to a width, and says that it was", () => {
    expect(shorten("a long subject", 8)).toBe("a long…");
    expect(shorten("旧形式から", 6)).toBe("旧形…");
    expect(shorten("short", 5)).toBe("short");
    fc.assert(
      fc.property(text.map(oneLine), fc.integer({ min: 1, max: 40 }), (given, width) => {
        expect(widthOf(shorten(given, width))).toBeLessThanOrEqual(width);
        expect(widthOf(pad(shorten(given, width), width))).toBe(width);
      }),
    );
  });

  it("is filled up on the side that is asked for", () => {
    expect([pad("a", 3), pad("a", 3, "right"), pad("long", 3)]).toEqual(["a  ", "  a", "long"]);
  });

  it("breaks between words, with an indent, and loses none", () => {
    expect(wrap("one two three four", 10, "  ")).toBe("  one two\n  three\n  four");
    expect(wrap("", 10)).toBe("");
    fc.assert(
      fc.property(text, fc.integer({ min: 5, max: 60 }), (given, width) => {
        const lines = wrap(given, width, "  ").split("\n");
        expect(oneLine(lines.join(" "))).toBe(oneLine(given));
        const isTooLong = (line: string) => widthOf(line) > width && line.trim().includes(" ");
        expect(lines.filter(isTooLong)).toEqual([]);
      }),
    );
  });

  it("counts and dates as people do", () => {
    const counts = [showCount(1, "mail"), showCount(1234, "mail"), showCount(0, "person", "people")];
    expect(counts).toEqual(["1 mail", "1,234 mails", "0 people"]);
    expect([showDay("2024-05-31T10:00:00.000Z"), showDay(null)]).toEqual(["2024-05-31", "undated"]);
  });
});

describe("a table", () => {
  const columns = [
    { title: "ID", of: ([id]: string[]) => id as string },
    { title: "SUBJECT", of: ([, subject]: string[]) => subject as string, flexible: true },
    { title: "N", of: ([, , count]: string[]) => count as string, align: "right" as const },
  ];

  it("puts its cells below each other, numbers to the right", () => {
    const rows = [
      ["a", "First", "5"],
      ["bc", "旧形式", "12"],
    ];
    expect(table(rows, columns, 80)).toBe("ID  SUBJECT   N\na   First     5\nbc  旧形式   12");
  });

  it("fits the terminal, and stays a table whatever is in it", () => {
    const row = fc.array(text, { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (rows) => {
        const short = rows.map(([id, subject, count]) => [
          shorten(oneLine(id as string), 8),
          subject as string,
          shorten(oneLine(count as string), 8),
        ]);
        const lines = table(short, columns, 50).split("\n");
        expect(lines).toHaveLength(rows.length + 1);
        expect(lines.filter((line) => widthOf(line) > 50)).toEqual([]);
      }),
    );
  });
});

describe("JSON on a terminal", () => {
  it("has no control or direction character raw, and says the same to a parser", () => {
    const hostile = { subject: "a\u009B31mred\u202Egnp.exe\u200B\u2028\uFEFF\u0085", plain: "Zoë 日本" };
    const text = safeJson(hostile);
    expect(text).not.toMatch(/[\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/);
    expect(text).toContain("Zoë 日本");
    expect(JSON.parse(text)).toEqual(hostile);
  });
});
