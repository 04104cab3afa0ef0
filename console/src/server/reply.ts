import type { IncomingMessage, ServerResponse } from "node:http";

/** Without exceptions: no inline script, no inline style, nothing from elsewhere. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

export const safeHeaders = {
  "content-security-policy": contentSecurityPolicy,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
} as const;

export function replyJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  more: Record<string, string> = {},
): void {
  response.writeHead(status, {
    ...safeHeaders,
    "cache-control": "no-store",
    "content-type": "application/json",
    ...more,
  });
  response.end(`${JSON.stringify(body)}\n`);
}

const bodyBytesMax = 1024 * 1024;

/** A JSON object; null: something else was sent, or too much. */
export async function readJson(request: IncomingMessage): Promise<Record<string, unknown> | null> {
  if (!(request.headers["content-type"] ?? "").startsWith("application/json")) return null;
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += (part as Buffer).length;
    if (bytes > bodyBytesMax) return null;
    parts.push(part as Buffer);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(parts).toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
