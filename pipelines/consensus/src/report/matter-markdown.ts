import { escapeMarkdown as text } from "./escape-markdown.ts";
import type { MatterReport, Opinion } from "./matter-report.ts";
import { countOf, dayOf, kindOf, nameOf, spanOf, stanceWords } from "./wording.ts";

export function markdownOfMatter(report: MatterReport): string {
  const { matter, lists, firstDate, lastDate, mentions, people } = report;
  return `${[
    `# ${text(matter.name)}`,
    [
      lists.map((list) => `**${text(list)}**`).join(", "),
      text(spanOf(firstDate, lastDate)),
      countOf(mentions, "message"),
      countOf(people, "person", "people"),
    ].join(" · "),
    ...versionsOf(report),
    ...section(
      "Changes of opinion",
      report.changes.map(
        ({ person, from, to }) =>
          `- **${text(nameOf(person))}** ${stanceWords[from.stance]} → ${stanceWords[to.stance]}: ${said(from)}, then ${said(to)}`,
      ),
    ),
    ...section(
      "Decisions",
      report.decisions.map(
        ({ kind, by, quote, version }) =>
          `- **${text(kindOf(kind))}**${versionWords(version)}: “${text(quote)}” (${text(nameOf(by))})`,
      ),
    ),
    ...section("Opinions", report.opinions.map(opinionLine)),
    ...section(
      "Threads",
      report.threads.map(
        ({ thread, list, subject, firstDate: first, lastDate: last, messages, mentions: named }) =>
          `- ${text(subject) || "(no subject)"} (${text(list)}, ${text(spanOf(first, last))}, ${named} of ${countOf(messages, "message")}): \`${thread.replaceAll("`", "")}\``,
      ),
    ),
  ].join("\n\n")}\n`;
}

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`## ${title}`, lines.join("\n")];

const versionWords = (version: string | null): string =>
  version === null ? "" : ` (version ${text(version)})`;

const said = ({ quote, at, version }: Opinion): string =>
  `“${text(quote)}”${versionWords(version)} ${text(dayOf(at))}`;

const opinionLine = (one: Opinion): string =>
  `- ${text(nameOf(one.person))} ${stanceWords[one.stance]}${versionWords(one.version)}: “${text(one.quote)}” (${text(dayOf(one.at))}, ${text(one.list)})`;

function versionsOf({ versions }: MatterReport): readonly string[] {
  if (versions.length === 0) return [];
  const rows = versions.map(
    ({ version, firstDate, mentions, support, object, other }) =>
      `| ${text(version)} | ${text(dayOf(firstDate))} | ${mentions} | ${support} | ${object} | ${other} |`,
  );
  return [
    "## Versions",
    [
      "| version | first named | messages | for | against | other |",
      "|---|---|--:|--:|--:|--:|",
      ...rows,
    ].join("\n"),
  ];
}
