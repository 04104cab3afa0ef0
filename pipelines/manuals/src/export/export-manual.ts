import { gridOf } from "../tables/table.ts";
import type { ManualContent } from "./manual-content.ts";
import { type Piece, piecesOf } from "./pieces.ts";
import { escapeHtml, tableCsv, tableHtml, tableMarkdown } from "./table-text.ts";

export const exportFormats = ["md", "json", "ndjson", "csv", "html"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** A manual as one text. */
export function exportManual(content: ManualContent, format: ExportFormat): string {
  switch (format) {
    case "md":
      return toMarkdown(content);
    case "html":
      return toHtml(content);
    case "json":
      return `${JSON.stringify(toRecord(content))}\n`;
    case "ndjson":
      return toRecord(content)
        .pages.map((page) => `${JSON.stringify({ manual: content.manual.id, ...page })}\n`)
        .join("");
    case "csv":
      return codesCsv(content);
  }
}

const marker = (number: number, label: string): string =>
  `page ${number}${label !== "" && label !== String(number) ? ` (p. ${label.replaceAll("--", "–")})` : ""}`;

function toMarkdown(content: ManualContent): string {
  const pages = content.pages.map((page) =>
    [`<!-- ${marker(page.number, page.label)} -->`, ...piecesOf(content, page).map(pieceMarkdown)].join(
      "\n\n",
    ),
  );
  return `${pages.join("\n\n")}\n`;
}

function pieceMarkdown(piece: Piece): string {
  switch (piece.kind) {
    case "heading":
      return `${"#".repeat(Math.min(6, piece.level))} ${plain(piece.text)}`;
    case "text":
      return plain(piece.text);
    case "table":
      return [
        ...(piece.table.caption ? [`**${plain(piece.table.caption)}**`] : []),
        tableMarkdown(piece.table),
      ].join("\n\n");
    case "picture":
      return `<!-- picture ${piece.box.join(",")} -->${piece.caption ? ` *${plain(piece.caption)}*` : ""}`;
  }
}

/** Text of a PDF stays text: no tag, link or emphasis of its own. */
const plain = (text: string): string =>
  text
    .replaceAll(/\s+/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[\\`*_[\]]/g, (sign) => `\\${sign}`)
    .replace(/^(#{1,6}\s|[-+]\s|>)/, "\\$1");

function toHtml(content: ManualContent): string {
  const { manual } = content;
  const pages = content.pages.map(
    (page) =>
      `<section id="page-${page.number}">\n<p class="page">${escapeHtml(marker(page.number, page.label))}</p>\n${piecesOf(content, page).map(pieceHtml).join("\n")}\n</section>`,
  );
  return `<!doctype html>
<html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>${escapeHtml(manual.title)}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}table{border-collapse:collapse}td,th{border:1px solid #999;padding:.2rem .5rem;text-align:left}.page{color:#666;border-top:1px solid #ccc}</style></head>
<body><h1>${escapeHtml(manual.title)}</h1>
${pages.join("\n")}
</body></html>
`;
}

function pieceHtml(piece: Piece): string {
  switch (piece.kind) {
    case "heading": {
      const level = Math.min(6, piece.level + 1);
      return `<h${level}>${escapeHtml(piece.text)}</h${level}>`;
    }
    case "text":
      return `<p>${escapeHtml(piece.text)}</p>`;
    case "table":
      return `${piece.table.caption ? `<p><strong>${escapeHtml(piece.table.caption)}</strong></p>\n` : ""}${tableHtml(piece.table)}`;
    case "picture":
      return `<figure data-box="${piece.box.join(",")}"><figcaption>${escapeHtml(piece.caption || "Picture")}</figcaption></figure>`;
  }
}

function toRecord(content: ManualContent) {
  const { manual, profile, codes, parts, findings } = content;
  const pages = content.pages.map((page) => ({
    number: page.number,
    label: page.label,
    standing: page.standing,
    width: page.width,
    height: page.height,
    pieces: piecesOf(content, page).map((piece) =>
      piece.kind === "table"
        ? {
            kind: "table",
            caption: piece.table.caption,
            pages: piece.table.pages,
            grid: gridOf(piece.table),
            cells: piece.table.cells,
          }
        : piece,
    ),
  }));
  return { manual, profile, codes, parts, findings, pages };
}

/** Codes and troubles, one a row; tables have a command of their own. */
function codesCsv({ codes }: ManualContent): string {
  const head = ["code", "problem", "cause", "remedy", "page", "quote"];
  const rows = [
    head,
    ...codes.map(({ code, problem, cause, remedy, page, quote }) => [
      code ?? "",
      problem,
      cause,
      remedy,
      String(page),
      quote,
    ]),
  ];
  const cells = rows.flatMap((row, at) =>
    row.map((text, column) => ({ row: at, column, rows: 1, columns: 1, text })),
  );
  return tableCsv({ rows: rows.length, columns: head.length, cells });
}
