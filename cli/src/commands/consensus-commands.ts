import type { Adding } from "../run.ts";
import { addAsk } from "./ask.ts";
import { addAttachments } from "./attachments.ts";
import { addCompare } from "./compare.ts";
import { addExport } from "./export.ts";
import { addIngest } from "./ingest.ts";
import { addPeople } from "./people/people.ts";
import { addPublish } from "./publish.ts";
import { addReport } from "./report.ts";
import { addSearch } from "./search.ts";
import { addSnapshot } from "./snapshot.ts";
import { addSubscriptions } from "./subscriptions/subscriptions.ts";
import { addThreads } from "./threads.ts";
import { addTour } from "./tour.ts";

/** Commands of the consensus pipeline; an application without it has others, or none. */
export function addConsensusCommands(adding: Adding): void {
  addIngest(adding);
  addThreads(adding);
  addReport(adding);
  addPublish(adding);
  addSubscriptions(adding);
  addSearch(adding);
  addAsk(adding);
  addPeople(adding);
  addCompare(adding);
  addAttachments(adding);
  addExport(adding);
  addTour(adding);
  addSnapshot(adding);
}

/** Their names, so that a command that is missing elsewhere can be told from a mistyped one. */
export const consensusCommandNames = [
  "ingest",
  "threads",
  "report",
  "publish",
  "subscriptions",
  "search",
  "ask",
  "people",
  "compare",
  "attachments",
  "export",
  "tour",
  "snapshot",
] as const;
