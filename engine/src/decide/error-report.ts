import { fingerprint } from "./fingerprint.ts";
import { maskSecrets, maskText } from "./mask.ts";
import { cut } from "./text.ts";

export const errorLevels = ["debug", "info", "warning", "error", "critical"] as const;
export type ErrorLevel = (typeof errorLevels)[number];
/**
 * States of a group of reported errors.
 *
 * @example
 * import { groupStates } from "@headway/engine/operate";
 *
 * export const isState = (word: string) => groupStates.some((one) => one === word);
 */
export const groupStates = ["open", "resolved", "muted"] as const;
export type GroupState = (typeof groupStates)[number];

/** An error as another service reports it. */
export interface ErrorReport {
  readonly service: string;
  readonly error_type: string;
  readonly message: string;
  readonly level?: ErrorLevel | undefined;
  readonly stack?: string | undefined;
  readonly context?: object | undefined;
  readonly correlation_id?: string | undefined;
  readonly release?: string | undefined;
  readonly environment?: string | undefined;
  /** Wins over the computed fingerprint. */
  readonly fingerprint?: string | undefined;
  /** Makes the report idempotent. */
  readonly id?: string | undefined;
}

/** A report ready to be stored: masked, cut, with its group. */
export interface ErrorEvent {
  readonly key: string | null;
  readonly fingerprint: string;
  readonly service: string;
  readonly level: ErrorLevel;
  readonly error_type: string;
  readonly message: string;
  readonly stack: string | null;
  readonly context: object;
  readonly correlation_id: string | null;
  readonly release: string | null;
  readonly environment: string | null;
}

const stackMax = 16_000;
const contextMax = 16_000;

/**
 * A report without secrets and control characters. Its group follows from service, type, wording and own function:
 * names of documents and archives, numbers and releases do not count.
 */
export function toErrorEvent(report: ErrorReport): ErrorEvent {
  const { service, error_type, message, level = "error", stack } = report;
  const given = report.fingerprint?.trim();
  return {
    key: report.id === undefined ? null : `${service}/${report.id}`,
    fingerprint: given
      ? maskText(given, 100)
      : fingerprint({ stage: service, code: error_type, message, stack }),
    service: maskText(service, 100),
    level,
    error_type: maskText(error_type, 200),
    message: maskText(message, 2_000),
    stack: stack === undefined ? null : plainLines(maskSecrets(cut(stack, stackMax))),
    context: maskedContext(report.context ?? {}),
    correlation_id: textOrNull(report.correlation_id),
    release: textOrNull(report.release),
    environment: textOrNull(report.environment),
  };
}

const textOrNull = (text: string | undefined): string | null =>
  text === undefined ? null : maskText(text, 200);
const plainLines = (text: string): string => text.replace(/[^\P{C}\n\t]/gu, " ");
const secretName = /pass|secret|token|api[_-]?key|authorization|cookie|credential/i;

/** Values under a secret's name are hidden whole; a context that is too long is left out. */
function maskedContext(context: object): object {
  const text = JSON.stringify(context, (name, value: unknown) => {
    if (name !== "" && secretName.test(name)) return "***";
    return typeof value === "string" ? plainLines(maskSecrets(value)) : value;
  });
  if (text === undefined || text.length > contextMax)
    return { omitted: `longer than ${contextMax} characters` };
  return JSON.parse(text) as object;
}

/** Time after a resolution in which events may still come from before it. */
const graceMs = 300_000;

/** Whether an event opens its resolved group again: a newer release, or without a release some minutes later. */
export function isRegression(
  group: { readonly state: GroupState; readonly resolvedAt: Date | null; readonly resolvedIn: string | null },
  release: string | null,
  now: Date,
): boolean {
  if (group.state !== "resolved") return false;
  if (group.resolvedIn !== null && release !== null) return compareReleases(release, group.resolvedIn) > 0;
  return now.getTime() - (group.resolvedAt?.getTime() ?? 0) > graceMs;
}

/** Numbers in releases compare as numbers: 1.10 is newer than 1.9. */
export function compareReleases(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true, sensitivity: "base" });
}
