import { type DocumentOf, stage } from "@headway/engine";
import { pages, prints, scans, sheets } from "../collections.ts";
import { pageId } from "../identity.ts";
import { layPage } from "../layout/read-page.ts";
import { packWord, tenth } from "../page-text.ts";
import { withLent } from "../pdf/lent-pdf.ts";
import { readPageFacts } from "../pdf/page-facts.ts";
import { takePrint } from "../plan/take-print.ts";
import { papers } from "../services.ts";
import { storable } from "../storable.ts";

/** A sheet becomes a page. A crash of the process is the page's fault, and costs no other page anything. */
export const reading = stage("reading", {
  reads: sheets,
  writes: [pages, prints, scans],
  version: "2",
  needs: [papers],
  isolate: {
    module: import.meta.url,
    memoryMb: 768,
    lend: ({ blob }: { blob: string }, { papers: files }) => files.path(blob),
  },
  timeout: "60s",
  retry: { attempts: 2 },
  async *run(sheet, { lent }) {
    const facts = await withLent(lent, (pdfium, pdf) => readPageFacts(pdfium, pdf, sheet.number));
    const page = makePage(sheet, facts);
    const id = pageId(sheet.manual, sheet.number);
    yield pages.document(id, page);
    yield prints.document(id, takePrint(sheet, page));
    const { manual, blob, number, label, title } = sheet;
    const { standing, width } = page;
    if (standing === "thin" || standing === "garbled")
      yield scans.document(id, { manual, blob, number, label, title, standing, width });
  },
});

type Sheet = DocumentOf<typeof sheets>;

export function makePage(
  { manual, number, label }: Pick<Sheet, "manual" | "number" | "label">,
  facts: ReturnType<typeof readPageFacts>,
) {
  const { standing, blocks, lines } = layPage(facts);
  const words: ReturnType<typeof packWord>[] = [];
  const ranges = blocks.map(({ segments, height, bold }) => {
    const from = words.length;
    for (const segment of segments)
      words.push(...segment.words.map((word) => packWord({ ...word, text: storable(word.text) })));
    return { from, to: words.length, size: tenth(height), bold };
  });
  const { drawn, characters } = facts;
  const pack = ({ at, from, to }: { at: number; from: number; to: number }) =>
    [tenth(at), tenth(from), tenth(to)] as const;
  return {
    manual,
    number,
    label,
    width: tenth(facts.width),
    height: tenth(facts.height),
    standing,
    cut: drawn.cut || characters.cut,
    words,
    blocks: ranges,
    horizontal: lines.horizontal.map(pack),
    vertical: lines.vertical.map(pack),
    pictures: drawn.pictures.slice(0, 500).map(({ box: [x0, y0, x1, y1], pixels, sha256 }) => ({
      box: [tenth(x0), tenth(y0), tenth(x1), tenth(y1)] as const,
      pixels,
      sha256,
    })),
    links: facts.links.map(({ box: [x0, y0, x1, y1], uri, page }) => ({
      box: [tenth(x0), tenth(y0), tenth(x1), tenth(y1)] as const,
      uri: uri === null ? null : storable(uri).slice(0, 2_000),
      page,
    })),
  };
}
