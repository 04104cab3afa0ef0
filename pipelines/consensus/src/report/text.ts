import type { Citation, ThreadReport } from "./thread-report.ts";
import {
  asideWords,
  cleanLine,
  countOf,
  dayOf,
  fallbackWords,
  kindOf,
  levelTold,
  levelWords,
  nameOf,
  percentOf,
  spanOf,
  stanceWords,
  summaryNotes,
  voteOf,
} from "./wording.ts";

/** How a terminal shows a report. */
export interface TextStyle {
  readonly columns: number;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  /** Shows the words and rules that decided each position. */
  readonly why: boolean;
}

const columnsMax = 100;
const asidesMax = 10;

/** A report for people at a terminal: no markup, lines that fit, control characters removed. */
export function textOfThread(report: ThreadReport, style: TextStyle): string {
  const { bold, dim } = style;
  const facts = [
    report.list,
    spanOf(report.firstDate, report.lastDate),
    countOf(report.tree.length, "message"),
    countOf(report.participants.length, "person", "people"),
  ];
  const blocks = [
    `${bold(fold(report.title || "(no subject)", style, ""))}\n${dim(fold(facts.join(" · "), style, ""))}`,
    section(
      "Question",
      (report.question === null ? [] : [report.question]).map((each) => remark(each, style)),
      style,
    ),
    outcomeOf(report.outcome, levelTold(report), style),
    ...report.otherQuestions.flatMap((each, at) => [
      section(`Question ${at + 2}`, [remark(each, style)], style),
      outcomeOf(each, levelWords[each.level], style),
    ]),
    section(
      "Summary",
      [
        ...(report.summary?.sentences ?? []).map(({ text, citations }) =>
          fold(`${text} [${citations.map(({ number }) => number).join(", ")}]`, style),
        ),
        ...[...fallbackWords(report), ...summaryNotes(report)].map((words) => dim(fold(words, style))),
      ],
      style,
    ),
    section(
      "Decisions",
      report.decisions.map((each) => remark(each, style)),
      style,
    ),
    section("Votes", votesOf(report, style), style),
    section("Positions", positionsOf(report, style), style),
    section(
      "Beside the question",
      report.asides
        .slice(0, asidesMax)
        .map((each) => fold(`${asideWords(each)}: “${each.quote}” [${each.number}]`, style)),
      style,
    ),
    section(
      "What will change",
      report.commitments.map((each) => fold(cite(each), style)),
      style,
    ),
    section(
      "Open questions",
      report.openQuestions.map((each) => fold(cite(each), style)),
      style,
    ),
    section("Messages", messagesOf(report, style), style),
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

const section = (title: string, lines: readonly string[], { bold }: TextStyle): string =>
  lines.length === 0 ? "" : [bold(title), ...lines].join("\n");

const cite = (each: Citation): string =>
  `“${each.quote}” (${nameOf(each.by)}, ${dayOf(each.date)}) [${each.number}]`;

const remark = (each: Citation & { readonly kind: string }, style: TextStyle): string =>
  fold(`${kindOf(each.kind)}: ${cite(each)}`, style);

function outcomeOf(outcome: ThreadReport["outcome"], level: string, style: TextStyle): string {
  if (outcome === null) return "";
  const sure = outcome.level === "none" ? "" : ` (confidence ${percentOf(outcome.confidence)})`;
  const reasons = outcome.reasons.map((reason) => fold(`- ${reason}`, style));
  return [`${style.bold(level)}${sure}`, ...reasons].join("\n");
}

function votesOf({ votes, tally }: ThreadReport, style: TextStyle): readonly string[] {
  const counted =
    tally === null
      ? []
      : [`  ${tally.for} for, ${tally.against} against, ${countOf(tally.abstain, "abstention")}`];
  const lines = votes.map(({ value, binding, counts, by, number }) => {
    const notes = [
      ...(binding === null ? [] : [binding ? "binding" : "non-binding"]),
      ...(counts ? [] : ["not counted"]),
    ];
    const note = notes.length === 0 ? "" : ` (${notes.join(", ")})`;
    return fold(`${voteOf(value)} ${nameOf(by)}${note} [${number}]`, style);
  });
  return [...counted, ...lines];
}

function positionsOf({ positions }: ThreadReport, style: TextStyle): readonly string[] {
  return positions.flatMap(({ person, stance, citation, because, earlier }) => {
    const before = earlier.length === 0 ? "" : `; before: ${stanceWords[earlier[0]!.stance]}`;
    const line = fold(
      `${nameOf(person)} ${stanceWords[stance]}${before}: “${citation.quote}” [${citation.number}]`,
      style,
    );
    return style.why && because !== ""
      ? [line, style.dim(fold(`because: ${because}`, style, "    "))]
      : [line];
  });
}

function messagesOf({ tree }: ThreadReport, style: TextStyle): readonly string[] {
  return tree.map(({ number, depth, from, date }) => {
    const indent = "  ".repeat(Math.min(depth, 8) + 1);
    return fold(
      `[${number}] ${from === null ? "(not at hand)" : `${nameOf(from)}, ${dayOf(date)}`}`,
      style,
      indent,
    );
  });
}

/** Words in lines that fit the terminal; a longer word stands alone. */
function fold(words: string, { columns }: TextStyle, indent = "  "): string {
  const width = Math.max(20, Math.min(columns, columnsMax)) - indent.length;
  const lines: string[] = [];
  for (const word of cleanLine(words).split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => `${indent}${line}`).join("\n");
}
