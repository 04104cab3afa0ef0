import { acceptDocuments } from "./accept.ts";
import { releaseStrays, releaseTasks, takeTasks } from "./claims.ts";
import { commitPart, commitResults } from "./commit.ts";
import { closeBreaker, countOutage, endStreak, readDependencies, takeProbe } from "./dependencies.ts";
import { commitUnfinished } from "./failures.ts";
import { loadMembers } from "./groups.ts";
import { readLooked } from "./looks.ts";
import { relayEvents } from "./outbox.ts";
import { reapPage } from "./reaper.ts";
import { findDue, hasDue, nextReadyAt } from "./tasks.ts";
import { findStreaming } from "./upstream.ts";
import {
  beat,
  endFrozenSessions,
  evictWorker,
  findDeadWorkers,
  findEndedWorkers,
  insertWorker,
  nextWorkerNumber,
  retireWorker,
} from "./workers.ts";

/** The reads and writes of the running engine; a test may replace some by broken functions. */
export const store = {
  acceptDocuments,
  beat,
  closeBreaker,
  commitPart,
  commitResults,
  commitUnfinished,
  countOutage,
  endFrozenSessions,
  endStreak,
  evictWorker,
  findDeadWorkers,
  findDue,
  findEndedWorkers,
  findStreaming,
  hasDue,
  insertWorker,
  loadMembers,
  nextReadyAt,
  nextWorkerNumber,
  readDependencies,
  readLooked,
  reapPage,
  relayEvents,
  releaseStrays,
  releaseTasks,
  retireWorker,
  takeProbe,
  takeTasks,
};

export type Store = typeof store;
