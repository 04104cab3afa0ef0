import { type PdfBook, type PdfPage, type PdfText, writePdf } from "./pdf-writer.ts";

/** A service manual of so many pages, always the same bytes: for benchmarks. */
export function generateManual(pages: number): Buffer {
  const book: PdfBook = {
    title: `Benchmark manual of ${pages} pages`,
    pages: Array.from({ length: pages }, (_, index) => pageOf(index + 1)),
    bookmarks: Array.from({ length: Math.ceil(pages / chapterPages) }, (_, index) => ({
      title: chapterOf(index * chapterPages + 1),
      page: index * chapterPages + 1,
    })),
  };
  return writePdf(book);
}

const chapterPages = 12;
const subjects = ["pump", "valve", "sensor", "drive", "panel", "filter", "cooler", "gear"] as const;
const acts = ["Installing", "Adjusting", "Cleaning", "Testing", "Replacing", "Storing"] as const;
const parts = ["seal", "bearing", "cable", "bolt", "gasket", "spring", "lever", "housing"] as const;
const places = ["inlet", "outlet", "frame", "cover", "terminal", "shaft"] as const;

const pick = <T>(list: readonly T[], number: number): T => list[number % list.length] as T;
const chapterOf = (page: number): string => {
  const chapter = Math.floor((page - 1) / chapterPages);
  return `${chapter + 1} ${pick(acts, chapter)} the ${pick(subjects, chapter)}`;
};

/** Of twelve pages nine are prose, one has codes, one a ruled table, one a parts list. */
function pageOf(number: number): PdfPage {
  const head: PdfText = { x: 60, y: 40, size: 8, text: `Benchmark manual · ${chapterOf(number)}` };
  const foot: PdfText = { x: 290, y: 815, size: 8, text: String(number) };
  const place = (number - 1) % chapterPages;
  const heading: PdfText = {
    ...{ x: 60, y: 80, size: 15, bold: true },
    text: place === 0 ? chapterOf(number) : titleOf(place, number),
  };
  const { texts, lines } =
    place === 5
      ? codes(number)
      : place === 8
        ? settings(number)
        : place === 10
          ? partsList(number)
          : prose(number);
  return { texts: [head, heading, ...texts, foot], lines };
}

const titleOf = (place: number, number: number): string => {
  if (place === 5) return "Error codes";
  if (place === 8) return "Settings";
  return place === 10 ? "Parts list" : `The ${pick(parts, number)} of the ${pick(subjects, number * 3)}`;
};

interface Content {
  readonly texts: readonly PdfText[];
  readonly lines: readonly (readonly [number, number, number, number])[];
}

const prose = (number: number): Content => ({
  texts: Array.from({ length: 44 }, (_, line) => ({
    ...{ x: 60, y: 115 + line * 15 },
    text: sentence(number * 44 + line),
  })),
  lines: [],
});

const sentence = (seed: number): string =>
  `Step ${seed % 90}: turn the ${pick(parts, seed)} at the ${pick(places, seed * 5)} until the ${pick(subjects, seed * 7)} shows ${(seed * 37) % 900} units.`;

const row = (y: number, cells: readonly string[], at: readonly number[], bold = false): readonly PdfText[] =>
  cells.map((text, column) => ({ x: at[column] ?? 60, y, text, bold }));

function codes(number: number): Content {
  const at = [60, 130, 270, 410];
  const rows = Array.from({ length: 24 }, (_, line) => {
    const seed = number * 24 + line;
    const name = `E-${number}${String(line).padStart(2, "0")}`;
    const said = [
      `${pick(parts, seed)} is loose`,
      `The ${pick(places, seed)} vibrates`,
      `Tighten the ${pick(parts, seed)}`,
    ];
    return row(140 + line * 26, [name, ...said], at);
  });
  const head = row(115, ["Error code", "Problem", "Cause", "Remedy"], at, true);
  return { texts: [...head, ...rows.flat()], lines: [] };
}

function settings(number: number): Content {
  const at = [65, 245, 405];
  const rows = Array.from({ length: 20 }, (_, line) =>
    row(
      133 + line * 20,
      [`Setting ${number}.${line}`, String((number * line) % 500), pick(["bar", "mm", "s", "V"], line)],
      at,
    ),
  );
  const edges = [60, 240, 400, 540];
  const across = Array.from({ length: 22 }, (_, line) => [60, 99 + line * 20, 540, 99 + line * 20] as const);
  const down = edges.map((x) => [x, 99, x, 99 + 21 * 20] as const);
  return {
    texts: [...row(113, ["Setting", "Value", "Unit"], at, true), ...rows.flat()],
    lines: [...across, ...down],
  };
}

function partsList(number: number): Content {
  const at = [60, 110, 230, 480];
  const rows = Array.from({ length: 30 }, (_, line) => {
    const seed = number * 30 + line;
    const name = `${pick(parts, seed)} of the ${pick(subjects, seed)}`;
    return row(
      135 + line * 20,
      [String(line + 1), `${10_000 + seed}-${seed % 90}`, name, String((seed % 8) + 1)],
      at,
    );
  });
  const head = row(115, ["Pos.", "Part no.", "Description", "Qty"], at, true);
  return { texts: [...head, ...rows.flat()], lines: [] };
}
