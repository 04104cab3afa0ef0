import { markdownLink, escapeMarkdown as text } from "./escape-markdown.ts";
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
  summaryNotes,
  voteOf,
} from "./wording.ts";

export function markdownOfThread(report: ThreadReport): string {
  return join([
    `# ${text(report.title) || "(no subject)"}`,
    [
      `**${text(report.list)}** · ${text(spanOf(report.firstDate, report.lastDate))}`,
      `${countOf(report.tree.length, "message")} · ${countOf(report.participants.length, "person", "people")}`,
    ].join(" · "),
    ...section("Question", report.question === null ? [] : [remark(report.question)]),
    ...outcomeOf(report.outcome, levelTold(report)),
    ...report.otherQuestions.flatMap((each, at) => [
      ...section(`Question ${at + 2}`, [remark(each)]),
      ...outcomeOf(each, levelWords[each.level]),
    ]),
    ...section("Summary", [
      ...summaryOf(report),
      ...fallbackWords(report).map((words) => `- *${text(words)}*`),
    ]),
    ...section("Decisions", report.decisions.map(remark)),
    ...section("Calls", report.calls.map(remark)),
    ...section("Votes", votesOf(report)),
    ...section("Positions", positionsOf(report)),
    ...section("Beside the question", report.asides.map(asideOf)),
    ...section(
      "What will change",
      report.commitments.map((each) => `- ${cite(each)}`),
    ),
    ...section(
      "Open questions",
      report.openQuestions.map((each) => `- ${cite(each)}`),
    ),
    ...section(
      "People",
      report.participants.map((each) => `- ${text(nameOf(each))}: ${countOf(each.messages, "message")}`),
    ),
    ...section("Links", linksOf(report.links)),
    ...section("Messages", report.tree.map(treeLine)),
    ...section(
      "Odd messages",
      report.flagged.map((each) => `- ${jump(each.number)}: ${text(each.flags.join(", "))}`),
    ),
    ...section("What is not here", verificationOf(report)),
  ]);
}

export function markdownOfDigest(digest: ListDigest): string {
  const levels = Object.entries(levelWords)
    .map(([level, words]) => `${words}: ${digest.levels[level as keyof ListDigest["levels"]]}`)
    .join(" · ");
  return join([
    `# ${text(digest.list)}`,
    [
      text(spanOf(digest.firstDate, digest.lastDate)),
      countOf(digest.threads, "thread"),
      countOf(digest.messages, "message"),
      countOf(digest.participants, "person", "people"),
    ].join(" · "),
    levels,
    ...digest.entries.flatMap(entryOf),
  ]);
}

const join = (blocks: readonly string[]): string => `${blocks.join("\n\n")}\n`;

/** A heading and its lines, or nothing without lines. */
const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`## ${title}`, lines.join("\n")];

const jump = (number: number): string => `[${number}](#message-${number})`;

const source = ({ by, date, number }: Citation): string =>
  `(${text(nameOf(by))}, ${text(dayOf(date))}, ${jump(number)})`;

const cite = (citation: Citation): string => `“${text(citation.quote)}” ${source(citation)}`;

const remark = (each: Citation & { readonly kind: string }): string =>
  `- **${text(kindOf(each.kind))}**: ${cite(each)}`;

const asideOf = (each: ThreadReport["asides"][number]): string =>
  `- ${text(asideWords(each))}: “${text(each.quote)}” (${text(dayOf(each.date))}, ${jump(each.number)})`;

function outcomeOf(outcome: ThreadReport["outcome"], level: string): readonly string[] {
  if (outcome === null) return [];
  const reasons = outcome.reasons.map((reason) => `> - ${text(reason)}`);
  const heading = `> **${level}** (confidence ${percentOf(outcome.confidence)})`;
  return [[heading, ...(reasons.length === 0 ? [] : [">", ...reasons])].join("\n")];
}

function summaryOf({ summary }: ThreadReport): readonly string[] {
  return (summary?.sentences ?? []).flatMap(({ text: sentence, citations }) => {
    const said = citations.filter(({ quote }) => isSaid(sentence, quote));
    const others = citations.filter(({ quote }) => !isSaid(sentence, quote));
    return [
      [`- ${text(sentence)}`, ...said.map(source)].join(" "),
      ...others.map((one) => `  - ${cite(one)}`),
    ];
  });
}

function votesOf({ votes, tally }: ThreadReport): readonly string[] {
  const lines = votes.map((vote) => {
    const notes = [
      ...(vote.binding === true ? ["binding"] : vote.binding === false ? ["non-binding"] : []),
      ...(vote.counts ? [] : ["not counted"]),
    ];
    return row([
      voteOf(vote.value),
      notes.join(", "),
      text(nameOf(vote.by)),
      `“${text(vote.quote)}” (${jump(vote.number)})`,
    ]);
  });
  const counted =
    tally === null
      ? []
      : [`**${tally.for} for, ${tally.against} against, ${countOf(tally.abstain, "abstention")}**`];
  if (lines.length === 0) return counted;
  return [
    ...counted,
    ...(counted.length === 0 ? [] : [""]),
    ...table(["Vote", "Kind", "Who", "Words"], lines),
  ];
}

function positionsOf({ positions }: ThreadReport): readonly string[] {
  if (positions.length === 0) return [];
  const rows = positions.map(({ person, stance, since, citation, because, earlier }) =>
    row([
      text(nameOf(person)),
      stanceWords[stance],
      text(dayOf(since)),
      `“${text(citation.quote)}” (${jump(citation.number)})${because === "" ? "" : `: ${text(because)}`}`,
      earlier
        .map(
          (each) =>
            `${stanceWords[each.stance]}: “${text(each.citation.quote)}” (${jump(each.citation.number)})`,
        )
        .join("; "),
    ]),
  );
  return table(["Who", "Position", "Since", "Words", "Before"], rows);
}

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

const table = (heads: readonly string[], rows: readonly string[]): readonly string[] => [
  row(heads),
  row(heads.map(() => "---")),
  ...rows,
];

function linksOf(links: readonly FoundLink[]): readonly string[] {
  return links.map(({ kind, label, href, numbers }) => {
    const where = numbers.slice(0, 5).map(jump).join(", ");
    return `- ${linkWords[kind]}: ${markdownLink(label, href)} (${where}${numbers.length > 5 ? ", …" : ""})`;
  });
}

/** Deeper levels are not indented further, for lack of page width. */
const depthMax = 8;

function treeLine({ number, depth, from, date, excerpt, attachments }: TreeEntry): string {
  const indent = "  ".repeat(Math.min(depth, depthMax));
  const anchor = `<a id="message-${number}"></a>`;
  if (from === null) return `${indent}- ${anchor}${number} (not at hand)`;
  const files = attachments === 0 ? "" : ` (${countOf(attachments, "attachment")})`;
  const words = excerpt === "" ? "" : `: ${text(excerpt)}`;
  return `${indent}- ${anchor}${number} **${text(nameOf(from))}**, ${text(minuteOf(date))}${files}${words}`;
}

function verificationOf({ id, verification, summary }: ThreadReport): readonly string[] {
  const { dropped, unverified, removed } = verification;
  const kinds = Object.entries(removed).map(([kind, count]) => `${text(kindOf(kind))} ${count}`);
  return [
    ...(summary === null
      ? []
      : [
          `- Summary by ${text(summary.model)}; ${countOf(dropped, "sentence")} dropped as unsupported.`,
          ...summaryNotes({ id, summary }).map((words) => `- ${text(words)}`),
        ]),
    ...(unverified === 0
      ? []
      : [`- ${countOf(unverified, "quote")} left out: not found word for word in the message.`]),
    ...(kinds.length === 0 ? [] : [`- Not the authors' own words, and so not weighed: ${kinds.join(", ")}.`]),
  ];
}

function entryOf(entry: DigestEntry): readonly string[] {
  const level =
    entry.level === null ? "Not weighed" : `${levelWords[entry.level]} (${percentOf(entry.confidence ?? 0)})`;
  const { tally } = entry;
  const facts = [
    `**${level}**`,
    text(spanOf(entry.firstDate, entry.lastDate)),
    countOf(entry.messages, "message"),
    countOf(entry.participants, "person", "people"),
    ...(tally === null
      ? []
      : [`votes ${tally.for} for, ${tally.against} against, ${tally.abstain} abstaining`]),
  ];
  const remarks = [
    ...entry.decisions.map(
      ({ kind, by, quote }) => `- **${text(kindOf(kind))}**: “${text(quote)}” (${text(nameOf(by))})`,
    ),
    ...entry.openQuestions.map(({ by, quote }) => `- Open: “${text(quote)}” (${text(nameOf(by))})`),
    `- Thread ${text(entry.thread)}`,
  ];
  return [
    `## ${text(entry.title) || "(no subject)"}`,
    facts.join(" · "),
    ...(entry.line === "" ? [] : [text(entry.line)]),
    remarks.join("\n"),
  ];
}
