import { describe, expect, it } from "vitest";
import type { Character } from "../pdf/characters.ts";
import { makeWords } from "./words.ts";

const glyph = (text: string, x0: number, x1: number, object = 1): Character => ({
  ...{ kind: "glyph", text, bold: false, angle: 0, object },
  box: [x0, 100, x1, 112],
});
const read = (...characters: Character[]) =>
  makeWords(characters, { height: 800, rotation: 0 }).map(({ text }) => text);

describe("words of Arabic", () => {
  it("have the letters of a ligature as a person writes them", () => {
    const [alef, lam] = [glyph("ا", 94, 101), glyph("ل", 94, 101)];
    expect(read(glyph("ك", 101, 106), alef, lam, glyph("ت", 85, 94))).toEqual(["كلات"]);
  });

  it("have a vowel mark after its letter, and no break before it", () => {
    const gap = glyph(" ", 110, 110, 0);
    expect(read(glyph("ي", 117, 120), gap, glyph("\u064b", 108, 110), glyph("ض", 107, 117.5))).toEqual([
      "يض\u064b",
    ]);
  });

  it("end where Latin letters touch them", () => {
    expect(read(glyph("P", 96, 103), glyph("y", 103, 109), glyph("م", 91, 96), glyph("ن", 85, 91))).toEqual([
      "Py",
      "من",
    ]);
  });

  it("leave ligatures of Latin letters alone", () => {
    expect(read(glyph("d", 60, 66), glyph("f", 66, 73), glyph("f", 66, 73), glyph("e", 73, 79))).toEqual([
      "dffe",
    ]);
  });
});
