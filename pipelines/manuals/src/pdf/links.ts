import { invoke, type Pdfium } from "./pdfium.ts";
import type { Box, Upright } from "./upright.ts";

/** A link of a page: to an address, or to a page of the same file. Nothing is ever followed. */
export interface PdfLink {
  readonly box: Box;
  readonly uri: string | null;
  readonly page: number | null;
}

const linksMax = 5_000;

export function readLinks(pdfium: Pdfium, document: number, page: number, upright: Upright): PdfLink[] {
  const { call, scratch, f32, i32 } = pdfium;
  const links: PdfLink[] = [];
  pdfium.setI32(scratch, 0);
  while (links.length < linksMax && invoke(call, "FPDFLink_Enumerate", page, scratch, scratch + 4)) {
    const link = i32(scratch + 4);
    const place = i32(scratch);
    invoke(call, "FPDFLink_GetAnnotRect", link, scratch + 16);
    const [left = 0, top = 0, right = 0, bottom = 0] = [16, 20, 24, 28].map((at) => f32(scratch + at));
    const box = upright.box(left, bottom, right, top);
    links.push({ box, ...targetOf(pdfium, document, link) });
    pdfium.setI32(scratch, place);
  }
  return links;
}

function targetOf(pdfium: Pdfium, document: number, link: number): Pick<PdfLink, "uri" | "page"> {
  const { call } = pdfium;
  const action = invoke(call, "FPDFLink_GetAction", link);
  const uri =
    action === 0
      ? ""
      : pdfium.latin1((to, length) => invoke(call, "FPDFAction_GetURIPath", document, action, to, length));
  const own = invoke(call, "FPDFLink_GetDest", document, link);
  const target =
    own !== 0 || action === 0 || uri !== "" ? own : invoke(call, "FPDFAction_GetDest", document, action);
  const page = target === 0 ? 0 : invoke(call, "FPDFDest_GetDestPageIndex", document, target) + 1;
  return { uri: uri === "" ? null : uri, page: page > 0 ? page : null };
}
