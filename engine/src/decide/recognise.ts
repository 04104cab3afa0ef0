import { type FaultKind, faultKinds, StageFault } from "./fault.ts";
import { ask, errorName, isInstance, read, readItems, readText } from "./thrown.ts";

/** Classification of a thrown value by the known failures of Node, HTTP clients, PostgreSQL and schemas. */
export interface Recognised {
  readonly kind: FaultKind;
  readonly code: string;
  readonly message?: string;
  readonly dependency?: string;
  readonly retryAfterMs?: number;
  readonly outage?: boolean;
}

/** Judges the value alone, not its causes; undefined if unknown. `now` is for HTTP dates. */
export function recognise(thrown: unknown, now?: Date): Recognised | undefined {
  return (
    asStageFault(thrown) ??
    asHttp(thrown, now) ??
    asInvalid(thrown) ??
    asSystem(thrown) ??
    asDatabase(thrown) ??
    asNamed(thrown)
  );
}

/** By shape as well, for faults of a second copy of this package. */
function asStageFault(thrown: unknown): Recognised | undefined {
  if (!isInstance(thrown, StageFault) && readText(thrown, "name") !== "StageFault") return undefined;
  const kind = read(thrown, "kind");
  const code = readText(thrown, "code");
  if (!isFaultKind(kind) || code === undefined) return undefined;
  const dependency = readText(thrown, "dependency");
  const retryAfterMs = read(thrown, "retryAfterMs");
  return {
    kind,
    code,
    outage: read(thrown, "outage") === true,
    ...(dependency !== undefined && { dependency }),
    ...(typeof retryAfterMs === "number" && { retryAfterMs }),
  };
}

export const isFaultKind = (kind: unknown): kind is FaultKind =>
  (faultKinds as readonly unknown[]).includes(kind);

function asHttp(thrown: unknown, now: Date | undefined): Recognised | undefined {
  const response = read(thrown, "response");
  const status =
    httpStatus(thrown) ?? httpStatus(response) ?? read(read(thrown, "$metadata"), "httpStatusCode");
  if (typeof status !== "number" || !Number.isInteger(status) || status < 400 || status > 599)
    return undefined;
  const asked = retryAfter(read(thrown, "headers"), now) ?? retryAfter(read(response, "headers"), now);
  const reason = readText(thrown, "statusText") ?? readText(response, "statusText") ?? "";
  return {
    kind: asked || status === 429 ? "rate-limited" : isPassing(status) ? "transient" : "permanent",
    code: `http.${status}`,
    outage: status >= 502 && status <= 504,
    ...(readText(thrown, "message") ? {} : { message: `HTTP ${status} ${reason}`.trim() }),
    ...asked,
  };
}

function httpStatus(from: unknown): number | undefined {
  const status = read(from, "status") ?? read(from, "statusCode");
  return typeof status === "number" ? status : undefined;
}

const isPassing = (status: number): boolean =>
  status === 408 || status === 425 || (status >= 500 && status !== 501 && status !== 505);

/** Delay of a `Retry-After` header; empty for a date without `now`. */
function retryAfter(headers: unknown, now: Date | undefined): { retryAfterMs?: number } | undefined {
  const ms = headerNumber(header(headers, "retry-after-ms"));
  if (ms !== undefined) return { retryAfterMs: ms };
  const value = header(headers, "retry-after");
  const seconds = headerNumber(value);
  if (seconds !== undefined) return { retryAfterMs: seconds * 1_000 };
  const moment = typeof value === "string" && httpDate.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(moment)) return undefined;
  return now === undefined ? {} : { retryAfterMs: moment - now.getTime() };
}

const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z, -]{1,10}[\w: -]{10,30}$/;

/** `Headers` of any make, or a plain object in either spelling. */
function header(headers: unknown, name: string): unknown {
  const titled = name.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
  const value = ask(headers, "get", name) ?? read(headers, name) ?? read(headers, titled);
  return readItems({ value }, "value", 1)?.[0] ?? value;
}

function headerNumber(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  return typeof value === "string" && /^\s{0,9}\d{1,15}(?:\.\d{1,9})?\s{0,9}$/.test(value)
    ? Number(value)
    : undefined;
}

const issuesShownMax = 3;

/** A schema refused an input: zod, valibot and all Standard Schema libraries throw a list of issues. */
function asInvalid(thrown: unknown): Recognised | undefined {
  const issues = readItems(thrown, "issues", 1_000) ?? [];
  if (issues.length === 0 || issues.some((issue) => readText(issue, "message") === undefined))
    return undefined;
  const shown = issues.slice(0, issuesShownMax).map(issueText);
  const rest = issues.length > issuesShownMax ? [`and ${issues.length - issuesShownMax} more`] : [];
  return { kind: "permanent", code: "input.invalid", message: [...shown, ...rest].join("; ") };
}

function issueText(issue: unknown): string {
  const message = (readText(issue, "message") ?? "").slice(0, 1_000);
  const steps = (readItems(issue, "path", 32) ?? []).map((step) => read(step, "key") ?? step);
  const path = steps
    .map((step) => (typeof step === "number" || typeof step === "string" ? step : "?"))
    .join(".");
  return path === "" ? message : `${path.slice(0, 1_000)}: ${message}`;
}

function asSystem(thrown: unknown): Recognised | undefined {
  const code = readText(thrown, "code");
  if (code === undefined) return undefined;
  // A missing socket file of a local server: the server is down.
  if (code === "ENOENT" && readText(thrown, "syscall") === "connect") return systemFaults.get("ECONNREFUSED");
  if (code.startsWith("UND_ERR_") && !systemFaults.has(code) && !ownMistakes.has(code)) return lost("failed");
  return systemFaults.get(code);
}

const lost = (problem: string): Recognised => ({
  kind: "transient",
  code: `connection.${problem}`,
  outage: true,
});
const passing = (code: string): Recognised => ({ kind: "transient", code });
const lasting = (code: string): Recognised => ({ kind: "permanent", code });

const systemFaults: ReadonlyMap<string, Recognised> = new Map([
  ["ECONNREFUSED", lost("refused")],
  ["ECONNRESET", lost("reset")],
  ["ECONNABORTED", lost("aborted")],
  ["EPIPE", lost("closed")],
  ["UND_ERR_SOCKET", lost("closed")],
  ["UND_ERR_CLOSED", lost("closed")],
  ["ERR_STREAM_PREMATURE_CLOSE", passing("connection.closed")],
  ["ETIMEDOUT", lost("timeout")],
  ["ESOCKETTIMEDOUT", lost("timeout")],
  ["UND_ERR_CONNECT_TIMEOUT", lost("timeout")],
  ["UND_ERR_HEADERS_TIMEOUT", lost("timeout")],
  ["UND_ERR_BODY_TIMEOUT", lost("timeout")],
  ["ENOTFOUND", lost("unknown-host")],
  ["EAI_AGAIN", lost("name-lookup")],
  ["EHOSTUNREACH", lost("unreachable")],
  ["EHOSTDOWN", lost("unreachable")],
  ["ENETUNREACH", lost("unreachable")],
  ["ENETDOWN", lost("unreachable")],
  ["EADDRNOTAVAIL", lost("no-address")],
  ["ERR_NETWORK", lost("failed")],
  ["ABORT_ERR", passing("aborted")],
  ["ERR_CANCELED", passing("aborted")],
  ["UND_ERR_ABORTED", passing("aborted")],
  ["ENOSPC", passing("disk.full")],
  ["EDQUOT", passing("disk.full")],
  ["EMFILE", passing("file.too-many-open")],
  ["ENFILE", passing("file.too-many-open")],
  ["EBUSY", passing("file.busy")],
  ["EAGAIN", passing("file.busy")],
  ["ENOENT", lasting("file.missing")],
  ["EACCES", lasting("file.forbidden")],
  ["EPERM", lasting("file.forbidden")],
  ["EISDIR", lasting("file.is-folder")],
  ["ENOTDIR", lasting("file.not-folder")],
  ["ENAMETOOLONG", lasting("file.name-too-long")],
  ["ERR_STRING_TOO_LONG", lasting("input.too-large")],
  ["ERR_BUFFER_TOO_LARGE", lasting("input.too-large")],
  ["ERR_FS_FILE_TOO_LARGE", lasting("input.too-large")],
  ["UND_ERR_RES_EXCEEDED_MAX_SIZE", lasting("input.too-large")],
  ["ERR_WORKER_OUT_OF_MEMORY", lasting("memory.exhausted")],
]);

/** Wrong calls of undici; as an outage, they would be retried for ever. */
const ownMistakes: ReadonlySet<string> = new Set([
  "UND_ERR_INVALID_ARG",
  "UND_ERR_INVALID_RETURN_VALUE",
  "UND_ERR_NOT_SUPPORTED",
  "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH",
]);

function asDatabase(thrown: unknown): Recognised | undefined {
  if (pgConnectionErrors.has(readText(thrown, "message") ?? "")) return lost("closed");
  const state = readText(thrown, "code");
  if (state === undefined || !/^[0-9A-Z]{5}$/.test(state)) return undefined;
  const code = `database.${state}`;
  if (downStates.test(state)) return { kind: "transient", code, outage: true };
  if (/^(?:40|53|55|57|58)/.test(state)) return { kind: "transient", code };
  if (/^(?:0A|21|22|23|28|3D|3F|42|54)/.test(state)) return { kind: "permanent", code };
  return readText(thrown, "severity") === undefined ? undefined : { kind: "unknown", code };
}

/** No connection, no room, shutting down, or a read-only standby. */
const downStates = /^(?:08|53|57P|58|25006)/;

/** Connection errors of the `pg` package without a code. */
const pgConnectionErrors: ReadonlySet<string> = new Set([
  "Connection terminated",
  "Connection terminated unexpectedly",
  "Connection terminated due to connection timeout",
  "timeout exceeded when trying to connect",
  "Client has encountered a connection error and is not queryable",
]);

function asNamed(thrown: unknown): Recognised | undefined {
  const message = (readText(thrown, "message") ?? "").slice(0, 1_000);
  switch (errorName(thrown)) {
    case "AbortError":
      return passing("aborted");
    case "TimeoutError":
      return passing("timeout");
    case "SyntaxError":
      return message.includes("JSON") ? lasting("input.malformed") : undefined;
    case "RangeError":
      if (/^Invalid (?:string|array|typed array) length/.test(message)) return lasting("input.too-large");
      return /allocation failed|out of memory/i.test(message) ? lasting("memory.exhausted") : undefined;
    default:
      return undefined;
  }
}
