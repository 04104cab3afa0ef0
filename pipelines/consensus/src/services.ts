import { service } from "@headway/engine";
import type { Blobs } from "@headway/intake";
import type { Embedder } from "@headway/text";
import type { Summarizer } from "./summary/summarizer.ts";

/** The store of archive bytes. */
export const blobs = service("blobs").as<Blobs>();
export const embedder = service("embedder").as<Embedder>();
/** Offline, or a language model. */
export const summarizer = service("summarizer").as<Summarizer>();
