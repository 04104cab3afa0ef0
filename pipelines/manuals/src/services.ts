import { service } from "@headway/engine";
import type { Papers } from "./ingest/papers.ts";
import type { Ocr } from "./ocr/ocr.ts";
import type { PagePictures } from "./pictures/page-pictures.ts";

/** PDFs as files, for stages in processes of their own. */
export const papers = service("papers").as<Papers>();
/** Reads pictures of pages; there only if switched on. */
export const ocr = service("ocr").as<Ocr>();
export const painter = service("painter").as<Pick<PagePictures, "picture">>();
