import { htmlPage, escapeHtml as text } from "./html-page.ts";
import type { MatterReport, Opinion } from "./matter-report.ts";
import { countOf, dayOf, kindOf, nameOf, spanOf, stanceWords } from "./wording.ts";

export function htmlOfMatter(report: MatterReport): string {
  const { matter, lists, firstDate, lastDate, mentions, people } = report;
  const facts = [
    ...lists,
    spanOf(firstDate, lastDate),
    countOf(mentions, "message"),
    countOf(people, "person", "people"),
  ];
  const body = [
    `<header><h1>${text(matter.name)}</h1><p class="meta">${facts.map(text).join(" · ")}</p></header>`,
    versionsOf(report),
    section(
      "Changes of opinion",
      report.changes.map(
        ({ person, from, to }) =>
          `<strong>${text(nameOf(person))}</strong> ${stanceOf(from)} → ${stanceOf(to)}${quoted(from)}${quoted(to)}`,
      ),
    ),
    section(
      "Decisions",
      report.decisions.map(
        ({ kind, by, quote }) =>
          `<strong>${text(kindOf(kind))}</strong> <span class="by">${text(nameOf(by))}</span><blockquote><q>${text(quote)}</q></blockquote>`,
      ),
    ),
    section(
      "Opinions",
      report.opinions.map(
        (one) => `<strong>${text(nameOf(one.person))}</strong> ${stanceOf(one)}${quoted(one)}`,
      ),
    ),
    section(
      "Threads",
      report.threads.map(
        ({ subject, list, firstDate: first, lastDate: last, thread }) =>
          `${text(subject || "(no subject)")} <span class="by">${text(list)}, ${text(spanOf(first, last))}</span> <code>${text(thread)}</code>`,
      ),
    ),
  ];
  return htmlPage({ title: matter.name, body: body.filter((block) => block !== "").join("\n") });
}

const section = (title: string, items: readonly string[]): string =>
  items.length === 0
    ? ""
    : `<section><h2>${text(title)}</h2><ul class="quotes">${items.map((item) => `<li>${item}</li>`).join("\n")}</ul></section>`;

const stanceOf = ({ stance }: Opinion): string =>
  `<span class="stance ${stance}">${text(stanceWords[stance])}</span>`;

const quoted = ({ quote, at, version, list }: Opinion): string =>
  `<blockquote><q>${text(quote)}</q> <span class="by">${text(
    [...(version === null ? [] : [`version ${version}`]), dayOf(at), list].join(", "),
  )}</span></blockquote>`;

function versionsOf({ versions }: MatterReport): string {
  if (versions.length === 0) return "";
  const head = ["version", "first named", "messages", "for", "against", "other"];
  const rows = versions.map(({ version, firstDate, mentions, support, object, other }) =>
    [version, dayOf(firstDate), mentions, support, object, other].map(
      (cell) => `<td>${text(String(cell))}</td>`,
    ),
  );
  return [
    '<section><h2>Versions</h2><div class="table"><table><thead><tr>',
    ...head.map((cell) => `<th>${cell}</th>`),
    "</tr></thead><tbody>",
    ...rows.map((cells) => `<tr>${cells.join("")}</tr>`),
    "</tbody></table></div></section>",
  ].join("");
}
