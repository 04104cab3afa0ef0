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
export {
  type Ingested,
  type IngestOptions,
  type IngestProgress,
  ingestPlaces,
} from "./ingest.ts";
export { defaultLimits, showBytes, type UnpackLimits } from "./limits.ts";
export { measureOnly } from "./measure-only.ts";
export { type Outlast, tryOnce } from "./outlast.ts";
export type { Recognised, Recogniser } from "./recogniser.ts";
export { IngestRefusal, type RefusalCode, refusePath } from "./refusal.ts";
export { countingBlobs } from "./source/counting-blobs.ts";
export type {
  FedPlaces,
  FeedCounts,
  Feeder,
  FeederOptions,
  Feeders,
  RefusedPlace,
  TakenFile,
} from "./source/feeder.ts";
export { type RunLine, type RunResult, readRuns } from "./source/library/history.ts";
export { listHosts } from "./source/library/hosts.ts";
export {
  askForRun,
  hasSourceTables,
  listSources,
  pauseSource,
  readSecret,
  readSource,
  removeSource,
  resealSecret,
  type SourceRow,
  writeSource,
} from "./source/library/table.ts";
export { fetches, sourceRuns } from "./source/pipeline.ts";
export { nextRun, parseSchedule, type Schedule, showSchedule } from "./source/schedule.ts";
export { openVault, secretKeyVariable, type Vault } from "./source/secrets.ts";
export { isSources, type SourcesPipeline, sources } from "./source/sources.ts";
export {
  checkSourceName,
  readDeclaration,
  type SourceDeclaration,
  type SourceKind,
  type SourceSpec,
  sourceKinds,
} from "./source/spec.ts";
export { type FindOptions, type FoundArchive, findArchives, type SkippedNote } from "./sources.ts";
export { type WatchOptions, watchFolder } from "./watch.ts";
export { hideCredentials, isUrl, parseUrl, showUrl } from "./web-address.ts";
