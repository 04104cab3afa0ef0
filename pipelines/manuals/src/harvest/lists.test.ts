import { describe, expect, it } from "vitest";
import { entriesOf } from "../../test/pages-of.ts";
import { type PdfText, writePdf } from "../generated/pdf-writer.ts";

const heading = (text: string): PdfText => ({ x: 60, y: 70, text, bold: true, size: 18 });
const lines = (texts: readonly (string | readonly [number, string])[]): PdfText[] =>
  texts.map((line, index) => {
    const [indent, text] = typeof line === "string" ? [0, line] : line;
    return { x: 60 + indent, y: 110 + index * 14, text };
  });
const read = async (texts: readonly PdfText[]) =>
  (await entriesOf(writePdf({ title: "t", pages: [{ texts }] }))).map(({ texts: told }) => told);

describe("a list below a heading that promises codes", () => {
  it("may explain a code in the line below, as far left as the code", async () => {
    const list = lines([
      "101 Illegal character.",
      "The source has a character that is none of the alphabet.",
      "108 Unmatched bracket",
      "114 Divide by zero.",
      "Check the divisor.",
    ]);
    expect(await read([heading("2.5.1 Errors"), ...list])).toEqual([
      {
        ...{ code: "101", problem: "Illegal character." },
        cause: "The source has a character that is none of the alphabet.",
      },
      { code: "108", problem: "Unmatched bracket" },
      { code: "114", problem: "Divide by zero.", remedy: "Check the divisor." },
    ]);
  });

  it("may have hexadecimal codes behind bullets", async () => {
    const list = lines([
      "- 0x01 - BAD_CALL - the call is not known",
      [12, "to the device."],
      "- 0x0A (-10) - NO_PATH - the way is closed.",
      "- 0x0C (-12) - TIME_OUT",
    ]);
    expect(await read([heading("Fehlercodes"), ...list])).toEqual([
      { code: "0x01", problem: "BAD_CALL", cause: "the call is not known to the device." },
      { code: "0x0A", problem: "NO_PATH", cause: "the way is closed." },
      { code: "0x0C", problem: "TIME_OUT" },
    ]);
  });

  it("may name a code by a symbol before its number", async () => {
    const list = lines([
      "SAME_FILE 101 both files are the same",
      "NOT_OPENED 104 could not open",
      "NOT_CLOSED 110",
    ]);
    expect(await read([heading("Error status codes"), ...list])).toMatchObject([
      { code: "101" },
      { code: "104" },
      { code: "110", problem: "NOT_CLOSED" },
    ]);
  });

  it("may quote messages with the explanation further right", async () => {
    const list = lines([
      '"missing separator. Stop."',
      '"missing rule. Stop."',
      [50, "A line could not be understood."],
      '"no targets"',
      [50, "Nothing is to be done."],
    ]);
    expect(await read([heading("Error messages"), ...list])).toEqual([
      {
        problem: '"missing separator. Stop." / "missing rule. Stop."',
        cause: "A line could not be understood.",
      },
      { problem: '"no targets"', cause: "Nothing is to be done." },
    ]);
  });

  it("ends at a heading that promises nothing", async () => {
    const list = lines(["101 Illegal character.", "108 Unmatched bracket", "114 Divide by zero."]);
    const below: PdfText[] = [
      { x: 60, y: 200, text: "Dimensions", bold: true, size: 18 },
      ...["220 Length of the frame", "221 Width of the frame", "222 Height of the frame"].map(
        (text, index) => ({ x: 60, y: 230 + index * 14, text }),
      ),
    ];
    expect(await read([heading("Error codes"), ...list, ...below])).toHaveLength(3);
    expect(await read([heading("Sizes"), ...list])).toEqual([]);
  });
});

describe("fields with a name", () => {
  it("are a trouble without a code, over the end of a page", async () => {
    const pages = [
      { texts: lines(["Problem: The pump is loud.", "Solution: Grease it.", "Problem: It leaks."]) },
      { texts: lines(["Solution: Replace the seal."]) },
    ];
    expect(
      (await entriesOf(writePdf({ title: "t", pages }))).map(({ page, texts }) => [page, texts]),
    ).toEqual([
      [1, { problem: "The pump is loud.", remedy: "Grease it." }],
      [1, { problem: "It leaks.", remedy: "Replace the seal." }],
    ]);
  });

  it("need a cause or a remedy", async () => {
    expect(await read(lines(["Problem: a word in prose.", "Note: nothing else."]))).toEqual([]);
  });
});
