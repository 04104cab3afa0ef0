import { describe, expect, it } from "vitest";
import { parseWhere } from "./parse-where.ts";

describe("what documents have to contain", () => {
  it("is a key and a value, and a dot looks inside", () => {
    expect(parseWhere([], "--where")).toEqual([]);
    expect(parseWhere(["list=quic"], "--where")).toEqual([{ list: "quic" }]);
    expect(parseWhere(["author.name=Ann", "author.place=Oslo"], "--where")).toEqual([
      { author: { name: "Ann", place: "Oslo" } },
    ]);
    expect(parseWhere(["formula=a=b", "empty="], "--where")).toEqual([{ formula: "a=b", empty: "" }]);
  });

  it("may be a number or the same as a text, whatever the document has", () => {
    expect(parseWhere(["size=3", "seen=true"], "--where")).toEqual([
      { size: "3", seen: "true" },
      { size: "3", seen: true },
      { size: 3, seen: "true" },
      { size: 3, seen: true },
    ]);
  });

  it("is refused as wrong usage when it says nothing", () => {
    for (const text of ["", "list", "=quic", ".=x", "a..b=x"]) {
      expect(() => parseWhere([text], "--where")).toThrow(
        `--where is "${text}"; expected key=value, such as list=quic.`,
      );
    }
  });
});
