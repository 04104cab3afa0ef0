import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { enrichedToText } from "./enriched.ts";
import { unflow } from "./flowed.ts";

describe("flowed text", () => {
  it.each([
    ["one \ntwo \nthree\nfour", "one two three\nfour"],
    ["> one \n> two\nthree", "> one two\nthree"],
    [">one \n>two", ">one two"],
    [">> one \n> two", ">> one \n> two"],
    [" stuffed\n >not a quote", "stuffed\n>not a quote"],
    ["text \n-- \nAnn", "text \n-- \nAnn"],
    ["> text\n> -- \n> Ann", "> text\n> -- \n> Ann"],
    ["a\n\nb", "a\n\nb"],
    ["a \n\nb", "a \n\nb"],
    [">  \n> -x", ">  \n> -x"],
    ["last ", "last "],
  ])("%j reads %j", (text, expected) => expect(unflow(text, false)).toBe(expected));

  it("loses its blanks with delsp", () => expect(unflow("日本 \n語", true)).toBe("日本語"));

  it("keeps every word, in order", () => {
    const words = (text: string) => text.split(/[\s>]+/).filter((word) => word !== "");
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "b ", "> c ", "> d", ">> e ", "", "-- ", " f")), (lines) => {
        const text = lines.join("\n");
        expect(words(unflow(text, false))).toEqual(words(text));
      }),
    );
  });
});

describe("enriched text", () => {
  it.each([
    [
      "<bold>Now</bold> is the time\nfor <color><param>red</param>all</color> <<good>",
      "Now is the time for all <good>",
    ],
    ["one\n\ntwo\n\n\nthree", "one\ntwo\n\nthree"],
    ["a < b", "a < b"],
  ])("%j reads %j", (source, text) => expect(enrichedToText(source, false)).toBe(text));

  it("of the older kind has its own line breaks", () => {
    expect(enrichedToText("a\nb<nl>c <lt>d> <comment>no</comment>", true)).toBe("a b\nc <d> ");
  });
});
