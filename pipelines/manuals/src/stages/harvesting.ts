import { type DocumentOf, stage } from "@headway/engine";
import { codes, harvests, pageLinks, pages, parts, pictures, plans, tables } from "../collections.ts";
import { harvestPage } from "../harvest/harvest-page.ts";
import { pageId } from "../identity.ts";
import { pageAsPlanned } from "../page-as-planned.ts";
import type { Page } from "../page-text.ts";
import { storable } from "../storable.ts";
import { captionOf } from "../tables/captions.ts";
import { crumbsAt } from "../tables/tables-of-page.ts";

type Plan = DocumentOf<typeof plans>;

/** A page becomes codes with cause and remedy, parts and links; each says which words of the page show it. */
export const harvesting = stage("harvesting", {
  reads: plans,
  writes: [codes, harvests, parts, tables, pictures, pageLinks],
  version: "3",
  looks: { seen: { of: pages, ids: pagesOf } },
  retry: { attempts: 5 },
  *run(plan, { seen }) {
    const { manual, number, label } = plan;
    const planned = (at: number, digest: string) => pageAsPlanned(seen[at - number], digest);
    const page = planned(number, plan.digest);
    const place = { manual, page: number, label };
    for (const [index, link] of linksOf(page).entries())
      yield pageLinks.document(`${pageId(manual, number)}#link${index}`, { ...place, ...link });
    for (const [index, picture] of picturesOf(plan, page).entries())
      yield pictures.document(`${pageId(manual, number)}#picture${index}`, { ...place, ...picture });
    if (!isRead(plan)) return;
    const next = plan.next === null ? null : planned(number + 1, plan.next);
    const following = plan.tableNext.map((digest, index) => planned(number + 1 + index, digest));
    const { tables: found, entries } = harvestPage(plan, page, { next, following });
    for (const [index, table] of found.entries())
      yield tables.document(`${pageId(manual, number)}#table${index}`, table);
    const counts = new Map<string, number>();
    yield harvests.document(pageId(manual, number), {
      codes: entries
        .filter(({ kind }) => kind === "trouble")
        .map(({ texts, page: on }) => ({ code: texts.code ?? null, page: on })),
    });
    for (const { kind, page: on, texts, box, quote, witness, reader } of entries) {
      const name = (kind === "parts" ? (texts.part ?? texts.position) : texts.code) ?? "entry";
      const key = `${on} ${kind} ${name}`;
      const ordinal = (counts.get(key) ?? 0) + 1;
      counts.set(key, ordinal);
      // An entry of a table that goes on stands on a later page than its table begins.
      const from = on === number ? "" : `@${number}`;
      const id = `${pageId(manual, on)}#${storable(name).slice(0, 60)}~${ordinal}${from}`;
      const shown = { manual, page: on, label: on === number ? label : "", box, quote, witness, reader };
      if (kind === "trouble")
        yield codes.document(id, {
          ...shown,
          code: texts.code ?? null,
          problem: texts.problem ?? texts.description ?? "",
          cause: texts.cause ?? "",
          remedy: texts.remedy ?? "",
        });
      else
        yield parts.document(`${id}#part`, {
          ...shown,
          number: texts.part ?? "",
          position: texts.position ?? "",
          description: texts.description ?? "",
          quantity: texts.quantity ?? "",
        });
    }
  },
});

const isRead = ({ contents, standing }: Plan): boolean =>
  !contents && (standing === "good" || standing === "partly-picture");

/** The page itself, and the following pages that its tables go on to. */
function pagesOf(plan: Plan): string[] {
  const { manual, number, next, tableNext } = plan;
  const following = isRead(plan) ? Math.max(tableNext.length, next === null ? 0 : 1) : 0;
  return Array.from({ length: following + 1 }, (_, index) => pageId(manual, number + index));
}

/** Smaller than this, in points, a picture is a sign or a line. */
const pictureMin = 12;

/** Pictures that are no decoration, with their captions. */
function picturesOf(plan: DocumentOf<typeof plans>, page: Page) {
  return page.pictures
    .filter(
      ({ box: [x0, y0, x1, y1], sha256 }) =>
        x1 - x0 >= pictureMin && y1 - y0 >= pictureMin && !plan.decoration.includes(sha256),
    )
    .map(({ box, pixels, sha256 }) => ({
      ...{ box, pixels, sha256 },
      caption: captionOf(page, "picture", box) || captionOf(page, "table", box),
      crumbs: crumbsAt(plan, page, box[1]),
    }));
}

/** Links with the words under their boxes. */
function linksOf(page: Page) {
  return page.links.map(({ box, uri, page: target }) => {
    const [x0, y0, x1, y1] = box;
    const inside = page.words.filter(([, wx0, wy0, wx1, wy1]) => {
      const [x, y] = [(wx0 + wx1) / 2, (wy0 + wy1) / 2];
      return x >= x0 && x <= x1 && y >= y0 && y <= y1;
    });
    return {
      box,
      uri,
      target,
      words: inside
        .map(([text]) => text)
        .join(" ")
        .slice(0, 500),
    };
  });
}
