/** The door of the console: the server's side, for the command line. */
export {
  type AccessKey,
  addAccessKey,
  findAccessKey,
  mayReport,
  type Role,
  readAccessKeys,
  removeAccessKey,
  reportRole,
  roles,
} from "./access-keys.ts";
export { type ConsoleOptions, makeConsole, type WebConsole } from "./console.ts";
export { isLoopback, refuseForeignPage } from "./guard.ts";
export type {
  Library,
  ListPage,
  ListRow,
  Position,
  Quote,
  Reader,
  Remark,
  SearchAnswer,
  SearchHit,
  SearchQuery,
  TakeFile,
  ThreadMessage,
  ThreadPage,
  ThreadRow,
  ThreadsFilter,
  Uploaded,
} from "./library.ts";
export type { Setting } from "./page-context.ts";
export type { ScheduledSource, Schedules, SourceRun, Steering } from "./schedules.ts";
export type { Person } from "./sessions.ts";
export type { ManualAnswer, ManualCode, ManualHit, ManualQuestion, ManualRow, Shelf } from "./shelf.ts";
export { loadWebFiles } from "./web-files.ts";
