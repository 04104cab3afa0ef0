import { alertTypes, severities } from "../decide/alert-rules.ts";
import { errorLevels, groupStates } from "../decide/error-report.ts";
import type { JsonSchema } from "../decide/json-schema.ts";
import { retryKinds } from "../define/retry.ts";
import { settingNames } from "../define/stage-settings.ts";
import { documentStates } from "../store/listing.ts";
import { timelineKinds } from "../store/timeline.ts";
import { noteKinds } from "./notes.ts";

/** What verbs take, said once: names, numbers, moments, filters, choices. */

const fields = (properties: Readonly<Record<string, JsonSchema>>, ...required: string[]): JsonSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

/** As long as an id may be. */
export const text: JsonSchema = { type: "string", minLength: 1, maxLength: 1_024 };
export const words: JsonSchema = { type: "string", maxLength: 4_000 };
export const flag: JsonSchema = { type: "boolean" };
export const number: JsonSchema = { type: "integer", minimum: 0 };
/** Of a stage, a worker, a ramp: what the database keeps in four bytes. */
export const smallNumber: JsonSchema = { type: "integer", minimum: 0, maximum: 2_147_483_647 };
const count: JsonSchema = { type: "integer", minimum: 1 };
const rows: JsonSchema = { ...count, maximum: 10_000 };
const many = (items: JsonSchema): JsonSchema => ({ type: "array", items, maxItems: 10_000 });
/** Narrower than the format: a moment that both JavaScript and PostgreSQL can hold. */
const momentPattern =
  "^[1-9][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3])(:[0-5][0-9]){2}([.][0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$";
const moment: JsonSchema = { type: "string", format: "date-time", pattern: momentPattern };
/** Three centuries at most, for the same reason. */
const duration: JsonSchema = {
  type: "string",
  pattern: "^([0-9]{1,10}(ms|s)|[0-9]{1,7}m|[0-9]{1,6}h|[0-9]{1,5}d|[0-9]{1,5}[.][0-9]{1,6}(ms|s|m|h|d))$",
};
const age: JsonSchema = { anyOf: [moment, duration] };
const oneOf = (values: readonly string[]): JsonSchema => ({ enum: values });
const milliseconds: JsonSchema = { type: "number", minimum: 0, maximum: 1e12 };
const content: JsonSchema = { type: "object" };

const channels = ["mail", "slack", "webhook", "pagerduty", "alertmanager"];

const why = { why: words };
const dryRun = { dryRun: flag };
const paging = { limit: rows, after: number };

export const target: JsonSchema = {
  anyOf: [
    fields({ collection: text, id: text }, "collection", "id"),
    fields({ stage: text, key: text }, "stage", "key"),
    fields({ subject: number }, "subject"),
  ],
};
export const documentTarget = fields({ collection: text, id: text }, "collection", "id");
export const traced: JsonSchema = {
  anyOf: [...(target.anyOf ?? []), fields({ request: text }, "request")],
};
export const tracing = fields({ limit: rows, kinds: many(oneOf(timelineKinds)), stage: text });
export const place = fields({ collection: text, stage: text });
const longText: JsonSchema = { type: "string", maxLength: 200_000 };
const oneError = fields(
  {
    service: text,
    error_type: text,
    message: longText,
    level: oneOf(errorLevels),
    stack: longText,
    context: content,
    correlation_id: words,
    release: words,
    environment: words,
    fingerprint: words,
    id: text,
    timestamp: words,
  },
  "service",
  "error_type",
  "message",
);
export const errorReports: JsonSchema = { type: "array", items: oneError, minItems: 1, maxItems: 100 };
export const errorFilter = fields({
  id: number,
  service: text,
  level: oneOf(errorLevels),
  error_type: text,
  fingerprint: text,
  release: text,
  since: moment,
  until: moment,
  limit: { ...count, maximum: 1_000 },
  offset: { ...number, maximum: 10_000 },
  cursor: number,
});
export const errorGroups = fields({ state: oneOf(groupStates), limit: { ...count, maximum: 1_000 } });
export const errorGroupChange = fields({ state: oneOf(groupStates), release: text, ...why }, "state");
export const counting = fields({ exact: flag });
export const counted = fields({ countMax: count });
export const readingFilter = fields({ stage: text, since: moment, until: moment, everyMs: milliseconds });

const dead = {
  stage: text,
  code: text,
  fingerprint: text,
  ids: many(number),
  documents: many(text),
  olderThan: age,
  newerThan: age,
  state: oneOf(["open", "closed", "all"]),
};
export const deadFilter = fields(dead);
export const deadPage = fields({ ...dead, ...paging });
export const deadGroups = fields({ ...dead, limit: rows });

const quarantined = { ids: many(number), queue: text, reason: text, olderThan: age, newerThan: age };
export const quarantinedFilter = fields(quarantined);
export const quarantinedPage = fields({ ...quarantined, ...paging });

export const dryRunOnly = fields(dryRun);
export const acting = fields({ ...dryRun, ...why });
export const actingOnSome = fields({ ...dryRun, ...why, limit: count });
export const actingAtStage = fields({ ...dryRun, ...why, stage: text });
export const actingLater = fields({
  ...dryRun,
  ...why,
  stage: text,
  at: moment,
  priority: { type: "integer", minimum: -1_000, maximum: 1_000 },
});
export const ramping = fields({ ...why, limit: count });
export const rampLimit = fields({ limit: count });
export const reason = fields(why);
export const anyway = fields({ anyway: flag });
export const page = fields(paging);

export const documentFilter = fields(
  {
    collection: text,
    ids: many(text),
    where: many(content),
    state: oneOf(documentStates),
    stage: text,
    stuckMs: milliseconds,
  },
  "collection",
);
export const documentPage = fields({ after: { ...text, minLength: 0 }, limit: rows, body: flag });
export const findingFilter = fields({ ...paging, stage: text });
export const eventFilter = fields({ ...paging, before: number, type: text, since: moment });
export const eventsAgain = fields({ since: moment, type: text, ...dryRun, ...why }, "since");
export const actFilter = fields({ ...paging, since: moment, actor: text, act: text });
export const noteSubject = fields({ kind: oneOf(noteKinds), name: text }, "kind", "name");
export const noteFilter = fields({ about: many(noteSubject), limit: rows });
export const verifying = fields({ repair: flag, ...why });
export const silence = fields({ silenceMs: milliseconds }, "silenceMs");
export const sweeping = fields({ silenceMs: milliseconds, stuckMs: milliseconds }, "silenceMs", "stuckMs");
export const lines: JsonSchema = { type: "array" };
export const tasksOf = fields({ stage: text, target }, "stage");
export const results = fields(
  { stage: text, ids: many(text), since: moment, stale: flag, where: content },
  "stage",
);

const policyName = { stage: text, kind: oneOf(retryKinds), ...why };
export const policyReset = fields(policyName, "stage", "kind");
export const policyChange = fields(
  {
    ...policyName,
    change: fields({
      attempts: count,
      initial: duration,
      max: duration,
      multiplier: { type: "number" },
      jitter: oneOf(["full", "none"]),
      ttl: { anyOf: [duration, { type: "null" }] },
    }),
  },
  "stage",
  "kind",
  "change",
);
export const settingReset = fields({ stage: text, setting: oneOf(settingNames), ...why }, "stage", "setting");
const orNone = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: "null" }] });
export const settingsChange = fields(
  {
    stage: text,
    ...why,
    change: fields({
      timeout: duration,
      concurrency: orNone(count),
      rate: orNone(fields({ limit: { type: "number" }, per: duration }, "limit", "per")),
      priority: { type: "integer" },
    }),
  },
  "stage",
  "change",
);
export const historyOf = fields({ stage: text, limit: rows });

export const alertFilter = fields({ state: oneOf(["open", "resolved", "all"]), limit: rows, before: number });
export const muting = fields({ for: duration, ...why, ...dryRun }, "for");
const ruleName = { name: { ...text, maxLength: 100 }, ...why };
export const alertRuleReset = fields(ruleName, "name");
export const alertRuleChange = fields(
  {
    ...ruleName,
    change: fields({
      type: oneOf(alertTypes),
      enabled: flag,
      threshold: { type: "number", minimum: 0, maximum: 1e12 },
      window: duration,
      severity: oneOf(severities),
      channels: { type: "array", items: oneOf(channels), maxItems: channels.length },
      stage: text,
      code: text,
      remind: duration,
      resolve: duration,
    }),
  },
  "name",
  "change",
);
export const rowsOnly = fields({ limit: rows });
