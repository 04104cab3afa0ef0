import type { ManualContent } from "../export/manual-content.ts";
import { blockText, type Page } from "../page-text.ts";
import { gridOf } from "../tables/table.ts";

/** A difference between two editions, with words of both sides; null: not on that side. */
export interface Change {
  readonly kind: "page" | "code" | "table";
  readonly what: "added" | "removed" | "changed";
  readonly name: string;
  readonly before: { readonly page: number; readonly quote: string } | null;
  readonly after: { readonly page: number; readonly quote: string } | null;
}

/** Pages alike in at least this share of their word triples are the same page; above `same` nothing changed. */
const alike = { least: 0.4, same: 0.999 } as const;
const quoteLength = 300;

/** Pages by their words, codes by name, tables by head: added, removed or changed. */
export function compareManuals(before: ManualContent, after: ManualContent): readonly Change[] {
  return [...comparePages(before, after), ...compareCodes(before, after), ...compareTables(before, after)];
}

interface Shingled {
  readonly page: Page;
  readonly blocks: readonly string[];
  readonly triples: ReadonlySet<string>;
}

function comparePages(before: ManualContent, after: ManualContent): readonly Change[] {
  const [old, fresh] = [shingle(before), shingle(after)];
  const taken = new Set<Shingled>();
  const pairs = fresh.map((page) => {
    const candidates = old
      .filter((one) => !taken.has(one))
      .map((one) => ({ one, share: shareOf(one, page) }));
    const [best] = candidates.sort(
      (a, b) => b.share - a.share || distance(a.one, page) - distance(b.one, page),
    );
    if (!best || best.share < alike.least) return { page, match: null, share: 0 };
    taken.add(best.one);
    return { page, match: best.one, share: best.share };
  });
  const removed = old.filter((one) => !taken.has(one) && one.triples.size > 0);
  return [
    ...pairs.flatMap(({ page, match, share }): readonly Change[] => {
      const name = `page ${page.page.number}`;
      if (!match && page.triples.size === 0) return [];
      if (!match)
        return [
          { kind: "page", what: "added", name, before: null, after: quote(page.page.number, page.blocks) },
        ];
      if (share >= alike.same) return [];
      const lost = match.blocks.filter((text) => !page.blocks.includes(text));
      const won = page.blocks.filter((text) => !match.blocks.includes(text));
      return [
        {
          ...{ kind: "page", what: "changed", name },
          before: quote(match.page.number, lost),
          after: quote(page.page.number, won),
        },
      ];
    }),
    ...removed.map(
      ({ page, blocks }): Change => ({
        ...{ kind: "page", what: "removed", name: `page ${page.number}` },
        before: quote(page.number, blocks),
        after: null,
      }),
    ),
  ];
}

const distance = (one: Shingled, other: Shingled): number => Math.abs(one.page.number - other.page.number);
const quote = (page: number, blocks: readonly string[]) => ({
  page,
  quote: blocks.join(" … ").slice(0, quoteLength),
});

function shingle({ pages, plans }: ManualContent): readonly Shingled[] {
  return pages.map((page) => {
    const running = plans.find(({ number }) => number === page.number)?.running ?? [];
    const blocks = page.blocks.flatMap((_, index) =>
      running.includes(index) ? [] : [blockText(page, index).text],
    );
    const words =
      blocks
        .join(" ")
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu) ?? [];
    const triples = new Set(words.map((_, at) => words.slice(at, at + 3).join(" ")));
    return { page, blocks, triples };
  });
}

function shareOf({ triples: one }: Shingled, { triples: other }: Shingled): number {
  if (one.size === 0 && other.size === 0) return 1;
  const both = [...one].filter((triple) => other.has(triple)).length;
  return both / (one.size + other.size - both || 1);
}

function compareCodes(before: ManualContent, after: ManualContent): readonly Change[] {
  const keyed = ({ codes }: ManualContent) =>
    new Map(
      codes.map((entry) => [(entry.code ?? entry.problem).toLowerCase().replaceAll(/[\s._-]+/g, ""), entry]),
    );
  const [old, fresh] = [keyed(before), keyed(after)];
  const told = (entry: ManualContent["codes"][number]) => ({
    page: entry.page,
    quote: [entry.problem, entry.cause, entry.remedy]
      .filter((text) => text !== "")
      .join(" | ")
      .slice(0, quoteLength),
  });
  const name = (entry: ManualContent["codes"][number]) => entry.code ?? entry.problem;
  return [
    ...[...fresh].flatMap(([key, entry]): readonly Change[] => {
      const was = old.get(key);
      if (!was) return [{ kind: "code", what: "added", name: name(entry), before: null, after: told(entry) }];
      if (told(was).quote === told(entry).quote) return [];
      return [{ kind: "code", what: "changed", name: name(entry), before: told(was), after: told(entry) }];
    }),
    ...[...old].flatMap(([key, entry]): readonly Change[] =>
      fresh.has(key)
        ? []
        : [{ kind: "code", what: "removed", name: name(entry), before: told(entry), after: null }],
    ),
  ];
}

/** Tables with the same head are the same table; changed cells are quoted. */
function compareTables(before: ManualContent, after: ManualContent): readonly Change[] {
  const headOf = (table: ManualContent["tables"][number]) => (gridOf(table)[0] ?? []).join(" | ");
  const left = [...before.tables];
  return after.tables.flatMap((table): readonly Change[] => {
    const at = left.findIndex((one) => headOf(one) === headOf(table));
    const [was] = at < 0 ? [] : left.splice(at, 1);
    if (!was) return [];
    const [old, fresh] = [gridOf(was), gridOf(table)].map((grid) => grid.map((row) => row.join(" | ")));
    const lost = (old ?? []).filter((row) => !(fresh ?? []).includes(row));
    const won = (fresh ?? []).filter((row) => !(old ?? []).includes(row));
    if (lost.length + won.length === 0) return [];
    const name = table.caption || headOf(table).slice(0, 80);
    return [
      { kind: "table", what: "changed", name, before: quote(was.page, lost), after: quote(table.page, won) },
    ];
  });
}
