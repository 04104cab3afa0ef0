import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sampleBook } from "../../sample/book.ts";
import { partsList, troubles } from "../../sample/troubles.ts";
import { entriesOf } from "../../test/pages-of.ts";
import { type PdfText, writePdf } from "../generated/pdf-writer.ts";
import { sampleManualPath } from "../sample.ts";

const onePage = (texts: readonly PdfText[]) => entriesOf(writePdf({ title: "t", pages: [{ texts }] }));
const row = (y: number, cells: readonly string[], bold = false): PdfText[] =>
  cells.map((text, at) => ({ x: 60 + at * 150, y, text, bold }));

describe("codes of the sample", () => {
  it("is the PDF that its builder writes", () => {
    expect(readFileSync(sampleManualPath()).equals(writePdf(sampleBook()))).toBe(true);
  });

  it("are all found over three pages, with cause and remedy, and none is invented", async () => {
    const found = (await entriesOf(readFileSync(sampleManualPath()))).filter(
      ({ kind }) => kind === "trouble",
    );
    const told = found.map(({ texts }) => [texts.code, texts.problem, texts.cause, texts.remedy]);
    expect(told).toEqual(troubles);
  });

  it("parts are found with position and quantity", async () => {
    const found = (await entriesOf(readFileSync(sampleManualPath()))).filter(({ kind }) => kind === "parts");
    const told = found.map(({ texts }) => [texts.position, texts.part, texts.description, texts.quantity]);
    expect(told).toEqual(partsList);
  });
});

describe("a code needs a witness", () => {
  it("a history of versions is none", async () => {
    const head = row(100, ["Error number", "Date", "Description"], true);
    const lines = [
      row(120, ["2.8.0", "2023-01-25", "Current release"]),
      row(140, ["2.6.0", "2011-01-14", "First release"]),
    ];
    expect(await onePage([...head, ...lines.flat()])).toEqual([]);
  });

  it.each([
    [
      ["Fehlercode", "Ursache", "Abhilfe"],
      { code: "F12", cause: "Sicherung defekt", remedy: "Sicherung ersetzen" },
    ],
    [
      ["Código de erro", "Causa", "Solução"],
      { code: "F12", cause: "Sicherung defekt", remedy: "Sicherung ersetzen" },
    ],
    [
      ["Code d’erreur", "Causes", "Remède"],
      { code: "F12", cause: "Sicherung defekt", remedy: "Sicherung ersetzen" },
    ],
    [
      ["Código", "Causas", "Solución"],
      { code: "F12", cause: "Sicherung defekt", remedy: "Sicherung ersetzen" },
    ],
    [
      ["Codice errore", "Cause", "Rimedio"],
      { code: "F12", cause: "Sicherung defekt", remedy: "Sicherung ersetzen" },
    ],
  ])("a head row in the words %j", async (head, expected) => {
    const [entry, ...others] = await onePage([
      ...row(100, head, true),
      ...row(120, ["F12", "Sicherung defekt", "Sicherung ersetzen"]),
    ]);
    expect(entry?.texts).toEqual(expected);
    expect(entry?.witness).toBe(head.join(" | "));
    expect(others).toEqual([]);
  });

  it("fields below a bold code", async () => {
    const [entry] = await onePage([
      { x: 60, y: 100, text: "E12 Motor overload", bold: true },
      { x: 60, y: 114, text: "Cause: The bearing is dry." },
      { x: 60, y: 128, text: "Remedy: Grease the bearing." },
    ]);
    expect(entry?.texts).toEqual({
      code: "E12",
      problem: "Motor overload",
      cause: "The bearing is dry.",
      remedy: "Grease the bearing.",
    });
  });

  it("and numbered headings, lists of buttons and prose have none", async () => {
    expect(
      await onePage([
        { x: 60, y: 80, text: "7.3 Error handling", bold: true },
        ...row(100, ["Description", "Action"], true),
        ...row(120, ["Green button", "Starts the pump"]),
        { x: 60, y: 160, text: "The code E12 means that the motor is too hot." },
      ]),
    ).toEqual([]);
  });

  it("prose behind a table is no entry of it", async () => {
    const found = await onePage([
      ...row(100, ["Problem", "Cause", "Remedy"], true),
      ...row(120, ["No water", "Valve closed", "Open the valve"]),
      ...[150, 164, 178].map((y) => ({
        x: 60,
        y,
        text: "After every repair the pump is filled, vented and run for ten minutes under the eyes of the operator.",
      })),
    ]);
    expect(found.map(({ texts }) => texts)).toEqual([
      { problem: "No water", cause: "Valve closed", remedy: "Open the valve" },
    ]);
  });
});
