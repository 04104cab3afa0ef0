import { service } from "@headway/engine";
import type { Embedder } from "./embed/embedder.ts";
import type { Blobs } from "./ingest/blobs.ts";
import type { Library } from "./library/library.ts";
import type { Summarizer } from "./summary/summarizer.ts";

/** Where archives lie as they were read. */
export const blobs = service("blobs").as<Blobs>();
/** Messages by id, for stages that work on a thread as a whole. */
export const library = service("library").as<Library>();
export const embedder = service("embedder").as<Embedder>();
/** Offline, or a language model. */
export const summarizer = service("summarizer").as<Summarizer>();
