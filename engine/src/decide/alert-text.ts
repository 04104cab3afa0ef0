import type { AlertRule } from "./alert-rules.ts";
import { maskText } from "./mask.ts";

export type NoticeKind = "opened" | "reminded" | "worse" | "resolved" | "digest" | "test";

/** A notice as every channel gets it: made once, when it was decided. */
export interface Notice {
  /** The same for every attempt to send it. */
  readonly id: string;
  readonly kind: NoticeKind;
  /** Groups the notices of an alert. */
  readonly thread: string;
  readonly severity: string;
  /** ASCII, one line. */
  readonly subject: string;
  readonly text: string;
  readonly rule: string;
  readonly key: string;
  readonly count: number;
  readonly at: string;
}

/** Facts about one of the deaths, or about a dependency. */
export interface AlertFacts {
  readonly stage?: string;
  readonly code?: string;
  readonly message?: string;
  readonly document?: string;
  readonly version?: string | null;
  readonly correlationId?: string;
}

export interface AlertState {
  readonly id: number;
  readonly key: string;
  readonly count: number;
  readonly folded: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly times: number;
  readonly facts: AlertFacts;
}

/** The notice about an alert. */
export function noticeOf(
  { name, type, severity }: Pick<AlertRule, "name" | "type" | "severity">,
  alert: AlertState,
  kind: Exclude<NoticeKind, "digest" | "test">,
  { number, now }: { readonly number: number; readonly now: Date },
): Notice {
  const what = headline(type, alert);
  const prefix = kind === "resolved" ? "resolved" : severity;
  const lines = [
    ["What", describe(type, alert)],
    ["Since", since(alert, kind, now)],
    ["How many", howMany(type, alert)],
    ["Version", alert.facts.version ? maskText(alert.facts.version, 100) : ""],
    ["Sample", alert.facts.document ? maskText(alert.facts.document, 200) : ""],
    [
      "Folded",
      alert.folded > 0 ? `${grouped(alert.folded)} deaths at stages that need it are counted here` : "",
    ],
    ["To do", todo(type, alert).join("\n          ")],
  ].filter(([, text]) => text !== "");
  const note = kind === "worse" ? " (ten times as many)" : kind === "reminded" ? " (still)" : "";
  return {
    id: `alert-${alert.id}-${kind}-${number}`,
    kind,
    thread: `alert-${alert.id}`,
    severity,
    subject: ascii(`[${prefix}] ${what}${note}`),
    text: `${lines.map(([title, text]) => `${(title as string).padEnd(10)}${text}`).join("\n")}\n`,
    rule: name,
    key: alert.key,
    count: alert.count,
    at: now.toISOString(),
  };
}

/** A notice about the digest, an overflow or a test. */
export const plainNotice = (
  given: Pick<Notice, "id" | "kind" | "subject" | "text" | "count"> & { readonly now: Date },
): Notice => ({
  id: given.id,
  kind: given.kind,
  thread: given.id,
  severity: "low",
  subject: ascii(given.subject),
  text: given.text,
  rule: given.kind,
  key: given.kind,
  count: given.count,
  at: given.now.toISOString(),
});

function headline(type: AlertRule["type"], { key, count, facts: { stage = key, code = "" } }: AlertState) {
  switch (type) {
    case "deaths":
      return `${stage}: ${documents(count)} died of ${code}`;
    case "stage-deaths":
      return `${stage}: ${documents(count)} used up their attempts`;
    case "new-fault":
      return `${stage}: a new fault, ${code}`;
    case "outage":
      return `${key} is down`;
    case "stuck":
      return `${key}: ${documents(count)} stuck`;
    case "failed":
      return `${key}: ${documents(count)} dead`;
    case "sweep":
      return "no successful sweep";
    case "outbox":
      return "events wait in the outbox";
    case "no-worker":
      return `no worker runs ${key}`;
    case "quarantine":
      return `${key}: ${grouped(count)} deliveries in quarantine`;
    case "conflict":
      return `${documents(count)} with refused content`;
    case "unexpected":
      return `${key}: ${grouped(count)} unexpected ${count === 1 ? "result" : "results"}`;
    case "regression":
      return `an error came back: ${key}`;
  }
}

function describe(type: AlertRule["type"], { facts: { stage, code, message }, key }: AlertState): string {
  const fault = code ? `${code}${message ? ` "${maskText(message)}"` : ""}` : "";
  switch (type) {
    case "deaths":
    case "stage-deaths":
    case "new-fault":
      return `documents die at ${stage ?? key}: ${fault}`;
    case "outage":
      return `the circuit breaker of ${key} is open${fault ? `: ${fault}` : ""}; a probe tries it, load returns by itself`;
    case "stuck":
      return `documents of ${key} are owed for longer than allowed`;
    case "failed":
      return `dead letters of ${key} wait for a person`;
    case "sweep":
      return "the last successful sweep is too long ago";
    case "outbox":
      return "events were announced and not handed on";
    case "no-worker":
      return `tasks of ${key} are due, and no living worker runs that stage`;
    case "quarantine":
      return `deliveries in ${key} are no known events and are kept aside`;
    case "conflict":
      return "other content came under an id that was taken; the stored document stands";
    case "unexpected":
      return `results are stored that ${key} did not expect${message ? `: ${maskText(message)}` : ""}`;
    case "regression":
      return `seen again after it was resolved${message ? `: ${maskText(message)}` : ""}`;
  }
}

const uncounted = new Set<AlertRule["type"]>(["outage", "sweep", "outbox", "no-worker", "regression"]);
const howMany = (type: AlertRule["type"], { count }: AlertState): string => {
  if (uncounted.has(type)) return "";
  if (type === "unexpected") return `${grouped(count)} results`;
  return type === "quarantine" ? `${grouped(count)} deliveries` : documents(count);
};

function todo(type: AlertRule["type"], { id, key }: AlertState): string[] {
  const show = `headway alerts show ${id}`;
  const isDeath = type === "deaths" || type === "stage-deaths" || type === "new-fault" || type === "failed";
  if (isDeath) return ["headway failed groups", show];
  if (type === "unexpected") return [`headway unexpected --stage ${key}`, show];
  return [firstCommands[type] ?? "headway status", show];
}

const firstCommands: Readonly<Partial<Record<AlertRule["type"], string>>> = {
  sweep: "headway sweep --once",
  outbox: "headway events",
  "no-worker": "headway workers",
  quarantine: "headway failed list --quarantine",
  conflict: "headway conflicts",
  regression: "headway errors groups",
};

function since({ firstAt, lastAt, times }: AlertState, kind: string, now: Date): string {
  const until = kind === "resolved" ? lastAt : now;
  const minutes = Math.max(0, Math.round((until.getTime() - firstAt.getTime()) / 60_000));
  const again = times > 1 ? `, time ${times} within a day` : "";
  const end = kind === "resolved" ? `lasted ${minutes} min` : `${minutes} min`;
  return `${clock(firstAt)} UTC (${end})${again}; last ${clock(lastAt)} UTC`;
}

const clock = (at: Date): string => at.toISOString().slice(0, 19).replace("T", " ");
const grouped = (value: number): string => Math.round(value).toLocaleString("en-US");
const documents = (count: number): string => `${grouped(count)} ${count === 1 ? "document" : "documents"}`;

/** A subject in ASCII stays readable in every mail client, and has no room for a second header. */
export const ascii = (text: string): string => maskText(text, 150).replace(/[^ -~]/g, "?");
