import type { IncomingMessage } from "node:http";
import { DefinitionError } from "@headway/engine";
import { callVerb } from "@headway/engine/internal";
import type { Operator } from "@headway/engine/operate";

/** An answer of the error tracker. */
export interface ErrorAnswer {
  readonly status: number;
  readonly body: unknown;
}

const known = new Set([
  "service",
  "error_type",
  "message",
  "level",
  "stack",
  "context",
  "correlation_id",
  "release",
  "environment",
  "fingerprint",
  "id",
  "timestamp",
]);
const bytesMax = 262_144;

/** Whether a path belongs to the error tracker. */
export const isErrorPath = (path: string): boolean =>
  path === "/api/errors" || path.startsWith("/api/errors/") || path === "/api/stats";

/**
 * The error tracker, in the form that reporters of other services expect:
 *
 *     POST /api/errors               one error, or an array of up to 100 → 202 with ids and groups
 *     GET  /api/errors               ?service= &level= &error_type= &fingerprint= &release= &since= &until= &limit= &offset= &cursor=
 *     GET  /api/errors/ID            one error, whole
 *     GET  /api/errors/groups        ?state=open|resolved|muted &limit=
 *     POST /api/errors/groups/FP     {"state": "resolved", "release": "1.4.0", "why": "…"}, for operators
 *     GET  /api/stats                counts by service, level, type and hour
 */
export async function answerErrors(
  request: IncomingMessage,
  url: URL,
  operator: Operator,
): Promise<ErrorAnswer> {
  const path = url.pathname;
  const group = /^\/api\/errors\/groups\/([^/]{1,300})$/.exec(path)?.[1];
  if (request.method === "POST" && path === "/api/errors") {
    const given = await readJson(request);
    const reports = (Array.isArray(given) ? given : [given]).map(toReport);
    return { status: 202, body: await callVerb(operator, "reportErrors", [reports]) };
  }
  if (request.method === "POST" && group !== undefined) {
    const change = await readJson(request);
    return {
      status: 200,
      body: await callVerb(operator, "setErrorGroup", [decodeURIComponent(group), change]),
    };
  }
  if (request.method !== "GET") return { status: 405, body: { error: "Use GET, or POST to /api/errors." } };
  if (path === "/api/stats") return { status: 200, body: await operator.errorStats() };
  if (path === "/api/errors/groups")
    return { status: 200, body: { groups: await callVerb(operator, "groupErrors", [filterOf(url)]) } };
  if (path === "/api/errors") return { status: 200, body: await pageOfErrors(url, operator) };
  const id = /^\/api\/errors\/([0-9]{1,15})$/.exec(path)?.[1];
  const [one] = id === undefined ? [] : await operator.listErrors({ id: Number(id), limit: 1 });
  return one ? { status: 200, body: one } : { status: 404, body: { error: `There is no ${path}.` } };
}

/** A page with the cursor of the next; null: the last page. */
async function pageOfErrors(url: URL, operator: Operator) {
  const filter = filterOf(url);
  const errors = (await callVerb(operator, "listErrors", [filter])) as readonly { readonly id: number }[];
  const isFull = errors.length > 0 && errors.length === Number(filter.limit ?? 100);
  return { errors, next_cursor: isFull ? errors.at(-1)?.id : null };
}

function filterOf({ searchParams }: URL): Record<string, string | number> {
  const isNumber = (name: string) => ["limit", "offset", "cursor"].includes(name);
  return Object.fromEntries(
    [...searchParams].map(([name, value]) => [name, isNumber(name) ? Number(value) : value]),
  );
}

/** Fields that are not known become part of the context, so that no reporter is refused for saying more. */
function toReport(given: unknown): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  const { stack_trace, ...fields } = given as Record<string, unknown>;
  const present = Object.entries({
    ...(stack_trace !== undefined && { stack: stack_trace }),
    ...fields,
  }).filter(([, value]) => value !== null && value !== undefined);
  const report = Object.fromEntries(present.filter(([name]) => known.has(name)));
  const rest = Object.fromEntries(present.filter(([name]) => !known.has(name)));
  const level = typeof report.level === "string" ? { level: report.level.toLowerCase() } : {};
  const context = Object.keys(rest).length > 0 ? { context: { ...(report.context as object), ...rest } } : {};
  return { ...report, ...level, ...context };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  if (!/^application\/json\b/.test(request.headers["content-type"] ?? ""))
    throw new DefinitionError("Send application/json.");
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += (part as Buffer).length;
    if (bytes > bytesMax) throw new DefinitionError("An error report has at most 256 kB.");
    parts.push(part as Buffer);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString("utf8"));
  } catch (error) {
    throw new DefinitionError(`The report is not JSON: ${(error as Error).message}`);
  }
}
