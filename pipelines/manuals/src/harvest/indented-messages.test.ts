import { describe, expect, it } from "vitest";
import { entriesOf } from "../../test/pages-of.ts";
import { type PdfText, writePdf } from "../generated/pdf-writer.ts";

const heading: PdfText = { x: 60, y: 80, size: 16, bold: true, text: "Error messages" };
const message = (y: number, text: string): PdfText => ({ x: 85, y, text });
const said = (y: number, text: string): PdfText => ({ x: 60, y, text });

async function read(texts: readonly PdfText[]) {
  const bytes = writePdf({
    title: "m",
    pages: [{ texts }],
    bookmarks: [{ title: "Error messages", page: 1 }],
  });
  return (await entriesOf(bytes)).map(({ texts: own }) => own);
}

describe("messages further right than their explanations", () => {
  it("are entries below a promising heading, lists in explanations included", async () => {
    const found = await read([
      heading,
      message(120, "Pump does not answer"),
      said(145, "The cable of the pump is loose or broken."),
      message(175, "Valve <number> is stuck"),
      message(187, "and was switched off"),
      said(210, "The valve did not move. This has one of two reasons:"),
      { x: 75, y: 230, text: "• Ice in the housing of the valve." },
      said(250, "Warm it up before the next try."),
      message(280, "No water"),
      said(305, "The inlet is closed."),
    ]);
    expect(found.map(({ problem }) => problem)).toEqual([
      "Pump does not answer",
      "Valve <number> is stuck and was switched off",
      "No water",
    ]);
    expect(found[1]?.cause).toContain("Ice in the housing");
  });

  it("are no entries when lines of a listing stand between", async () => {
    const lines = ["if (error)", "retry()", "else", "stop()", "end"].map((text, at) =>
      at % 2 === 0 ? said(120 + at * 14, text) : message(120 + at * 14, text),
    );
    expect(await read([heading, ...lines])).toEqual([]);
  });
});
