/** The entry point of text: sentences, tokens, passages, links, quotes, and their vectors. */

export { type Block, isVerbatimLine, layBlocks } from "./blocks.ts";
export { cacheEmbedder } from "./embed/cached.ts";
export { describeEmbedder, type EmbedderSettings, openEmbedder } from "./embed/choose.ts";
export type { Embedder, EmbedOptions } from "./embed/embedder.ts";
export { vectorText } from "./embed/quantise.ts";
export { SettingsError } from "./embed/settings-error.ts";
export { openStaticModel, staticModelName, staticModelProblem } from "./embed/static-model.ts";
export { type Folded, findQuote, fold } from "./find-quote.ts";
export { findLinks, type Link, type LinkOptions } from "./links.ts";
export { cutPassages, type Passage, type PassageOptions } from "./passages.ts";
export { isProse, type Span, splitSentences } from "./sentences.ts";
export { type Encoding, makeWordPieces, type WordPieces } from "./word-pieces.ts";
