import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csvCell } from "./export.ts";

describe("a cell of a CSV file", () => {
  it("is bare where it can be, and quoted where it must be", () => {
    const cells = ["plain", 12, -3, true, null, undefined, "a,b", 'say "hi"', "two\nlines", ""].map(csvCell);
    expect(cells).toEqual(["plain", "12", "-3", "true", "", "", '"a,b"', '"say ""hi"""', '"two\nlines"', ""]);
  });

  it("holds objects and lists as JSON", () => {
    expect(csvCell({ name: "Anna", address: "a@example.org" })).toBe(
      '"{""name"":""Anna"",""address"":""a@example.org""}"',
    );
    expect(csvCell([])).toBe("[]");
  });

  it("is never a formula", () => {
    for (const text of ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"]) {
      const cell = csvCell(text).replace(/^"/, "");
      expect(cell.startsWith("'")).toBe(true);
    }
  });

  it("reads back as what it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const cell = csvCell(text);
        const isQuoted = cell.startsWith('"');
        const read = isQuoted ? cell.slice(1, -1).replaceAll('""', '"') : cell;
        expect(read.replace(/^'(?=[=+\-@\t\r])/, "")).toBe(text.replace(/^'(?=[=+\-@\t\r])/, ""));
        if (!isQuoted) expect(cell).not.toMatch(/[",\r\n]/);
      }),
    );
  });
});
