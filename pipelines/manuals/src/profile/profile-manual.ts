import type { DocumentOf } from "@headway/engine";
import type { prints, profiles } from "../collections.ts";
import {
  company,
  copyright,
  date,
  kinds,
  type ManualType,
  modelShape,
  modelWord,
  noModel,
  revision,
  site,
} from "./kinds.ts";

type Print = Omit<DocumentOf<typeof prints>, "id">;
type Profile = Omit<DocumentOf<typeof profiles>, "id" | "manual">;

/** A line about the manual, with its weight. */
interface Line {
  readonly text: string;
  readonly page: number;
  readonly weight: number;
}

interface Candidate {
  readonly value: string;
  readonly line: Line;
  readonly weight: number;
}

/** Type, maker and models of a manual, each with its lines as witnesses; null without a witness, or with a contradiction. */
export function profileManual(all: readonly Print[]): Profile {
  const sorted = [...all].sort((one, other) => one.number - other.number);
  const lines = linesOf(sorted);
  const languages = countLanguages(sorted);
  return {
    type: decide(typesOf(lines)),
    maker: decide(makersOf(lines)),
    models: modelsOf(lines),
    language: languages[0] ?? null,
    languages,
    revision: decide(matchesOf(lines, revision, 1)),
    date: decide(matchesOf(lines, date, 0)),
  };
}

const places = { cover: 3, title: 3, outline: 1, running: 1.5, back: 1 } as const;
const linesMax = 4_000;

function linesOf(sorted: readonly Print[]): readonly Line[] {
  const [first] = sorted;
  if (!first) return [];
  const last = sorted.at(-1)?.number ?? 0;
  const largest = Math.max(1, ...sorted.slice(0, 2).flatMap(({ shorts }) => shorts.map(({ size }) => size)));
  const titles = [first.title, first.manual.replaceAll(/[_.-]+/g, " ")].map((text) => ({
    text,
    page: 0,
    weight: places.title,
  }));
  const cover = sorted.slice(0, 2).flatMap(({ shorts, number }) =>
    shorts.map(({ text, size }) => ({
      text,
      page: number,
      weight: places.cover * (0.4 + (0.6 * size) / largest),
    })),
  );
  const counts = new Map<string, number>();
  for (const { shorts } of sorted)
    for (const { text } of shorts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const seen = new Set<string>();
  const rest = sorted.slice(2).flatMap(({ shorts, number }) =>
    shorts.flatMap(({ text }) => {
      const running = (counts.get(text) ?? 0) >= 3;
      if ((!running && number < last - 1 && number > 4) || seen.has(text)) return [];
      seen.add(text);
      return [{ text, page: number, weight: running ? places.running : places.back }];
    }),
  );
  const outline = sorted.flatMap(({ marks, number }) =>
    marks
      .filter(({ depth }) => depth === 0)
      .map(({ title }) => ({ text: title, page: number, weight: places.outline })),
  );
  return [...titles, ...cover, ...rest, ...outline].slice(0, linesMax);
}

const typesOf = (lines: readonly Line[]): readonly Candidate[] =>
  lines.flatMap((line) =>
    (Object.keys(kinds) as ManualType[]).flatMap((value) =>
      kinds[value].test(line.text) ? [{ value, line, weight: line.weight }] : [],
    ),
  );

function makersOf(lines: readonly Line[]): readonly Candidate[] {
  return lines.flatMap((line): Candidate[] => {
    const [whole, name] = company.exec(line.text) ?? [];
    const [, holder] = copyright.exec(line.text) ?? [];
    const [, domain] = site.exec(line.text) ?? [];
    return [
      ...(whole !== undefined && name !== undefined
        ? [{ value: clean(whole), line, weight: line.weight }]
        : []),
      ...(holder !== undefined ? [{ value: clean(holder), line, weight: 2 * line.weight }] : []),
      ...(domain !== undefined ? [{ value: domain, line, weight: 0.6 * line.weight }] : []),
    ];
  });
}

const clean = (name: string): string =>
  name
    .replaceAll(/\s+/g, " ")
    .replace(/[.,;\s]{1,9}$/, "")
    .trim()
    .slice(0, 80);

function modelsOf(lines: readonly Line[]): Profile["models"] {
  const found = new Map<string, { weight: number; lines: Line[] }>();
  const add = (value: string, line: Line, weight: number) => {
    if (noModel.test(value) || /^\d+$/.test(value)) return;
    const own = found.get(value) ?? { weight: 0, lines: [] };
    found.set(value, { weight: own.weight + weight, lines: [...own.lines, line] });
  };
  for (const line of lines) {
    const [, named] = modelWord.exec(line.text) ?? [];
    if (named !== undefined && /[\p{Lu}\p{N}]{2}/u.test(named)) add(named, line, 2 * line.weight);
    for (const [shape] of line.text.matchAll(modelShape)) add(shape, line, line.weight);
    // Capitals of the title that stand on the cover or in running heads as well: "FBCN".
    if (line.page === 0)
      for (const word of line.text.match(/\b\p{Lu}{3,8}\b/gu) ?? []) add(word, line, 0.5 * line.weight);
    else
      for (const [known] of found)
        if (line.text.split(/[^\p{L}\p{N}/-]+/u).includes(known)) add(known, line, 0.5);
  }
  return [...found]
    .filter(([, { weight, lines: own }]) => weight >= 3 && own.length >= 2)
    .sort(([, one], [, other]) => other.weight - one.weight)
    .slice(0, 8)
    .map(([value, { lines: own }]) => ({ value, witnesses: witnesses(own) }));
}

function matchesOf(lines: readonly Line[], pattern: RegExp, group: number): readonly Candidate[] {
  return lines.flatMap((line) => {
    const found = pattern.exec(line.text)?.[group];
    return found === undefined ? [] : [{ value: found, line, weight: line.weight }];
  });
}

/** The value with the most weight, unless the next one has almost as much. */
function decide(candidates: readonly Candidate[]): Profile["type"] {
  const sums = new Map<string, { value: string; weight: number; lines: Line[] }>();
  for (const { value, line, weight } of candidates) {
    const key = value.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
    const own = sums.get(key) ?? { value, weight: 0, lines: [] };
    sums.set(key, { value: own.value, weight: own.weight + weight, lines: [...own.lines, line] });
  }
  const [best, next] = [...sums.values()].sort((one, other) => other.weight - one.weight);
  if (!best || best.weight < 1 || (next && next.weight > 0.95 * best.weight)) return null;
  return { value: best.value, witnesses: witnesses(best.lines) };
}

const witnesses = (lines: readonly Line[]) =>
  [...new Map(lines.map((line) => [line.text, line])).values()]
    .slice(0, 3)
    .map(({ text, page }) => ({ page, text: text.slice(0, 200) }));

function countLanguages(sorted: readonly Print[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { language, standing } of sorted)
    if (standing === "good" || standing === "partly-picture")
      counts.set(language, (counts.get(language) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one).map(([language]) => language);
}
