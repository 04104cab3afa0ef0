import type { Consensus } from "@headway/consensus";
import type { ManualCode, Shelf, TakeFile, Uploaded } from "@headway/console";
import { type CodeEntry, feedManuals, listManuals, type Manuals, tellReading } from "@headway/manuals";
import { takeArchive } from "./console-library.ts";

/** Pages about manuals, filled by the manuals pipeline. */
export function makeManualsShelf(manuals: Manuals): Shelf {
  return {
    async manuals() {
      const lines = await listManuals(manuals.engine.database);
      return lines.map((line) => ({
        id: line.id,
        title: line.title,
        pages: line.pages,
        reading: tellReading(line),
        codes: line.codes,
      }));
    },
    async ask(question) {
      const { found, unknown, codes, hits } = await manuals.search(question);
      return {
        found,
        unknown,
        codes: codes.map(toCode),
        hits: hits.map(({ manual, title, page, label, crumbs, quote }) => ({
          manual,
          title,
          page,
          label,
          crumbs,
          quote,
        })),
      };
    },
    async picture(question) {
      const found = await manuals.picture(question);
      return found && { png: found.png, marks: found.marks.length };
    },
  };
}

const toCode = ({ code, problem, cause, remedy, manual, page }: CodeEntry): ManualCode => ({
  manual,
  code: code ?? "trouble",
  page,
  facts: (
    [
      ["problem", problem],
      ["cause", cause],
      ["remedy", remedy],
    ] as const
  ).filter(([, text]) => text !== ""),
});

/** Reads an uploaded file by the pipeline for the kind of file; null: neither pipeline runs. */
export function makeTakeFile(consensus: Consensus | null, manuals: Manuals | null): TakeFile | null {
  if (!consensus && !manuals) return null;
  return async (path, options) => {
    const isPdf = /[.]pdf$/i.test(path);
    if (manuals && (isPdf || !consensus)) return await takeManual(manuals, path);
    return await takeArchive(consensus as Consensus, path, options);
  };
}

async function takeManual(manuals: Manuals, path: string): Promise<Uploaded> {
  const { accepted, unchanged, refused } = await feedManuals(manuals, [path]);
  return {
    accepted: accepted.length,
    unchanged,
    lists: [],
    refused: refused.map(({ because }) => because),
    documents: accepted.map((id) => ({ collection: "manuals", id })),
  };
}
