import { tellReading } from "../library/manual-lines.ts";
import type { ManualContent } from "./manual-content.ts";

/** A manual on one page: what it is, what is in it, what could not be read. */
export interface ManualReport {
  readonly manual: string;
  readonly title: string;
  readonly state: string;
  readonly profile: ManualContent["profile"];
  readonly counts: Readonly<Record<"pages" | "codes" | "tables" | "parts" | "pictures", number>>;
  readonly contents: readonly { readonly page: number; readonly depth: number; readonly text: string }[];
  readonly findings: readonly {
    readonly code: string;
    readonly pages: readonly number[];
    readonly says: string;
  }[];
  readonly text: string;
}

const contentsMax = 60;

export function reportManual(content: ManualContent): ManualReport {
  const { manual, profile, plans } = content;
  const contents = plans
    .flatMap(({ number, headings }) =>
      headings.map(({ trail }) => ({ page: number, depth: trail.length, text: trail.at(-1) ?? "" })),
    )
    .filter(({ depth }) => depth <= 2)
    .slice(0, contentsMax);
  const report = {
    manual: manual.id,
    title: manual.title,
    state: tellReading(manual),
    profile,
    counts: {
      pages: manual.pages,
      codes: content.codes.length,
      tables: content.tables.length,
      parts: content.parts.length,
      pictures: content.pictures.length,
    },
    contents,
    findings: content.findings.map(({ code, pages, says }) => ({ code, pages, says })),
  };
  return { ...report, text: textOf(report) };
}

function textOf({
  title,
  manual,
  state,
  profile,
  counts,
  contents,
  findings,
}: Omit<ManualReport, "text">): string {
  const known = (name: string, value: { readonly value: string } | null | undefined) =>
    `${name}: ${value ? value.value : "unknown"}`;
  const lines = [
    `# ${title}`,
    `${manual}: ${state}`,
    "",
    known("type", profile?.type),
    known("maker", profile?.maker),
    `models: ${profile && profile.models.length > 0 ? profile.models.map(({ value }) => value).join(", ") : "unknown"}`,
    `languages: ${profile && profile.languages.length > 0 ? profile.languages.join(", ") : "unknown"}`,
    known("revision", profile?.revision),
    known("date", profile?.date),
    Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(", "),
    "",
    "## Contents",
    ...contents.map(({ page, depth, text }) => `${"  ".repeat(depth - 1)}- ${text} (page ${page})`),
    "",
    "## Not read, or missing",
    ...(findings.length > 0
      ? findings.map(({ code, says }) => `- ${code}: ${says}`)
      : ["- nothing: all that is there was read"]),
  ];
  return `${lines.map((line) => line.replaceAll(/[ \t]{0,20}\n\s{0,20}/g, " ")).join("\n")}\n`;
}
