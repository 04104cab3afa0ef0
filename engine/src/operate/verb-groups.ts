import type { VerbName } from "./verbs.ts";

/**
 * Verbs by what they are about: `operator.dead.requeue` is the verb that HTTP calls `requeueDead`. A verb belongs to one
 * group. A group named as a verb is called as that verb: `operator.workers()` lists, `operator.workers.free(7)` acts.
 */
export const verbGroups = {
  documents: {
    explain: "explain",
    former: "former",
    lookUp: "lookUp",
    trace: "trace",
    list: "documents",
    collections: "collections",
    retry: "retryNow",
    cancel: "cancel",
    delete: "deleteDocument",
    reap: "reapNow",
    leftToReap: "leftToReap",
  },
  stages: {
    status: "status",
    readings: "readings",
    backlogs: "backlogs",
    tally: "tally",
    breakers: "breakers",
    pause: "pauseStage",
    resume: "resumeStage",
    resetTasks: "resetTasks",
    planReprocess: "planReprocess",
    reprocess: "reprocess",
  },
  dead: {
    list: "listDead",
    groups: "groupDead",
    inspect: "inspectDead",
    export: "exportDead",
    import: "importDead",
    requeue: "requeueDead",
    reset: "resetDead",
    purge: "purgeDead",
    resolve: "resolveDead",
  },
  ramps: { start: "startRamp", open: "openRamp", continue: "continueRamp", stop: "stopRamp" },
  results: { unexpected: "findings", conflicts: "conflicts" },
  settings: {
    list: "listSettings",
    set: "setSettings",
    reset: "resetSetting",
    history: "settingHistory",
  },
  policies: { list: "listPolicies", set: "setPolicy", reset: "resetPolicy", history: "policyHistory" },
  alerts: { list: "listAlerts", show: "showAlert", acknowledge: "ackAlert", mute: "muteAlert" },
  alertRules: {
    list: "listAlertRules",
    set: "setAlertRule",
    reset: "resetAlertRule",
    history: "alertRuleHistory",
  },
  errors: {
    report: "reportErrors",
    list: "listErrors",
    groups: "groupErrors",
    stats: "errorStats",
    setGroup: "setErrorGroup",
  },
  quarantine: {
    list: "listQuarantined",
    groups: "groupQuarantined",
    inspect: "inspectQuarantined",
    export: "exportQuarantined",
    purge: "purgeQuarantined",
  },
  events: { list: "events", announceAgain: "announceAgain" },
  sources: { list: "sources", delete: "deleteSource" },
  workers: { list: "workers", free: "freeWorker" },
  audit: { list: "audit" },
  notes: { list: "notes", add: "addNote" },
  books: { verify: "verify", forgotten: "forgotten", heldByDead: "heldByDead", now: "now" },
} as const satisfies Readonly<Record<string, Readonly<Record<string, VerbName>>>>;

export type GroupName = keyof typeof verbGroups;
