import {
  ackAlert,
  alertRuleHistory,
  listAlertRules,
  listAlerts,
  muteAlert,
  resetAlertRule,
  setAlertRule,
  showAlert,
} from "./alerts.ts";
import { announceAgain } from "./announce-again.ts";
import * as takes from "./argument-schemas.ts";
import type { Argument } from "./arguments.ts";
import { purgeDead, resolveDead } from "./close.ts";
import { collections, readings } from "./counts.ts";
import { exportDead, groupDead, inspectDead, listDead } from "./dead-letters.ts";
import { cancel, deleteDocument, deleteSource, leftToReap, reapNow, retryNow } from "./documents.ts";
import { errorStats, groupErrors, listErrors, reportErrors, setErrorGroup } from "./errors.ts";
import { explain } from "./explain.ts";
import { findings } from "./findings.ts";
import { forgotten, heldByDead } from "./forgotten.ts";
import { former } from "./former.ts";
import { importDead } from "./import-dead.ts";
import { documents } from "./listing.ts";
import { lookUp } from "./look-up.ts";
import { addNote, notes } from "./notes.ts";
import { listPolicies, policyHistory, resetPolicy, setPolicy } from "./policies.ts";
import {
  exportQuarantined,
  groupQuarantined,
  inspectQuarantined,
  listQuarantined,
  purgeQuarantined,
} from "./quarantine.ts";
import { continueRamp, openRamp, startRamp, stopRamp } from "./ramps.ts";
import { reprocess } from "./reprocess.ts";
import { planReprocess } from "./reprocess-plan.ts";
import { requeueDead, resetDead, resetTasks } from "./requeue.ts";
import { listSettings, resetSetting, setSettings, settingHistory } from "./stage-settings.ts";
import { freeWorker, pauseStage, resumeStage } from "./stages.ts";
import {
  audit,
  backlogs,
  breakers,
  conflicts,
  events,
  now,
  sources,
  status,
  tally,
  workers,
} from "./status.ts";
import { trace } from "./trace.ts";
import { verify } from "./verify.ts";

/**
 * Everything a person can ask and do, with the arguments that each verb takes from outside. Each act is written down in the
 * transaction that does it.
 */
export const verbs = {
  // To see
  explain: ask(explain, { name: "target", schema: takes.target }),
  lookUp: ask(
    lookUp,
    { name: "name", schema: takes.text },
    { name: "place", schema: takes.place, optional: true },
  ),
  trace: ask(
    trace,
    { name: "target", schema: takes.traced },
    { name: "options", schema: takes.tracing, optional: true },
  ),
  status: ask(status, { name: "options", schema: takes.counting, optional: true }),
  readings: ask(readings, { name: "filter", schema: takes.readingFilter, optional: true }),
  breakers: ask(breakers),
  tally: ask(tally),
  backlogs: ask(backlogs),
  workers: ask(workers),
  collections: ask(collections, { name: "options", schema: takes.counting, optional: true }),
  documents: ask(
    documents,
    { name: "filter", schema: takes.documentFilter },
    { name: "page", schema: takes.documentPage, optional: true },
  ),
  former: ask(former, { name: "target", schema: takes.target }),
  events: ask(events, { name: "filter", schema: takes.eventFilter, optional: true }),
  conflicts: ask(conflicts, { name: "page", schema: takes.page, optional: true }),
  findings: ask(findings, { name: "filter", schema: takes.findingFilter, optional: true }),
  sources: ask(sources, { name: "options", schema: takes.counted, optional: true }),
  audit: ask(audit, { name: "filter", schema: takes.actFilter, optional: true }),
  notes: ask(notes, { name: "filter", schema: takes.noteFilter, optional: true }),
  addNote: act(
    addNote,
    { name: "about", schema: takes.noteSubject },
    { name: "text", schema: takes.words },
    { name: "options", schema: takes.dryRunOnly, optional: true },
  ),
  now: ask(now),
  verify: act(verify, { name: "options", schema: takes.verifying, optional: true }),
  forgotten: ask(forgotten, { name: "options", schema: takes.sweeping }),
  heldByDead: ask(heldByDead, { name: "options", schema: takes.silence }),
  // Errors of other services
  reportErrors: act(reportErrors, { name: "errors", schema: takes.errorReports }),
  listErrors: ask(listErrors, { name: "filter", schema: takes.errorFilter, optional: true }),
  groupErrors: ask(groupErrors, { name: "filter", schema: takes.errorGroups, optional: true }),
  errorStats: ask(errorStats),
  setErrorGroup: act(
    setErrorGroup,
    { name: "fingerprint", schema: takes.text },
    { name: "change", schema: takes.errorGroupChange },
  ),
  // Dead letters
  listDead: ask(listDead, { name: "filter", schema: takes.deadPage, optional: true }),
  groupDead: ask(groupDead, { name: "filter", schema: takes.deadGroups, optional: true }),
  inspectDead: ask(inspectDead, { name: "id", schema: takes.number }),
  exportDead: ask(exportDead, { name: "filter", schema: takes.deadPage, optional: true }),
  importDead: act(
    importDead,
    { name: "lines", schema: takes.lines },
    { name: "options", schema: takes.acting, optional: true },
  ),
  requeueDead: act(
    requeueDead,
    { name: "filter", schema: takes.deadFilter },
    { name: "options", schema: takes.actingOnSome, optional: true },
  ),
  startRamp: act(
    startRamp,
    { name: "filter", schema: takes.deadFilter },
    { name: "options", schema: takes.ramping, optional: true },
  ),
  openRamp: ask(
    openRamp,
    { name: "filter", schema: takes.deadFilter },
    { name: "options", schema: takes.rampLimit, optional: true },
  ),
  continueRamp: act(
    continueRamp,
    { name: "ramp", schema: takes.number },
    { name: "options", schema: takes.anyway, optional: true },
  ),
  stopRamp: act(
    stopRamp,
    { name: "ramp", schema: takes.number },
    { name: "options", schema: takes.reason, optional: true },
  ),
  resetDead: act(
    resetDead,
    { name: "filter", schema: takes.deadFilter },
    { name: "options", schema: takes.actingOnSome, optional: true },
  ),
  purgeDead: act(
    purgeDead,
    { name: "filter", schema: takes.deadFilter },
    { name: "options", schema: takes.actingOnSome, optional: true },
  ),
  resolveDead: act(
    resolveDead,
    { name: "filter", schema: takes.deadFilter },
    { name: "options", schema: takes.actingOnSome, optional: true },
  ),
  // Deliveries that a broker handed over
  listQuarantined: ask(listQuarantined, { name: "filter", schema: takes.quarantinedPage, optional: true }),
  groupQuarantined: ask(groupQuarantined),
  inspectQuarantined: ask(inspectQuarantined, { name: "id", schema: takes.number }),
  exportQuarantined: ask(exportQuarantined, {
    name: "filter",
    schema: takes.quarantinedPage,
    optional: true,
  }),
  purgeQuarantined: act(
    purgeQuarantined,
    { name: "filter", schema: takes.quarantinedFilter },
    { name: "options", schema: takes.actingOnSome, optional: true },
  ),
  announceAgain: act(announceAgain, { name: "events", schema: takes.eventsAgain }),
  // Work
  pauseStage: act(
    pauseStage,
    { name: "stage", schema: takes.text },
    { name: "reason", schema: takes.words, optional: true },
    { name: "options", schema: takes.dryRunOnly, optional: true },
  ),
  resumeStage: act(
    resumeStage,
    { name: "stage", schema: takes.text },
    { name: "reason", schema: takes.words, optional: true },
    { name: "options", schema: takes.dryRunOnly, optional: true },
  ),
  freeWorker: act(
    freeWorker,
    { name: "worker", schema: takes.smallNumber },
    { name: "why", schema: takes.words, optional: true },
  ),
  retryNow: act(
    retryNow,
    { name: "target", schema: takes.target },
    { name: "options", schema: takes.actingLater, optional: true },
  ),
  resetTasks: act(
    resetTasks,
    { name: "which", schema: takes.tasksOf },
    { name: "options", schema: takes.acting, optional: true },
  ),
  planReprocess: ask(planReprocess, { name: "filter", schema: takes.results }),
  reprocess: act(
    reprocess,
    { name: "filter", schema: takes.results },
    { name: "options", schema: takes.acting, optional: true },
  ),
  cancel: act(
    cancel,
    { name: "target", schema: takes.target },
    { name: "options", schema: takes.actingAtStage, optional: true },
  ),
  // Documents
  deleteDocument: act(
    deleteDocument,
    { name: "target", schema: takes.documentTarget },
    { name: "options", schema: takes.acting, optional: true },
  ),
  deleteSource: act(
    deleteSource,
    { name: "source", schema: takes.text },
    { name: "options", schema: takes.acting, optional: true },
  ),
  reapNow: act(reapNow),
  leftToReap: ask(leftToReap),
  // Settings of stages
  listSettings: ask(listSettings),
  setSettings: act(
    setSettings,
    { name: "settings", schema: takes.settingsChange },
    { name: "options", schema: takes.dryRunOnly, optional: true },
  ),
  resetSetting: act(
    resetSetting,
    { name: "setting", schema: takes.settingReset },
    { name: "options", schema: takes.dryRunOnly, optional: true },
  ),
  settingHistory: ask(settingHistory, { name: "filter", schema: takes.historyOf, optional: true }),
  // Policies
  listPolicies: ask(listPolicies),
  setPolicy: act(
    setPolicy,
    { name: "policy", schema: takes.policyChange },
    { name: "options", schema: takes.dryRunOnly, optional: true },
  ),
  resetPolicy: act(
    resetPolicy,
    { name: "policy", schema: takes.policyReset },
    { name: "options", schema: takes.dryRunOnly, optional: true },
  ),
  // Alerts
  listAlerts: ask(listAlerts, { name: "filter", schema: takes.alertFilter, optional: true }),
  showAlert: ask(showAlert, { name: "id", schema: takes.number }),
  ackAlert: act(
    ackAlert,
    { name: "id", schema: takes.number },
    { name: "options", schema: takes.acting, optional: true },
  ),
  muteAlert: act(muteAlert, { name: "id", schema: takes.number }, { name: "options", schema: takes.muting }),
  listAlertRules: ask(listAlertRules),
  setAlertRule: act(
    setAlertRule,
    { name: "rule", schema: takes.alertRuleChange },
    { name: "options", schema: takes.dryRunOnly, optional: true },
  ),
  resetAlertRule: act(
    resetAlertRule,
    { name: "rule", schema: takes.alertRuleReset },
    { name: "options", schema: takes.dryRunOnly, optional: true },
  ),
  alertRuleHistory: ask(alertRuleHistory, { name: "filter", schema: takes.rowsOnly, optional: true }),
  policyHistory: ask(policyHistory, { name: "filter", schema: takes.historyOf, optional: true }),
} as const;

/** Name of a verb in HTTP. */
export type VerbName = keyof typeof verbs;

/** One row of the table. */
interface Verb<Run> {
  readonly run: Run;
  /** True: it may change something. */
  readonly changes: boolean;
  readonly takes: readonly Argument[];
}

function ask<Run>(run: Run, ...given: readonly Argument[]): Verb<Run> {
  return { run, changes: false, takes: given };
}

function act<Run>(run: Run, ...given: readonly Argument[]): Verb<Run> {
  return { run, changes: true, takes: given };
}
