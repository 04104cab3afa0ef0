import type { IncomingMessage } from "node:http";

/** A refusal before anything else is looked at. */
export interface Refused {
  readonly status: number;
  readonly error: string;
}

const loopback = new Set(["127.0.0.1", "localhost", "[::1]"]);

export const isLoopback = (host: string): boolean => loopback.has(host) || host === "::1";

/**
 * Refuses foreign web pages: a name that was made to point here (DNS rebinding) by its `Host`, requests sent by other sites by
 * `Origin` and `Sec-Fetch-Site`.
 */
export function refuseForeignPage(request: IncomingMessage, hosts: readonly string[]): Refused | null {
  const { host = "", origin, "sec-fetch-site": site } = request.headers;
  const name = host.replace(/:[0-9]{1,5}$/, "").toLowerCase();
  if (!loopback.has(name) && !hosts.includes(name))
    return {
      status: 421,
      error: `This server is not "${name}"; HEADWAY_HOSTS lists more names it may have.`,
    };
  if (request.method === "GET" || request.method === "HEAD") return null;
  const foreign = origin !== undefined && hostOf(origin) !== host.toLowerCase();
  if (foreign || (site !== undefined && site !== "same-origin"))
    return { status: 403, error: "Requests of other sites are refused." };
  return null;
}

const hostOf = (origin: string): string | null => (URL.canParse(origin) ? new URL(origin).host : null);

/** At most `limit` in each `spanMs`, counted by name. */
export function makeLimit({ limit, spanMs }: { readonly limit: number; readonly spanMs: number }) {
  const counts = new Map<string, number>();
  let since = Date.now();
  return function passes(name: string): boolean {
    const now = Date.now();
    if (now - since >= spanMs) {
      counts.clear();
      since = now;
    }
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count <= limit;
  };
}
