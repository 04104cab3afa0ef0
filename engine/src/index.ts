/** The authors' door: everything a pipeline is written with. */

export {
  type App,
  type AppCommand,
  type AppCommandContext,
  type AppOptions,
  type DrillPlan,
  defineApp,
  type EngineOf,
} from "./app.ts";
export { type Beside, type Bringing, type Brings, bringing } from "./brings.ts";
export { type Config, knobs, readConfig } from "./config.ts";
export {
  type Fault,
  type FaultKind,
  notFoundYet,
  permanent,
  rateLimited,
  transient,
} from "./decide/fault.ts";
export type { JsonSchema } from "./decide/json-schema.ts";
export type { Signal } from "./decide/signal.ts";
export {
  type AnyCollection,
  type Collection,
  type CollectionOptions,
  collection,
  type Document,
  type DocumentDraft,
  type DocumentOf,
  type Indexes,
  type Part,
  type Plain,
  type PlainField,
} from "./define/collection.ts";
export { DefinitionError } from "./define/definition-error.ts";
export { type Duration, durationMs, showDuration } from "./define/duration.ts";
export { jsonSchemaOf, type PlainSchema } from "./define/json-schema-of.ts";
export type { LookUp } from "./define/look-up.ts";
export { type CollectionsOf, type Fixes, type NeedsOf, type Pipeline, pipeline } from "./define/pipeline.ts";
export {
  type Projection,
  type ProjectionColumn,
  type ProjectionIndex,
  type ProjectionOptions,
  projection,
} from "./define/projection.ts";
export type { RetryPolicy, RetrySpec } from "./define/retry.ts";
export { type Service, type ServicesOf, service } from "./define/service.ts";
export {
  batchStage,
  type Context,
  groupStage,
  type JsonValue,
  type Stage,
  type StageContext,
  stage,
} from "./define/stage.ts";
export { Undelivered } from "./dispatch/alert-channel.ts";
export { type OutgoingMail, openMailer } from "./dispatch/send-mail.ts";
export { openWebhook, sendSlack } from "./dispatch/send-posts.ts";
export { startEngine } from "./engine.ts";
export type { DatabaseOption, Engine, EngineOptions, Lent, Services, ServicesFor } from "./engine-options.ts";
export { openReader, type Reader, readersOf } from "./reader.ts";
export type { Accepted, AcceptOptions } from "./run/accept.ts";
export type { BrokerOption } from "./run/news.ts";
export type { FindQuery, Page, Readers } from "./run/readers.ts";
export type { Receiver } from "./run/receive.ts";
export type { Database, Queryable } from "./store/database.ts";
export { type Statement, sql, texts } from "./store/sql.ts";
export { type Count, type Counters, countSignals, type Snapshot } from "./watch/counters.ts";
export { keptSnapshot, withoutKept } from "./watch/kept.ts";
export { type LogOptions, logSignals } from "./watch/logs.ts";
export { prometheusText, type TextFormat } from "./watch/prometheus-text.ts";
export { type Known, namesIn, type Series, series } from "./watch/series.ts";
