/** The door of the manuals pipeline: from a technical manual to the page that answers. */

import type { DocumentOf } from "@headway/engine";
import type { findings, parts, pictures, tables } from "./collections.ts";

export * from "./collections.ts";
export { manuals as manualFiles } from "./collections.ts";
export { type Change, compareManuals } from "./compare/compare-manuals.ts";
export { type ExportFormat, exportFormats, exportManual } from "./export/export-manual.ts";
export { type ManualContent, readContent } from "./export/manual-content.ts";
export { type ManualReport, reportManual } from "./export/report-manual.ts";
export { tableCsv, tableHtml, tableMarkdown } from "./export/table-text.ts";
export { type Fed, type FeedOptions, feedManuals, planManualsFeed } from "./feed.ts";
export { makeManualFeeder } from "./feeder.ts";
export { generateManual } from "./generated/generate-manual.ts";
export { manualId, pageId } from "./identity.ts";
export { type CodeEntry, findCodes } from "./library/find-codes.ts";
export { type KnownManual, readManuals } from "./library/known-manuals.ts";
export { listManuals, type ManualLine, readOf, tellReading } from "./library/manual-lines.ts";
export {
  attachManuals,
  isManuals,
  type Manuals,
  type ManualsOptions,
  type ManualsPipeline,
  type ManualsReader,
  manuals,
  openManuals,
  startManuals,
} from "./manuals.ts";
export { blockText, boxesOf, type Page, pageText } from "./page-text.ts";
export type { Box } from "./pdf/upright.ts";
export {
  openPagePictures,
  type PagePicture,
  type PagePictures,
  type PictureRequest,
  pictureWidthMax,
} from "./pictures/page-pictures.ts";
export { type PageQuestion, picturePage } from "./pictures/picture-page.ts";
export { makeManuals } from "./pipeline.ts";
export { sampleManualPath } from "./sample.ts";
export { type Answer, type Hit, type Question, searchManuals } from "./search/search.ts";

export { gridOf } from "./tables/table.ts";

export type TableBody = Omit<DocumentOf<typeof tables>, "id">;
export type PictureLine = Omit<DocumentOf<typeof pictures>, "id">;
export type FindingLine = Omit<DocumentOf<typeof findings>, "id">;
export type PartLine = Omit<DocumentOf<typeof parts>, "id">;
