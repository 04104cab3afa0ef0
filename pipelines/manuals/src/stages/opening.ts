import { permanent, stage } from "@headway/engine";
import { manuals, sheets } from "../collections.ts";
import { pageId } from "../identity.ts";
import type { Pdf } from "../pdf/document.ts";
import { withLent } from "../pdf/lent-pdf.ts";
import { papers } from "../services.ts";
import { storable } from "../storable.ts";

const pagesMax = 20_000;

/** A PDF becomes sheets, one per page; an unopenable PDF is refused here, with the reason. */
export const opening = stage("opening", {
  reads: manuals,
  writes: [sheets],
  needs: [papers],
  isolate: {
    module: import.meta.url,
    lend: ({ blob }: { blob: string }, { papers: files }) => files.path(blob),
  },
  timeout: "2m",
  retry: { attempts: 2 },
  async *run({ id, blob, name }, { lent }) {
    yield* await withLent(lent, (_, pdf) => sheetsOf(pdf, { id, blob, name }));
  },
});

function sheetsOf(pdf: Pdf, { id, blob, name }: { id: string; blob: string; name: string }) {
  if (pdf.pages < 1) throw permanent("pdf.empty", "The file has no pages: get it again.");
  if (pdf.pages > pagesMax)
    throw permanent(
      "pdf.pages",
      `The file has ${pdf.pages} pages (limit pdf.pages is ${pagesMax}): split it.`,
    );
  const marks = pdf.bookmarks();
  const title = storable(pdf.meta("Title").trim()) || name;
  return Array.from({ length: pdf.pages }, (_, index) => {
    const number = index + 1;
    return sheets.document(pageId(id, number), {
      manual: id,
      blob,
      number,
      pages: pdf.pages,
      label: storable(pdf.label(number)),
      title: title.slice(0, 500),
      marks: marks
        .filter(({ page }) => page === number)
        .map((mark) => ({ title: storable(mark.title).slice(0, 500), depth: mark.depth })),
    });
  });
}
