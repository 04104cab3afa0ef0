import { describe, expect, it } from "vitest";
import { pagesOf } from "../../test/pages-of.ts";
import { type PdfPage, type PdfText, writePdf } from "../generated/pdf-writer.ts";
import { findTables } from "./find-tables.ts";
import { edgesOfPage, goesOn, joinParts } from "./over-pages.ts";
import { gridOf } from "./table.ts";

const row = (y: number, cells: readonly string[], step = 110): PdfText[] =>
  cells.flatMap((text, at) => (text === "" ? [] : [{ x: 60 + at * step, y, text }]));
const tablesOf = async (page: PdfPage) => {
  const [read] = await pagesOf(writePdf({ title: "t", pages: [page] }));
  return read ? findTables(read) : [];
};
const grids = async (page: PdfPage) => (await tablesOf(page)).map(gridOf);

/** Lines of a grid with these edges. */
const lattice = (xs: readonly number[], ys: readonly number[]) => [
  ...ys.map((y) => [xs[0] ?? 0, y, xs.at(-1) ?? 0, y] as const),
  ...xs.map((x) => [x, ys[0] ?? 0, x, ys.at(-1) ?? 0] as const),
];

describe("tables drawn with lines", () => {
  it("are read cell by cell, wrapped lines in one cell", async () => {
    const texts = [
      ...row(100, ["Size", "Torque"]),
      ...row(130, ["M6", "8 Nm, with"]),
      { x: 170, y: 142, text: "washer" },
      ...row(165, ["M8", "20 Nm"]),
    ];
    expect(await grids({ texts, lines: lattice([55, 165, 300], [85, 110, 150, 175]) })).toEqual([
      [
        ["Size", "Torque"],
        ["M6", "8 Nm, with washer"],
        ["M8", "20 Nm"],
      ],
    ]);
  });

  it("have spanning cells where no line parts them", async () => {
    const lines = [
      ...lattice([55, 165, 275, 385], [110, 135, 160]),
      [55, 85, 385, 85],
      [55, 85, 55, 110],
      [165, 85, 165, 110],
      [385, 85, 385, 110],
    ] as const;
    const texts = [
      ...row(100, ["Model", "Pressure"]),
      ...row(125, ["A", "min", "max"]),
      ...row(150, ["B", "2", "9"]),
    ];
    const [table] = await tablesOf({ texts, lines });
    expect(table?.cells.find(({ text }) => text === "Pressure")).toMatchObject({
      row: 0,
      column: 1,
      columns: 2,
    });
  });

  it("may lack their outer lines", async () => {
    const lines = [85, 110, 135, 160].map((y) => [50, y, 390, y] as const);
    const bars = [165, 275].map((x) => [x, 85, x, 160] as const);
    const texts = [
      ...row(100, ["Part", "Old", "New"]),
      ...row(125, ["Seal", "11", "12"]),
      ...row(150, ["Ring", "21", "22"]),
    ];
    expect(await grids({ texts, lines: [...lines, ...bars] })).toEqual([
      [
        ["Part", "Old", "New"],
        ["Seal", "11", "12"],
        ["Ring", "21", "22"],
      ],
    ]);
  });
});

describe("tables without lines", () => {
  const numbers = [
    ...row(100, ["Fluid", "20 °C", "40 °C"]),
    ...row(114, ["Water", "1.00", "0.66"]),
    ...row(128, ["Oil", "90.0", "31.5"]),
    ...row(142, ["Brine", "1.30", "0.90"]),
  ];

  it("are told by gaps at the same places", async () => {
    expect(await grids({ texts: numbers })).toEqual([
      [
        ["Fluid", "20 °C", "40 °C"],
        ["Water", "1.00", "0.66"],
        ["Oil", "90.0", "31.5"],
        ["Brine", "1.30", "0.90"],
      ],
    ]);
  });

  it("between horizontal lines only: lines decide what a row is", async () => {
    const lines = [106, 140, 174].map((y) => [55, y, 400, y] as const);
    const texts = [
      ...row(100, ["Animal", "Says", "How"]),
      ...row(120, ["Fox", "Ring", "loud and"]),
      { x: 280, y: 132, text: "long" },
      ...row(154, ["Cat", "Meow", "soft"]),
    ];
    expect(await grids({ texts, lines })).toEqual([
      [
        ["Animal", "Says", "How"],
        ["Fox", "Ring", "loud and long"],
        ["Cat", "Meow", "soft"],
      ],
    ]);
  });

  it("lists, prose and code are none", async () => {
    const prose = "The pump is filled, vented and run for ten minutes under the eyes of the operator.";
    const texts = [
      ...[100, 114, 128, 142].flatMap((y, at) => [
        { x: 60, y, text: `${at + 1}.` },
        { x: 90, y, text: "Close the valve and wait." },
      ]),
      ...[200, 214, 228].map((y) => ({ x: 60, y, text: prose })),
    ];
    expect(await grids({ texts })).toEqual([]);
  });
});

describe("a table over two pages", () => {
  it("is one table, and its repeated head is left out", async () => {
    const part = (rows: readonly (readonly string[])[], at: number) => ({
      texts: [["Size", "Torque", "Key"], ...rows].flatMap((cells, index) => row(at + 14 * index, cells)),
    });
    const pages = await pagesOf(
      writePdf({
        title: "t",
        pages: [
          part(
            [
              ["M6", "8 Nm", "10"],
              ["M8", "20 Nm", "13"],
            ],
            720,
          ),
          part(
            [
              ["M10", "40 Nm", "17"],
              ["M12", "70 Nm", "19"],
            ],
            60,
          ),
        ],
      }),
    );
    const [one, other] = pages.map(edgesOfPage);
    expect(goesOn(one?.foot ?? null, other?.top ?? null)).toBe(true);
    const parts = pages.map((page) => ({ page: page.number, table: findTables(page)[0] as never }));
    const { rows, cells } = joinParts(parts);
    expect(rows).toBe(5);
    expect(cells.filter(({ column }) => column === 0).map(({ text, page }) => [text, page])).toEqual([
      ["Size", 1],
      ["M6", 1],
      ["M8", 1],
      ["M10", 2],
      ["M12", 2],
    ]);
  });
});
