/** The entry point of the consensus pipeline: from a mailing-list archive to positions and outcomes. */

export {
  type Blobs,
  type BlobsOptions,
  hideCredentials,
  IngestRefusal,
  isUrl,
  openBlobs,
} from "@headway/intake";
export { SettingsError, staticModelName, staticModelProblem } from "@headway/text";
export { type AnonymousArchives, writeAnonymousArchives } from "./anonymize/anonymize.ts";
export { keptWords } from "./anonymize/kept-words.ts";
export {
  type Answer,
  type AnswerQuote,
  type AskOptions,
  answerByQuotes,
  answerQuestion,
  askDefaults,
  type QuotedAnswer,
} from "./ask/answer.ts";
export { type Answerer, openAnswerer } from "./ask/answer-model.ts";
export * from "./collections.ts";
export {
  type ComparedModel,
  type ComparedSummary,
  type Comparison,
  compareOn,
  type ModelTotal,
  totalsOf,
} from "./compare/compare-models.ts";
export { openComparedModel, readComparedThread } from "./compare/open-model.ts";
export {
  attachConsensus,
  type Consensus,
  type ConsensusOptions,
  type ConsensusPipeline,
  type ConsensusReader,
  consensus,
  isConsensus,
  openConsensus,
  startConsensus,
} from "./consensus.ts";
export { consensusDrill } from "./drill.ts";
export {
  type Fed,
  type FeedNote,
  type FeedOptions,
  feed,
  planFeed,
  refuseAtSight,
  releaseBlobs,
} from "./feed.ts";
export { makeMailFeeder } from "./feeder.ts";
export { sanitise as listName } from "./ingest/list-name.ts";
export { watchMail as watchFolder } from "./ingest/watch-mail.ts";
export {
  type AttachedFile,
  attachmentsOfMessages,
  type HeldAttachment,
  readAttachments,
} from "./library/attachments.ts";
export { readAuthors } from "./library/authors.ts";
export { exportSchema } from "./library/export-schemas.ts";
export { type Exportable, type ExportRow, exportable, exportRows } from "./library/exports.ts";
export { readKnown } from "./library/known-archives.ts";
export { findThreadsWith } from "./library/mentions.ts";
export { type PublishOptions, publishSite } from "./library/publish.ts";
export {
  countThreads,
  findThread,
  type Ledger,
  type ListLine,
  listThreads,
  readLedger,
  readLists,
  readStory,
  type ThreadFilter,
  type ThreadLine,
  type ThreadStory,
} from "./library/reading.ts";
export type { Hit, Query } from "./library/search.ts";
export {
  askForReport,
  type DeliveryLine,
  editionState,
  hasSubscriptionTables,
  listSubscriptions,
  pauseSubscription,
  readDeliveries,
  readSubscriptionRow,
  removeSubscription,
  type SubscriptionRow,
  versionsOf,
  writeSubscription,
} from "./library/subscriptions.ts";
export {
  type Author,
  type KnownPerson,
  makePeopleBook,
  type PeopleBook,
  type PeopleDecision,
} from "./people/book.ts";
export { makeConsensus, type PipelineSettings } from "./pipeline.ts";
export { archiveIngested } from "./receive.ts";
export { htmlOfDigest, htmlOfThread } from "./report/html.ts";
export { listDigest } from "./report/list-digest.ts";
export { markdownOfDigest, markdownOfThread } from "./report/markdown.ts";
export { htmlOfMatter } from "./report/matter-html.ts";
export { markdownOfMatter } from "./report/matter-markdown.ts";
export { type MatterReport, matterReport } from "./report/matter-report.ts";
export { type Matter, type MatterKind, matterKinds, readMatter } from "./report/matters.ts";
export { type Outline, outlineOf } from "./report/outline.ts";
export { htmlOfOutline, markdownOfOutline, rowsOfOutline } from "./report/outline-text.ts";
export type { PersonKey } from "./report/person-key.ts";
export type { SitePage } from "./report/site/pages.ts";
export { type TextStyle, textOfThread } from "./report/text.ts";
export { threadReport } from "./report/thread-report.ts";
export { fallbackWords, summaryNotes } from "./report/wording.ts";
export { samplePath } from "./sample.ts";
export { consensusKnobs, readSettings, type Settings } from "./settings.ts";
export { sendReport, testReport } from "./subscription/courier.ts";
export { keepBaseline } from "./subscription/reporter.ts";
export { isReports, orderReports, reports } from "./subscription/reports.ts";
export {
  readSubscription,
  reportFormats,
  type SubscriptionDeclaration,
  type SubscriptionSecrets,
  type SubscriptionSpec,
} from "./subscription/spec.ts";
