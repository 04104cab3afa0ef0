import { createHash } from "node:crypto";
import { bodyOfThread } from "../html.ts";
import { escapeHtml as text } from "../html-page.ts";
import type { DigestEntry, ListDigest } from "../list-digest.ts";
import type { MessageDocument, ThreadReport, TreeEntry } from "../thread-report.ts";
import { cleanLine, countOf, dayOf, levelWords, minuteOf, nameOf, spanOf } from "../wording.ts";
import { framePage } from "./frame.ts";

/** A page of a published site, by path. */
export interface SitePage {
  readonly path: string;
  readonly content: string;
}

/** Names come from mail: a path is made of letters and digits only, and is the same each time. */
export const threadPath = (id: string): string => `threads/${hashOf(id)}.html`;
const listPath = (list: string, page = 1): string =>
  `lists/${list.replace(/[^a-z0-9-]/gi, "").slice(0, 40) || "list"}-${hashOf(list).slice(0, 6)}${page === 1 ? "" : `-${page}`}.html`;
const hashOf = (name: string): string => createHash("sha256").update(name).digest("hex").slice(0, 16);

const rowsMax = 100;

export function indexPage(site: string, digests: readonly ListDigest[]): SitePage {
  const items = digests.map((digest) => {
    const { list, threads, messages, firstDate, lastDate } = digest;
    return `<li><a href="${listPath(list)}">${text(list)}</a>${levelBar(digest)}
<p class="meta">${text([countOf(threads, "thread"), countOf(messages, "message")].join(" · "))}<br>${text(spanOf(firstDate, lastDate))}</p></li>`;
  });
  const recent = digests
    .flatMap(({ list, entries }) => entries.map((entry) => ({ list, entry })))
    .filter(({ entry }) => entry.level === "strong" || entry.level === "rough")
    .sort((a, b) => ((a.entry.lastDate ?? "") < (b.entry.lastDate ?? "") ? 1 : -1))
    .slice(0, 10)
    .map(({ list, entry }) => rowOf(entry, { home: "", list }));
  const lists =
    items.length === 0 ? "<p>There is no list yet.</p>" : `<ul class="grid">\n${items.join("\n")}\n</ul>`;
  const decided =
    recent.length === 0
      ? ""
      : `<h2>Agreed most recently</h2>\n<ul class="rows">\n${recent.join("\n")}\n</ul>`;
  const big = `<form class="big" action="search.html" method="get" role="search"><input type="search" name="q" placeholder="Search threads, people and decisions" aria-label="Search"></form>`;
  const body = `<h1>${text(site)}</h1>\n<p class="meta">What mailing lists discussed, and what they agreed on.</p>\n${big}\n<h2>Lists</h2>\n${lists}\n${decided}`;
  return { path: "index.html", content: framePage({ site, title: site, home: "", crumbs: [], body }) };
}

/** The threads of a list, a hundred a page. */
export function listPages(site: string, digest: ListDigest): SitePage[] {
  const { list, entries, threads, messages, participants, firstDate, lastDate } = digest;
  const count = Math.max(1, Math.ceil(entries.length / rowsMax));
  return Array.from({ length: count }, (_, at) => {
    const rows = entries
      .slice(at * rowsMax, (at + 1) * rowsMax)
      .map((entry) => rowOf(entry, { home: "../" }));
    const facts = [
      spanOf(firstDate, lastDate),
      countOf(threads, "thread"),
      countOf(messages, "message"),
      countOf(participants, "person", "people"),
    ];
    const body = `<h1>${text(list)}</h1>\n<p class="meta">${text(facts.join(" · "))}</p>\n${levelBar(digest)}${levelLegend(digest)}
<ul class="rows">\n${rows.join("\n")}\n</ul>${pager(list, at + 1, count)}`;
    const crumbs = [["All lists", "../index.html"]] as const;
    return {
      path: listPath(list, at + 1),
      content: framePage({ site, title: list, home: "../", crumbs, body }),
    };
  });
}

function pager(list: string, current: number, count: number): string {
  if (count === 1) return "";
  const links = Array.from({ length: count }, (_, at) =>
    at + 1 === current
      ? `<span aria-current="page">${current}</span>`
      : `<a href="../${listPath(list, at + 1)}">${at + 1}</a>`,
  );
  return `\n<nav class="pages" aria-label="Pages">${links.join("")}</nav>`;
}

const barColors = ["strong", "rough", "contested", "undecided", "none"] as const;

/** Shares of the levels; a drawing without a style attribute, which the policy of the page forbids. */
function levelBar({ levels, threads }: ListDigest): string {
  if (threads === 0) return "";
  let from = 0;
  const parts = barColors.map((level) => {
    const width = (100 * levels[level]) / threads;
    const part = `<rect x="${from.toFixed(2)}" y="0" width="${width.toFixed(2)}" height="4" fill="var(--${level})"${level === "none" ? ' opacity="0.3"' : ""}/>`;
    from += width;
    return width > 0 ? part : "";
  });
  const told = barColors.map((level) => `${levelWords[level]}: ${levels[level]}`).join(", ");
  return `<svg class="bars" viewBox="0 0 100 4" preserveAspectRatio="none" width="100%" role="img" aria-label="${text(told)}">${parts.join("")}</svg>`;
}

const levelLegend = ({ levels }: ListDigest): string =>
  `<p>${barColors
    .filter((level) => levels[level] > 0)
    .map((level) => `<span class="badge ${level}">${levelWords[level]} ${levels[level]}</span>`)
    .join(" ")}</p>`;

function rowOf(
  entry: DigestEntry,
  { home, list }: { readonly home: string; readonly list?: string },
): string {
  const level = entry.level ?? "undecided";
  const word = entry.level === null ? "Not weighed" : levelWords[entry.level];
  const [decision] = entry.decisions;
  const facts = [
    ...(list === undefined ? [] : [list]),
    spanOf(entry.firstDate, entry.lastDate),
    countOf(entry.messages, "message"),
    countOf(entry.participants, "person", "people"),
  ];
  return `<li class="row ${level}"><h3><a href="${home}${threadPath(entry.thread)}">${text(entry.title) || "(no subject)"}</a></h3>
<p class="meta"><span class="badge ${level}">${word}</span> ${text(facts.join(" · "))}</p>${entry.line === "" ? "" : `\n<p>${text(entry.line)}</p>`}${
    decision === undefined
      ? ""
      : `\n<blockquote><q>${text(decision.quote)}</q> <span class="by">${text(nameOf(decision.by))}</span></blockquote>`
  }</li>`;
}

/** A thread: the report, then the messages in the words of their authors. */
export function threadPage(
  site: string,
  report: ThreadReport,
  messages: readonly MessageDocument[],
): SitePage {
  const words = new Map(messages.map(({ id, clean }) => [id, clean]));
  const tree = report.tree.map((entry) => messageOf(entry, words.get(entry.message) ?? null)).join("\n");
  const crumbs = [
    ["All lists", "../index.html"],
    [report.list, `../${listPath(report.list)}`],
  ] as const;
  const title = cleanLine(report.title) || "(no subject)";
  const body = bodyOfThread(report, tree);
  return { path: threadPath(report.id), content: framePage({ site, title, home: "../", crumbs, body }) };
}

const depthMax = 6;
const wordsMax = 50_000;

function messageOf({ number, depth, from, date, excerpt }: TreeEntry, words: string | null): string {
  const head = `<span class="number">${number}</span><strong>${text(from === null ? "Not at hand" : nameOf(from))}</strong> <time class="by">${text(minuteOf(date))}</time> <span class="excerpt">${text(excerpt)}</span>`;
  const open = number <= 3 ? " open" : "";
  return `<details class="message depth-${Math.min(depth, depthMax)}"${open}><summary>${head}</summary>
<div class="words" id="message-${number}">${words === null ? "" : linesOf(words)}</div></details>`;
}

/** Text of a mail by lines; each line is cleaned like all text of mails. */
const linesOf = (words: string): string =>
  `${words
    .slice(0, wordsMax)
    .split("\n")
    .map((line) => text(line))
    .join("\n")}${words.length > wordsMax ? "\n…" : ""}`;

export const searchPage = (site: string): SitePage => {
  const body = `<h1>Search</h1>
<form class="big" id="ask" role="search"><input type="search" id="q" name="q" autocomplete="off" placeholder="Words, people, decisions" aria-label="Search"></form>
<p class="meta" id="said" role="status">Searching needs JavaScript.</p>
<ul class="rows" id="found"></ul>`;
  const scripts = ["search-index.js", "search.js"];
  const crumbs = [["All lists", "index.html"]] as const;
  return {
    path: "search.html",
    content: framePage({ site, title: `Search · ${site}`, home: "", crumbs, body, scripts }),
  };
};

/** A thread in the search index. */
export interface SearchEntry {
  readonly u: string;
  readonly t: string;
  readonly l: string;
  readonly d: string;
  readonly v: string;
  readonly n: string;
  readonly s: string;
  readonly p: string;
  readonly w: string;
}

const searchWordsMax = 200;

export function searchEntry(report: ThreadReport, messages: readonly MessageDocument[]): SearchEntry {
  const level = report.outcome?.level ?? "undecided";
  const counts = new Map<string, number>();
  for (const { clean } of messages)
    for (const word of clean
      .slice(0, wordsMax)
      .toLowerCase()
      .match(/[\p{L}\p{N}][\p{L}\p{N}._-]{2,30}/gu) ?? [])
      counts.set(word, (counts.get(word) ?? 0) + 1);
  const words = [...counts].sort((a, b) => b[1] - a[1]).slice(0, searchWordsMax);
  return {
    u: threadPath(report.id),
    t: cleanLine(report.title) || "(no subject)",
    l: cleanLine(report.list),
    d: dayOf(report.lastDate),
    v: level,
    n: report.outcome === null ? "Not weighed" : levelWords[level],
    s: cleanLine(report.summary?.sentences[0]?.text ?? report.decisions[0]?.quote ?? "").slice(0, 400),
    p: cleanLine(report.participants.map(nameOf).join(", ")),
    w: words.map(([word]) => word).join(" "),
  };
}

/** A script and not JSON, because pages opened from a disk may load scripts only. */
export const searchIndex = (entries: readonly SearchEntry[]): SitePage => ({
  path: "search-index.js",
  content: `self.headwayIndex = ${JSON.stringify(entries)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029")};\n`,
});
