import { service } from "@headway/engine";
import type { Papers } from "./ingest/papers.ts";
import type { Shelf } from "./library/shelf.ts";

/** PDFs as files, for stages in processes of their own. */
export const papers = service("papers").as<Papers>();
/** Pages by id, for stages that work on a page and its place in the manual. */
export const shelf = service("shelf").as<Shelf>();
