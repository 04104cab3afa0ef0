import type { DocumentOf } from "@headway/engine";
import type { findings, plans } from "./collections.ts";
import { promises } from "./harvest/promises.ts";

type Plan = DocumentOf<typeof plans>;
type Finding = Omit<DocumentOf<typeof findings>, "id" | "manual">;

export interface Harvested {
  readonly code: string | null;
  readonly page: number;
}

/** Findings: warnings before trusting the reading. Zero is a finding, not a success. */
export function auditManual(all: readonly Plan[], harvested: readonly Harvested[]): readonly Finding[] {
  return [
    promisedCodes(all, harvested),
    missingCodes(harvested),
    unreadPages(all),
    pagesThat(
      all,
      "text.thin",
      ({ standing }) => standing === "thin",
      "are pictures without text: HEADWAY_OCR=tesseract reads them (a restart with it is enough), else look at them",
    ),
    pagesThat(
      all,
      "text.garbled",
      ({ standing }) => standing === "garbled",
      "have text whose characters cannot be told, and are not searched: HEADWAY_OCR=tesseract reads their pictures",
    ),
    pagesThat(
      all,
      "table.in-picture",
      ({ captions }) => captions.length > 0,
      "have the caption of a table beside a picture: the table may be in the picture",
    ),
    pagesThat(
      all,
      "page.cut",
      ({ cut }) => cut,
      "have more than the limits of a page allow, and are not here as a whole",
    ),
  ].filter((finding) => finding !== null);
}

function promisedCodes(all: readonly Plan[], harvested: readonly Harvested[]): Finding | null {
  if (harvested.length > 0) return null;
  const promising = all.flatMap(({ number, headings }) => {
    const heading = headings.map(({ trail }) => trail.at(-1) ?? "").find((text) => promises.test(text));
    return heading === undefined ? [] : [{ number, heading }];
  });
  const [first] = promising;
  if (!first) return null;
  const says = `"${first.heading}" on page ${first.number} promises codes or remedies, and none were found: readers looked for a head row (code, problem, cause, remedy) and for fields below bold codes.`;
  return { code: "codes.none", pages: promising.map(({ number }) => number), says };
}

/** A numbered series with holes: E01, E02, E04. */
function missingCodes(harvested: readonly Harvested[]): Finding | null {
  const series = new Map<string, Map<number, number>>();
  for (const { code, page } of harvested) {
    const [, prefix, digits] = /^(.*?)(\d{1,4})$/.exec(code ?? "") ?? [];
    if (prefix === undefined || digits === undefined) continue;
    const name = `${prefix}${"#".repeat(digits.length)}`;
    series.set(name, (series.get(name) ?? new Map()).set(Number(digits), page));
  }
  const holes: string[] = [];
  const pages = new Set<number>();
  for (const [name, numbers] of series) {
    const sorted = [...numbers.keys()].sort((one, other) => one - other);
    const [low = 0, high = 0] = [sorted[0], sorted.at(-1)];
    const span = high - low + 1;
    // Only a series that is almost whole promises the rest of it.
    if (sorted.length < 5 || sorted.length === span || sorted.length < 0.8 * span) continue;
    for (let number = low; number <= high; number++)
      if (!numbers.has(number)) {
        const width = name.split("#").length - 1;
        holes.push(`${name.replaceAll("#", "")}${String(number).padStart(width, "0")}`);
        pages.add(numbers.get(number - 1) ?? 0);
      }
  }
  if (holes.length === 0) return null;
  const says = `The codes are numbered and these are not among them: ${holes.slice(0, 20).join(", ")}. The manual may leave them out.`;
  return { code: "codes.fewer", pages: [...pages].filter((page) => page > 0), says };
}

function unreadPages(all: readonly Plan[]): Finding | null {
  const read = new Set(all.map(({ number }) => number));
  const total = all[0]?.pages ?? 0;
  const missing = Array.from({ length: total }, (_, index) => index + 1).filter(
    (number) => !read.has(number),
  );
  if (missing.length === 0) return null;
  const says = `${missing.length} of ${total} pages were not read (${showPages(missing)}): "headway failed list" says why.`;
  return { code: "pages.unread", pages: missing, says };
}

function pagesThat(
  all: readonly Plan[],
  code: string,
  test: (plan: Plan) => boolean,
  what: string,
): Finding | null {
  const pages = all.filter(test).map(({ number }) => number);
  if (pages.length === 0) return null;
  return { code, pages, says: `${pages.length} of ${all.length} pages ${what} (${showPages(pages)}).` };
}

const showPages = (pages: readonly number[]): string =>
  `${pages.length === 1 ? "page" : "pages"} ${pages.slice(0, 10).join(", ")}${pages.length > 10 ? " …" : ""}`;
