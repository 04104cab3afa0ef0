import { escapeMarkdown, markdownLink } from "./escape-markdown.ts";
import { htmlLink, htmlPage, escapeHtml as text } from "./html-page.ts";
import type { ThreadVersion } from "./thread-version.ts";
import { countOf, dayOf, levelWords } from "./wording.ts";

export interface EditionEntry {
  readonly thread: string;
  readonly version: ThreadVersion;
  readonly changes: readonly string[];
  /** Page of the thread on a published site. */
  readonly link: string | null;
}

export interface Edition {
  /** The list or selection. */
  readonly about: string;
  readonly entries: readonly EditionEntry[];
  /** Threads without room in the report. */
  readonly more: number;
  /** The last report, for "since". */
  readonly since: string | null;
}

export interface RenderedEdition {
  readonly subject: string;
  readonly markdown: string;
  readonly html: string;
}

/** A report of what changed since the last: the same facts as Markdown and as HTML. */
export function renderEdition(edition: Edition): RenderedEdition {
  const subject = subjectOf(edition);
  const groups = groupsOf(edition.entries);
  const since = edition.since === null ? "Since the subscription began" : `Since ${dayOf(edition.since)}`;
  const rest = edition.more > 0 ? `And ${countOf(edition.more, "more thread")}.` : "";
  const empty = edition.entries.length === 0 ? "Nothing changed." : "";
  const markdown = [
    `# ${escapeMarkdown(subject)}`,
    `${since}: ${countOf(edition.entries.length + edition.more, "thread")}.`,
    empty,
    ...groups.flatMap(([title, entries]) => [`## ${title}`, ...entries.map(markdownOf)]),
    rest,
  ];
  const html = [
    `<header><h1>${text(subject)}</h1><p class="meta">${text(since)}: ${countOf(edition.entries.length + edition.more, "thread")}.</p></header>`,
    empty === "" ? "" : `<p>${empty}</p>`,
    ...groups.map(([title, entries]) => `<h2>${title}</h2>\n${entries.map(htmlOf).join("\n")}`),
    rest === "" ? "" : `<p>${rest}</p>`,
  ];
  const join = (parts: readonly string[], gap: string) => parts.filter((part) => part !== "").join(gap);
  return {
    subject,
    markdown: `${join(markdown, "\n\n")}\n`,
    html: htmlPage({ title: subject, body: join(html, "\n") }),
  };
}

function subjectOf({ about, entries, more }: Edition): string {
  const [only] = entries;
  if (only && entries.length === 1 && more === 0)
    return `[${about}] ${only.version.level === null ? "" : `${levelWords[only.version.level]}: `}${only.version.title}`.slice(
      0,
      200,
    );
  const agreed = entries.filter(({ changes }) => changes.some(isAgreement)).length;
  const facts = [
    countOf(entries.length + more, "thread"),
    ...(agreed > 0 ? [`${agreed} agreed or decided`] : []),
  ];
  return `[${about}] ${facts.join(", ")}`.slice(0, 200);
}

const isAgreement = (change: string): boolean => /→ (Strong|Rough) consensus$|new decision/.test(change);

function groupsOf(entries: readonly EditionEntry[]): [string, EditionEntry[]][] {
  const kindOf = ({ changes }: EditionEntry) =>
    changes.some(isAgreement) ? "Agreed or decided" : changes[0] === "new thread" ? "New" : "Changed";
  return ["Agreed or decided", "New", "Changed"]
    .map((kind): [string, EditionEntry[]] => [kind, entries.filter((entry) => kindOf(entry) === kind)])
    .filter(([, members]) => members.length > 0);
}

const factsOf = ({ version, changes }: EditionEntry): string =>
  [
    version.level === null ? "Not weighed" : levelWords[version.level],
    version.list,
    dayOf(version.lastDate),
    countOf(version.messages, "message"),
    countOf(version.people, "person", "people"),
    ...changes.filter((change) => change !== "new thread"),
  ].join(" · ");

function markdownOf(entry: EditionEntry): string {
  const { version, link } = entry;
  return [
    `### ${markdownLink(version.title, link)}`,
    escapeMarkdown(factsOf(entry)),
    ...(version.line === "" ? [] : [escapeMarkdown(version.line)]),
    ...version.decisions.map(({ by, quote }) => `> “${escapeMarkdown(quote)}” (${escapeMarkdown(by)})`),
  ].join("\n\n");
}

function htmlOf(entry: EditionEntry): string {
  const { version, link } = entry;
  const quotes = version.decisions.map(
    ({ by, quote }) => `<blockquote><q>${text(quote)}</q> <span class="by">${text(by)}</span></blockquote>`,
  );
  return `<article class="card ${version.level ?? "undecided"}"><h3>${htmlLink(version.title, link)}</h3>
<p class="meta">${text(factsOf(entry))}</p>${version.line === "" ? "" : `<p>${text(version.line)}</p>`}${quotes.join("")}</article>`;
}
