import { htmlLink, htmlPage, escapeHtml as text } from "./html-page.ts";
import type { DigestEntry, ListDigest } from "./list-digest.ts";
import type { Citation, FoundLink, ThreadReport, TreeEntry } from "./thread-report.ts";
import {
  asideWords,
  countOf,
  dayOf,
  fallbackWords,
  isSaid,
  kindOf,
  levelTold,
  levelWords,
  linkWords,
  minuteOf,
  nameOf,
  percentOf,
  spanOf,
  stanceWords,
  voteOf,
} from "./wording.ts";

export function htmlOfThread(report: ThreadReport): string {
  const body = bodyOfThread(report, treeOf(report.tree));
  return htmlPage({ title: report.title || "(no subject)", body });
}

/** The report without its page; `messages` is the part with the messages. */
export function bodyOfThread(report: ThreadReport, messages: string): string {
  const body = [
    `<header><h1>${text(report.title || "(no subject)")}</h1>`,
    meta([
      report.list,
      spanOf(report.firstDate, report.lastDate),
      countOf(report.tree.length, "message"),
      countOf(report.participants.length, "person", "people"),
    ]),
    "</header>",
    section("Question", list(report.question === null ? [] : [remark(report.question)], "quotes")),
    outcomeOf(report.outcome, levelTold(report)),
    ...report.otherQuestions.map((each, at) =>
      [
        section(`Question ${at + 2}`, list([remark(each)], "quotes")),
        outcomeOf(each, levelWords[each.level]),
      ].join("\n"),
    ),
    section(
      "Summary",
      summaryOf(report) +
        fallbackWords(report)
          .map((words) => `<p class="by">${text(words)}</p>`)
          .join(""),
    ),
    section("Decisions", list(report.decisions.map(remark), "quotes")),
    section("Calls", list(report.calls.map(remark), "quotes")),
    section("Votes", votesOf(report)),
    section("Positions", positionsOf(report)),
    section("Beside the question", list(report.asides.map(asideOf))),
    section("What will change", list(report.commitments.map(cite), "quotes")),
    section("Open questions", list(report.openQuestions.map(cite), "quotes")),
    section(
      "People",
      list(
        report.participants.map((each) => `${text(nameOf(each))} ${by(countOf(each.messages, "message"))}`),
      ),
    ),
    section("Links", linksOf(report.links)),
    section("Messages", messages),
    section(
      "Odd messages",
      list(report.flagged.map((each) => `${jump(each.number)} ${by(each.flags.join(", "))}`)),
    ),
    section("What is not here", list(verificationOf(report))),
  ];
  return body.filter((block) => block !== "").join("\n");
}

export function htmlOfDigest(digest: ListDigest): string {
  const levels = Object.entries(levelWords).map(
    ([level, words]) => `${words}: ${digest.levels[level as keyof ListDigest["levels"]]}`,
  );
  const body = [
    `<header><h1>${text(digest.list)}</h1>`,
    meta([
      spanOf(digest.firstDate, digest.lastDate),
      countOf(digest.threads, "thread"),
      countOf(digest.messages, "message"),
      countOf(digest.participants, "person", "people"),
    ]),
    meta(levels),
    "</header>",
    ...digest.entries.map(entryOf),
  ];
  return htmlPage({ title: digest.list, body: body.join("\n") });
}

const meta = (facts: readonly string[]): string => `<p class="meta">${facts.map(text).join(" · ")}</p>`;

const by = (words: string): string => `<span class="by">${text(words)}</span>`;

const when = (words: string): string => `<time class="by">${text(words)}</time>`;

const section = (title: string, content: string): string =>
  content === "" ? "" : `<section><h2>${title}</h2>\n${content}\n</section>`;

const list = (items: readonly string[], name = ""): string =>
  items.length === 0
    ? ""
    : `<ul${name === "" ? "" : ` class="${name}"`}>\n${items.map((item) => `<li>${item}</li>`).join("\n")}\n</ul>`;

const jump = (number: number): string => `<a class="jump" href="#message-${number}">${number}</a>`;

const source = ({ by: author, date, number }: Citation): string =>
  `${by(nameOf(author))} ${when(dayOf(date))} ${jump(number)}`;

const cite = (citation: Citation): string =>
  `<blockquote><q>${text(citation.quote)}</q> ${source(citation)}</blockquote>`;

const remark = (each: Citation & { readonly kind: string }): string =>
  `<strong>${text(kindOf(each.kind))}</strong>${cite(each)}`;

const asideOf = (each: ThreadReport["asides"][number]): string =>
  `${text(asideWords(each))}: <q>${text(each.quote)}</q> ${when(dayOf(each.date))} ${jump(each.number)}`;

function outcomeOf(outcome: ThreadReport["outcome"], level: string): string {
  if (outcome === null) return "";
  return [
    `<section class="card ${outcome.level}"><p><span class="level">${level}</span> ${confidence(outcome.confidence)}</p>`,
    list(outcome.reasons.map(text)),
    "</section>",
  ].join("\n");
}

const confidence = (share: number): string =>
  `<span class="by">confidence <meter min="0" max="1" value="${Math.min(Math.max(share, 0), 1) || 0}"></meter> ${percentOf(share)}</span>`;

const summaryOf = ({ summary }: ThreadReport): string =>
  list(
    (summary?.sentences ?? []).map(
      ({ text: sentence, citations }) =>
        text(sentence) +
        citations.map((one) => (isSaid(sentence, one.quote) ? ` ${source(one)}` : cite(one))).join(""),
    ),
    "summary",
  );

function votesOf({ votes, tally }: ThreadReport): string {
  const counted =
    tally === null
      ? ""
      : `<p><strong>${tally.for} for, ${tally.against} against, ${countOf(tally.abstain, "abstention")}</strong></p>`;
  if (votes.length === 0) return counted;
  const rows = votes.map(({ value, binding, counts, by: voter, quote, number }) => {
    const side = value > 0 ? "for" : value < 0 ? "against" : "abstain";
    const kind = binding === null ? "" : binding ? "binding" : "non-binding";
    const notes = [kind, counts ? "" : "not counted"].filter((note) => note !== "").join(", ");
    return [
      `<span class="vote ${side}">${voteOf(value)}</span>`,
      `${text(nameOf(voter))} ${by(notes)}`,
      `<q>${text(quote)}</q> ${jump(number)}`,
    ];
  });
  return [counted, table(["Vote", "Who", "Words"], rows)].filter((block) => block !== "").join("\n");
}

function positionsOf({ positions }: ThreadReport): string {
  if (positions.length === 0) return "";
  const rows = positions.map(({ person, stance, since, citation, because, earlier }) => [
    text(nameOf(person)),
    `<span class="stance ${stance}">${stanceWords[stance]}</span> ${when(dayOf(since))}`,
    [
      `<q>${text(citation.quote)}</q> ${jump(citation.number)}`,
      because === "" ? "" : `<div class="earlier">${text(because)}</div>`,
      ...earlier.map(
        (each) =>
          `<div class="earlier">before, ${text(dayOf(each.since))}: ${stanceWords[each.stance]}, <q>${text(each.citation.quote)}</q> ${jump(each.citation.number)}</div>`,
      ),
    ].join(""),
  ]);
  return table(["Who", "Position", "Words"], rows);
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads.map((each) => `<th scope="col">${each}</th>`).join("");
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("\n");
  return `<div class="table"><table><thead><tr>${head}</tr></thead>\n<tbody>\n${body}\n</tbody></table></div>`;
}

function linksOf(links: readonly FoundLink[]): string {
  const kinds = [...new Set(links.map(({ kind }) => kind))];
  return kinds
    .map((kind) => {
      const items = links
        .filter((link) => link.kind === kind)
        .map(({ label, href, numbers }) => {
          const where = numbers.slice(0, 5).map(jump).join(", ");
          return `${htmlLink(label, href)} <span class="by">in ${where}${numbers.length > 5 ? ", …" : ""}</span>`;
        });
      return `<h3>${linkWords[kind]}</h3>\n${list(items)}`;
    })
    .join("\n");
}

/** Deeper levels are not indented further, for lack of screen width. */
const depthMax = 8;

function treeOf(tree: readonly TreeEntry[]): string {
  const items = tree.map(({ number, depth, from, date, excerpt, attachments }) => {
    const files = attachments === 0 ? "" : `, ${countOf(attachments, "attachment")}`;
    const words =
      from === null
        ? by("not at hand")
        : `<strong>${text(nameOf(from))}</strong> ${by(`${minuteOf(date)}${files}`)} <span class="excerpt">${text(excerpt)}</span>`;
    return `<li id="message-${number}" class="depth-${Math.min(depth, depthMax)}"><span class="number">${number}</span> ${words}</li>`;
  });
  return items.length === 0 ? "" : `<ol class="tree">\n${items.join("\n")}\n</ol>`;
}

function verificationOf({ verification, summary }: ThreadReport): readonly string[] {
  const { dropped, unverified, removed } = verification;
  const kinds = Object.entries(removed).map(([kind, count]) => `${kindOf(kind)} ${count}`);
  return [
    ...(summary === null
      ? []
      : [`Summary by ${summary.model}; ${countOf(dropped, "sentence")} dropped as unsupported.`]),
    ...(unverified === 0
      ? []
      : [`${countOf(unverified, "quote")} left out: not found word for word in the message.`]),
    ...(kinds.length === 0 ? [] : [`Not the authors' own words, and so not weighed: ${kinds.join(", ")}.`]),
  ].map(text);
}

function entryOf(entry: DigestEntry): string {
  const { tally } = entry;
  const level = entry.level === null ? "Not weighed" : levelWords[entry.level];
  const items = [
    ...entry.decisions.map(
      ({ kind, by: author, quote }) =>
        `<strong>${text(kindOf(kind))}</strong>: <q>${text(quote)}</q> ${by(nameOf(author))}`,
    ),
    ...entry.openQuestions.map(
      ({ by: author, quote }) => `Open: <q>${text(quote)}</q> ${by(nameOf(author))}`,
    ),
  ];
  return [
    `<article class="card ${entry.level ?? "undecided"}"><h3>${text(entry.title) || "(no subject)"}</h3>`,
    `<p><span class="level">${level}</span>${entry.confidence === null ? "" : ` ${confidence(entry.confidence)}`}</p>`,
    meta([
      spanOf(entry.firstDate, entry.lastDate),
      countOf(entry.messages, "message"),
      countOf(entry.participants, "person", "people"),
      ...(tally === null
        ? []
        : [`votes ${tally.for} for, ${tally.against} against, ${tally.abstain} abstaining`]),
    ]),
    entry.line === "" ? "" : `<p>${text(entry.line)}</p>`,
    list(items),
    `<p class="meta">Thread <code>${text(entry.thread)}</code></p></article>`,
  ]
    .filter((block) => block !== "")
    .join("\n");
}
