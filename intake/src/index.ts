/** The door of intake: bytes from files, folders, archives and the web, within limits, into a blob store. */

export { isPrivateAddress } from "./addresses.ts";
export { archiveKey, showName, stripPacking } from "./archive-key.ts";
export { addPiece, beginBlob, hasBlobTables } from "./blob-pieces.ts";
export type { Blobs, PutOptions, StoredBlob } from "./blobs.ts";
export { type BlobsOptions, joinBlobs, openBlobs } from "./choose-blobs.ts";
export { makeDatabaseBlobs } from "./database-blobs.ts";
export { type HttpState, nameOfUrl } from "./download.ts";
export { type Fetched, type FetchOptions, fetchUrl } from "./fetch.ts";
export { defaultFetchLimits, type FetchLimits } from "./fetch-limits.ts";
export { intakeFixes } from "./fixes.ts";
export { openFolderBlobs } from "./folder-blobs.ts";
export type { HostAddress, Resolve } from "./http-request.ts";
export { findArchiveLinks, isPage } from "./index-page.ts";
export { type Ingested, type IngestOptions, type IngestProgress, ingestPlaces } from "./ingest.ts";
export { defaultLimits, showBytes, type UnpackLimits } from "./limits.ts";
export type { Recognised, Recogniser } from "./recogniser.ts";
export { IngestRefusal, type RefusalCode, refusePath } from "./refusal.ts";
export { type FindOptions, type FoundArchive, findArchives, type SkippedNote } from "./sources.ts";
export { type WatchOptions, watchFolder } from "./watch.ts";
export { hideCredentials, isUrl, parseUrl, showUrl } from "./web-address.ts";
