import { escapeMarkdown as text } from "./escape-markdown.ts";
import { escapeHtml, htmlPage } from "./html-page.ts";
import type { Outline, OutlineQuote } from "./outline.ts";
import { countOf, dayOf, nameOf } from "./wording.ts";

const sections = [
  ["Proposed", "proposed"],
  ["Decided", "decided"],
  ["Promised", "promised"],
  ["Still open", "open"],
] as const;

export function markdownOfOutline(outline: Outline): string {
  const lines = ({ by, date, quote }: OutlineQuote) =>
    `- ${text(nameOf(by))}, ${text(dayOf(date))}: “${text(quote)}”`;
  const turned = outline.turned.map(
    (one) =>
      `- ${text(nameOf(one.by))}, ${text(dayOf(one.date))}, ${one.from} → ${one.to}: “${text(one.quote)}”`,
  );
  return `${[
    `# ${text(outline.topic)}`,
    text(sinceWords(outline)),
    ...sections.flatMap(([title, field]) =>
      outline[field].length === 0 ? [] : [`## ${title}`, outline[field].map(lines).join("\n")],
    ),
    ...(turned.length === 0 ? [] : ["## Changed their mind", turned.join("\n")]),
  ].join("\n\n")}\n`;
}

function sinceWords({ since, messages, earlier, list }: Outline): string {
  if (since === null) return `${list}, ${countOf(messages, "message")}`;
  const before = `${countOf(earlier, "message")} before`;
  return messages === 0
    ? `${list}: nothing new since ${dayOf(since)}; ${before}`
    : `${list}: since ${dayOf(since)}, ${countOf(messages, "new message")}; ${before}`;
}

export function htmlOfOutline(outline: Outline): string {
  const item = ({ by, date, quote }: OutlineQuote) =>
    `<li><strong>${escapeHtml(nameOf(by))}</strong> <span class="by">${escapeHtml(dayOf(date))}</span><blockquote><q>${escapeHtml(quote)}</q></blockquote></li>`;
  const body = [
    `<header><h1>${escapeHtml(outline.topic)}</h1><p class="meta">${escapeHtml(sinceWords(outline))}</p></header>`,
    ...[...sections, ["Changed their mind", "turned"] as const].flatMap(([title, field]) =>
      outline[field].length === 0
        ? []
        : [
            `<section><h2>${title}</h2><ul class="quotes">${outline[field].map(item).join("\n")}</ul></section>`,
          ],
    ),
  ];
  return htmlPage({ title: outline.topic, body: body.join("\n") });
}

/** Rows for a table. */
export const rowsOfOutline = (outline: Outline): readonly Readonly<Record<string, unknown>>[] =>
  [...sections, ["Changed", "turned"] as const].flatMap(([, field]) =>
    outline[field].map(({ by, date, message, quote }) => ({
      thread: outline.thread,
      part: field,
      name: by.name,
      address: by.address,
      date,
      message,
      quote,
    })),
  );
