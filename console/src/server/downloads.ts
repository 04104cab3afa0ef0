import type { ServerResponse } from "node:http";
import { DefinitionError } from "@headway/engine";
import type { Operator } from "@headway/engine/operate";
import { given, type Query } from "./page-query.ts";
import { safeHeaders } from "./reply.ts";

/** Exports under way in this process. */
let running = 0;
const runningMax = 2;
const auditPage = 500;

/** Sends an export as lines of JSON, row by row: of any size, in little memory. */
export async function sendExport(operator: Operator, query: Query, response: ServerResponse): Promise<void> {
  const what = query.choice("what", ["dead", "audit"] as const) ?? "dead";
  const rows = what === "dead" ? operator.exportDead(deadFilter(query)) : allActs(operator);
  if (running >= runningMax) throw new DefinitionError("Two exports are under way: wait for one to end.");
  running++;
  try {
    response.writeHead(200, {
      ...safeHeaders,
      "cache-control": "no-store",
      "content-type": "application/x-ndjson; charset=utf-8",
      "content-disposition": `attachment; filename="headway-${what}.ndjson"`,
    });
    for await (const row of rows) {
      if (response.destroyed) return;
      if (!response.write(`${JSON.stringify(row)}\n`)) await drained(response);
    }
    response.end();
  } finally {
    running--;
  }
}

const deadFilter = (query: Query) =>
  given({
    stage: query.text("stage"),
    code: query.text("code"),
    fingerprint: query.text("fingerprint"),
    newerThan: query.choice("newerThan", ["1h", "24h", "7d"]),
  });

async function* allActs(operator: Operator) {
  for (let after: number | undefined; ; ) {
    const page = await operator.audit(given({ after, limit: auditPage }));
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    after = last.id;
  }
}

/** Resolves when the client has taken the bytes, or has gone. */
const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const go = () => {
      response.off("drain", go).off("close", go);
      resolve();
    };
    response.on("drain", go).on("close", go);
  });
