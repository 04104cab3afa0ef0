import { describe, expect, it } from "vitest";
import { entriesOf } from "../../test/pages-of.ts";
import { type PdfText, writePdf } from "../generated/pdf-writer.ts";

type Line = readonly [number, number, number, number];
const at = (x: number, y: number, text: string, bold = false): PdfText => ({ x, y, text, bold });
const across = (xs: readonly [number, number], ys: readonly number[]): Line[] =>
  ys.map((y) => [xs[0], y, xs[1], y]);
const down = (xs: readonly number[], ys: readonly [number, number]): Line[] =>
  xs.map((x) => [x, ys[0], x, ys[1]]);
const read = async (texts: readonly PdfText[], lines: readonly Line[] = []) =>
  (await entriesOf(writePdf({ title: "t", pages: [{ texts, lines }] }))).map(
    ({ kind, texts: found, reader }) => ({
      kind,
      reader,
      ...found,
    }),
  );

describe("entries of a table drawn with lines", () => {
  it("a merged cell holds for all of its causes and remedies", async () => {
    const texts = [
      ...[at(60, 100, "Problem", true), at(200, 100, "Possible cause", true), at(340, 100, "Solution", true)],
      ...[at(60, 130, "Pump does not start"), at(200, 125, "No power"), at(340, 125, "Check the fuse")],
      ...[at(200, 150, "Motor blocked"), at(340, 150, "Free the shaft")],
      ...[at(60, 175, "Pump is loud"), at(200, 175, "Bearing dry"), at(340, 175, "Grease the bearing")],
    ];
    const lines = [
      ...across([55, 480], [88, 110, 160, 185]),
      ...across([190, 480], [135]),
      ...down([55, 190, 330, 480], [88, 185]),
    ];
    expect(await read(texts, lines)).toEqual([
      {
        ...{ kind: "trouble", reader: "cells", problem: "Pump does not start" },
        ...{ cause: "No power\nMotor blocked", remedy: "Check the fuse\nFree the shaft" },
      },
      {
        ...{ kind: "trouble", reader: "cells", problem: "Pump is loud" },
        ...{ cause: "Bearing dry", remedy: "Grease the bearing" },
      },
    ]);
  });

  it("parts below Portuguese heads", async () => {
    const texts = [
      ...[at(60, 100, "N° Peça", true), at(200, 100, "Descrição", true), at(340, 100, "Qtd", true)],
      ...[at(60, 125, "102"), at(200, 125, "Carcaça"), at(340, 125, "1")],
      ...[at(60, 150, "400.1"), at(200, 150, "Junta"), at(340, 150, "2")],
    ];
    const lines = [...across([55, 480], [88, 110, 135, 160]), ...down([55, 190, 330, 480], [88, 160])];
    expect(await read(texts, lines)).toMatchObject([
      { kind: "parts", part: "102", description: "Carcaça", quantity: "1" },
      { kind: "parts", part: "400.1", description: "Junta", quantity: "2" },
    ]);
  });
});

describe("a list of codes without a head", () => {
  const list = [
    at(60, 130, "E01 Water inlet fault. Open the tap."),
    at(60, 144, "E02 Drain fault. Clean the filter"),
    at(90, 158, "and the hose."),
    at(60, 172, "E03 Door open"),
  ];

  it("is read below a heading that promises codes", async () => {
    expect(await read([{ ...at(60, 90, "Error codes", true), size: 18 }, ...list])).toEqual([
      {
        kind: "trouble",
        reader: "lists",
        code: "E01",
        problem: "Water inlet fault.",
        remedy: "Open the tap.",
      },
      {
        ...{ kind: "trouble", reader: "lists", code: "E02", problem: "Drain fault." },
        remedy: "Clean the filter and the hose.",
      },
      { kind: "trouble", reader: "lists", code: "E03", problem: "Door open" },
    ]);
  });

  it("and not elsewhere", async () => {
    expect(await read([{ ...at(60, 90, "Terminals", true), size: 18 }, ...list])).toEqual([]);
  });
});
