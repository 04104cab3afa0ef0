import { describe, expect, it } from "vitest";
import { exportManual } from "./export-manual.ts";
import type { ManualContent } from "./manual-content.ts";
import { reportManual } from "./report-manual.ts";
import { tableCsv, tableHtml, tableMarkdown } from "./table-text.ts";

const cell = (row: number, column: number, text: string, columns = 1) => ({
  row,
  column,
  rows: 1,
  columns,
  text,
});

describe("a table as text", () => {
  const plain = {
    rows: 2,
    columns: 2,
    cells: [cell(0, 0, "a|b"), cell(0, 1, "<i>"), cell(1, 0, "=1+1"), cell(1, 1, '"q"')],
  };

  it("is Markdown with its signs escaped, and CSV that no spreadsheet calculates", () => {
    expect(tableMarkdown(plain)).toBe("| a\\|b | &lt;i&gt; |\n| --- | --- |\n| =1+1 | &quot;q&quot; |");
    expect(tableCsv(plain)).toBe('a|b,<i>\n\'=1+1,"""q"""\n');
  });

  it("with spans is HTML", () => {
    const spanned = { rows: 2, columns: 2, cells: [cell(0, 0, "both", 2), cell(1, 0, "1"), cell(1, 1, "2")] };
    expect(tableMarkdown(spanned)).toBe(tableHtml(spanned));
    expect(tableHtml(spanned)).toContain('<th colspan="2">both</th></tr>\n<tr><td>1</td><td>2</td>');
  });
});

const content: ManualContent = {
  manual: {
    ...{ id: "tg", title: "TG <4>", place: "tg.pdf", pages: 1, read: 1, thin: 0, garbled: 0 },
    ...{ excerpts: 1, codes: 1 },
  },
  profile: null,
  pages: [
    {
      ...{ manual: "tg", number: 1, label: "i", width: 595, height: 842, standing: "good", cut: false },
      words: [
        ["Cleaning", 60, 80, 120, 95, 15, 1, 0, 7],
        ["<script>", 60, 110, 120, 120, 10, 0, 9, 16],
      ],
      blocks: [
        { from: 0, to: 1, size: 15, bold: true },
        { from: 1, to: 2, size: 10, bold: false },
      ],
      ...{ horizontal: [], vertical: [], pictures: [], links: [] },
    },
  ],
  plans: [
    {
      ...{ manual: "tg", number: 1, pages: 1, label: "i", title: "TG", digest: "", standing: "good" },
      ...{ language: "english", contents: false, cut: false, captions: [], running: [], decoration: [] },
      headings: [{ block: 0, trail: ["Cleaning"] }],
      ...{ trail: [], carried: null, next: null, tableGoesOn: false, tableNext: [] },
    },
  ],
  ...{ tables: [], parts: [], pictures: [] },
  codes: [
    {
      ...{ manual: "tg", page: 1, label: "i", box: [0, 0, 1, 1], quote: "E1", witness: "Code | Remedy" },
      ...{ reader: "columns", code: "E1", problem: "Stuck", cause: "", remedy: "Clean, then wait" },
    },
  ],
  findings: [{ manual: "tg", code: "text.thin", pages: [2], says: "1 of 2 pages is a picture." }],
};

describe("a manual as text", () => {
  it("in Markdown has page marks and headings, and nothing of it is a tag", () => {
    expect(exportManual(content, "md")).toBe("<!-- page 1 (p. i) -->\n\n# Cleaning\n\n&lt;script>\n");
  });

  it("in HTML nothing of it is a tag", () => {
    const html = exportManual(content, "html");
    expect(html).toContain("<title>TG &lt;4&gt;</title>");
    expect(html).not.toContain("<script>");
  });

  it("in JSON and CSV has its codes", () => {
    expect(JSON.parse(exportManual(content, "json"))).toMatchObject({ codes: [{ code: "E1" }] });
    expect(exportManual(content, "ndjson").split("\n")).toHaveLength(2);
    expect(exportManual(content, "csv")).toBe(
      'code,problem,cause,remedy,page,quote\nE1,Stuck,,"Clean, then wait",1,E1\n',
    );
  });

  it("as a report says what it is and what could not be read", () => {
    const { text, counts } = reportManual(content);
    expect(counts).toMatchObject({ pages: 1, codes: 1, tables: 0 });
    expect(text).toContain("maker: unknown");
    expect(text).toContain("- text.thin: 1 of 2 pages is a picture.");
  });
});
