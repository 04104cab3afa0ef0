import type { PdfBook, PdfPage, PdfText } from "../src/generated/pdf-writer.ts";
import { partsList, troubles } from "./troubles.ts";

/** The service manual of the tide gauge that the sample mailing list talks about, with defects on purpose. */
export const sampleBook = (): PdfBook => ({
  title: "Service manual, tide gauge TG-4",
  firstNumbered: 3,
  bookmarks: [
    { title: "1 Safety", page: 3 },
    { title: "2 Installation", page: 4 },
    { title: "3 Error codes", page: 5 },
    { title: "4 Wartung", page: 8 },
    { title: "5 Spare parts", page: 9 },
  ],
  pages: [cover, contents, safety, installation, ...codePages(), maintenance, parts, scanned, drawing],
});

const line = (y: number, text: string, more: Partial<PdfText> = {}): PdfText => ({ x: 60, y, text, ...more });
const heading = (text: string): PdfText => line(90, text, { size: 16, bold: true });
/** Running heads differ on odd and even pages. */
const running = (number: number): readonly PdfText[] => [
  line(40, number % 2 ? "Tide gauge TG-4" : "Service manual, revision A", { size: 8 }),
  line(815, `page ${number}`, { size: 8, x: 500 }),
];
const prose = (number: number, title: string, lines: readonly string[]): readonly PdfText[] => [
  ...running(number),
  heading(title),
  ...lines.map((text, index) => line(120 + index * 14, text)),
];

const cover: PdfPage = {
  texts: [
    line(200, "Tide gauge TG-4", { size: 28, bold: true }),
    line(240, "Service manual", { size: 18 }),
    line(760, "Revision A, March 2024. Copyright Saltmarsh Instruments."),
  ],
};

const contents: PdfPage = {
  texts: [
    line(90, "Contents", { size: 16, bold: true }),
    ...["1 Safety", "2 Installation", "3 Error codes", "4 Wartung", "5 Spare parts"].map((title, index) =>
      line(120 + index * 16, `${title} ${". ".repeat(40)}${index + 1}`),
    ),
  ],
};

const safety: PdfPage = {
  texts: prose(1, "1 Safety", [
    "WARNING: The stilling well is slippery. Two people work at the well, never one alone.",
    "Switch the charge controller off before the housing is opened.",
    "The lithium battery must not be charged below -10 degrees Celsius.",
  ]),
};

const installation: PdfPage = {
  texts: [
    ...prose(2, "2 Installation", []),
    // Two columns, written one after the other.
    ...column(60, [
      "The bracket is fixed to the quay",
      "with four stainless bolts. Use a",
      "torque of 12 Nm, and check it",
      "again after the first storm.",
    ]),
    ...column(320, [
      "The datum is set against the",
      "staff gauge at slack water. Read",
      "the staff twice, and note both",
      "readings in the log book.",
    ]),
  ],
  links: [{ box: [60, 300, 260, 315], uri: "https://tides.example.org/tg4" }],
};

function column(x: number, lines: readonly string[]): readonly PdfText[] {
  return lines.map((text, index) => ({ x, y: 130 + index * 14, text }));
}

/** Over three pages: a head over two lines on the first, none on the others, no vertical lines, and an entry that a page end cuts. */
function codePages(): readonly PdfPage[] {
  const perPage = 9;
  const columns = [60, 120, 250, 390] as const;
  return [0, 1, 2].map((index) => {
    const rows = troubles.slice(index * perPage, (index + 1) * perPage);
    const top = index === 0 ? 150 : 90;
    const texts: PdfText[] = [...running(index + 3)];
    if (index === 0)
      texts.push(
        heading("3 Error codes"),
        { x: columns[0], y: 118, text: "Error", bold: true },
        { x: columns[0], y: 129, text: "code", bold: true },
        ...["Problem", "Possible cause", "Remedy"].map((text, at) => ({
          x: columns[at + 1] ?? 0,
          y: 118,
          text,
          bold: true,
        })),
      );
    for (const [at, cells] of rows.entries())
      for (const [place, cell] of cells.entries())
        for (const [row, text] of wrapCell(cell, place === 3 ? 32 : 24).entries())
          texts.push({ x: columns[place] ?? 0, y: top + at * 70 + row * 12, text });
    return { texts };
  });
}

function wrapCell(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

const maintenance: PdfPage = {
  texts: prose(6, "4 Wartung", [
    "Der Schwimmer wird zweimal im Jahr gereinigt und ist danach auf Risse zu prüfen.",
    "Die Batterie ist nach zwei Wintern zu ersetzen, auch wenn die Spannung noch stimmt.",
    "Vor der Arbeit wird der Laderegler ausgeschaltet und nicht nur das Gerät.",
  ]),
};

const parts: PdfPage = {
  texts: [
    ...prose(7, "5 Spare parts", []),
    ...["Pos.", "Part no.", "Description", "Qty"].map((text, at) => ({
      x: [60, 110, 200, 420][at] ?? 0,
      y: 120,
      text,
      bold: true,
    })),
    ...partsList.flatMap((cells, row) =>
      cells.map((text, at) => ({ x: [60, 110, 200, 420][at] ?? 0, y: 140 + row * 18, text })),
    ),
  ],
  lines: Array.from({ length: 9 }, (_, row) => [55, 127 + row * 18, 480, 127 + row * 18] as const),
};

const scanned: PdfPage = { texts: [], picture: [30, 30, 565, 810] };

const drawing: PdfPage = {
  texts: [...running(9), line(90, "Table 2 Dimensions of the bracket")],
  picture: [60, 120, 535, 500],
};
