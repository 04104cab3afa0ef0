import { createServer } from "node:http";
import type { TextFormat } from "@headway/engine";
import { exitCodes, Refusal } from "./exit-codes.ts";

/** What the address for scrapers answers with. */
export interface MetricsServerParts {
  readonly metrics: (format: TextFormat) => Promise<string>;
  readonly isReady: () => Promise<boolean>;
}

/** Host and port in HEADWAY_METRICS_LISTEN; null: unset. */
export function readMetricsListen(text: string | undefined): { host: string; port: number } | null {
  if (!text) return null;
  const [, host = "", port = ""] = /^(.{1,200}):(\d{1,5})$/.exec(text.trim()) ?? [];
  if (host === "" || Number(port) > 65_535)
    throw new Refusal(
      `HEADWAY_METRICS_LISTEN is "${text}"; expected an address and a port, such as 0.0.0.0:9464.`,
      exitCodes.usage,
    );
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

/** The format that a scraper asks for: exemplars exist in OpenMetrics only. */
export const formatFor = (
  accept: string | undefined,
): { readonly format: TextFormat; readonly type: string } =>
  /application\/openmetrics-text/.test(accept ?? "")
    ? { format: "openmetrics", type: "application/openmetrics-text; version=1.0.0; charset=utf-8" }
    : { format: "prometheus", type: "text/plain; version=0.0.4; charset=utf-8" };

/** Serves metrics and probes alone, without a key: for a network of scrapers. Null without the variable. */
export async function startMetricsServer(
  listen: ReturnType<typeof readMetricsListen>,
  { metrics, isReady }: MetricsServerParts,
): Promise<{ close(): Promise<void> } | null> {
  if (!listen) return null;
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://here").pathname;
    const end = (status: number, text: string, type = "text/plain; version=0.0.4; charset=utf-8") =>
      response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(text);
    const answer = async () => {
      if (request.method !== "GET") return end(405, "");
      if (path === "/healthz") return end(200, "ok\n");
      if (path === "/readyz") return (await isReady()) ? end(200, "ready\n") : end(503, "not ready\n");
      if (path !== "/metrics") return end(404, "");
      const { format, type } = formatFor(request.headers.accept);
      return end(200, await metrics(format), type);
    };
    answer().catch(() => end(500, ""));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(listen.port, listen.host, resolve);
  });
  return {
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
