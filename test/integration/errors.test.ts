import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OperatorServer, startOperatorServer } from "../../cli/src/operator-server.ts";
import {
  addAccessKey,
  findAccessKey,
  mayReport,
  readAccessKeys,
} from "../../console/src/server/access-keys.ts";
import { openPglite } from "../../engine/src/databases/pglite.ts";
import type { Database } from "../../engine/src/store/database.ts";
import { openOffice } from "../support/post-office.ts";

const run = promisify(execFile);
const client = fileURLToPath(new URL("./report-error.py", import.meta.url));
let database: Database;
let data: string;
beforeAll(async () => {
  database = await openPglite({ folder: null, inline: true });
  data = await mkdtemp(join(tmpdir(), "headway-errors-"));
});
afterAll(async () => {
  await database.close();
  await rm(data, { recursive: true, force: true });
});

async function serve() {
  const { operator, clock } = await openOffice(database);
  const server: OperatorServer = await startOperatorServer({
    operatorFor: () => operator,
    isReady: async () => true,
    metrics: async () => "",
    sharing: null,
    data,
    host: "127.0.0.1",
    port: 0,
  });
  const token = (await readFile(join(data, "token"), "utf8")).trim();
  const json = { "content-type": "application/json" };
  const ask = async (path: string) => {
    const answer = await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    return { status: answer.status, body: (await answer.json()) as Record<string, never> };
  };
  const report = (body: unknown) =>
    fetch(`${server.url}/api/errors`, { method: "POST", headers: json, body: JSON.stringify(body) });
  return { server, operator, clock, ask, report };
}

const anError = (more: object = {}) => ({
  service: "api",
  error_type: "Timeout",
  message: "no answer",
  ...more,
});

interface Page {
  readonly errors: readonly { readonly message: string }[];
  readonly next_cursor: number | null;
}

describe("the error tracker", () => {
  it("pages go on by cursor while new errors come", async () => {
    const { server, ask, report } = await serve();
    await report(Array.from({ length: 5 }, (_, at) => anError({ message: `failed at ${at}` })));
    const first = (await ask("/api/errors?limit=3")).body as unknown as Page;
    await report(anError({ message: "a new one" }));
    const second = (await ask(`/api/errors?limit=3&cursor=${first.next_cursor}`)).body as unknown as Page;
    expect(first.errors.map(({ message }) => message)).toEqual(["failed at 4", "failed at 3", "failed at 2"]);
    expect(second.errors.map(({ message }) => message)).toEqual(["failed at 1", "failed at 0"]);
    expect(second.next_cursor).toBeNull();
    await server.close();
  });

  it("a key with the role report sends errors, and opens no other door", async () => {
    const { server } = await serve();
    const key = await addAccessKey(data, { name: "api", role: "report", expiresAt: null });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const post = (path: string, body: unknown) =>
      fetch(`${server.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    expect((await post("/api/errors", anError())).status).toBe(202);
    expect((await post("/api/errors/groups/x", { state: "muted" })).status).toBe(401);
    expect((await post("/api/operate/status", [])).status).toBe(401);
    for (const path of ["/api/errors", "/api/stats", "/api/openapi.json"])
      expect((await fetch(`${server.url}${path}`, { headers })).status, path).toBe(401);
    const keys = await readAccessKeys(data);
    expect([findAccessKey(keys, key, new Date()), mayReport(keys, key, new Date())]).toEqual([null, true]);
    await server.close();
  });

  it("a reporter of the seeds works unchanged", async () => {
    const { server, ask } = await serve();
    const { stdout } = await run("python3", [client], {
      env: { ...process.env, ERROR_REPORTER_HTTP_URL: server.url },
    });
    expect(stdout.match(/^202 /gm)).toHaveLength(2);
    const { errors } = (await ask("/api/errors?service=parsing")).body as unknown as { errors: object[] };
    expect(errors).toHaveLength(2);
    expect(JSON.stringify(errors)).not.toMatch(/hunter2|k-12345/);
    const { groups } = (await ask("/api/errors/groups")).body as unknown as { groups: object[] };
    expect(groups).toMatchObject([{ service: "parsing", errorType: "ValueError", count: 2, state: "open" }]);
    expect((await ask("/api/stats")).body).toMatchObject({
      total_errors: 2,
      by_service: { parsing: 2 },
      by_level: { error: 2 },
      by_type: { ValueError: 2 },
    });
    expect((await ask("/api/errors/1")).body).toMatchObject({ id: 1, error_type: "ValueError" });
    expect((await fetch(`${server.url}/api/errors`)).status).toBe(401);
    await server.close();
  });

  it("the same id is one error, a bad report says why, and a newer release opens a resolved group", async () => {
    const { server, report, operator } = await serve();
    const first = (await (await report(anError({ id: "a", release: "1.0.0" }))).json()) as {
      groups: string[];
    };
    await report(anError({ id: "a", release: "1.0.0" }));
    const [group] = first.groups as [string];
    expect(await operator.groupErrors()).toMatchObject([{ count: 1, state: "open" }]);
    const bad = await report({ service: "api" });
    expect([bad.status, (await bad.json()) as object]).toMatchObject([
      400,
      { error: expect.stringContaining("error_type") },
    ]);
    await operator.setErrorGroup(group, { state: "resolved", release: "1.1.0", why: "fixed" });
    await report(anError({ release: "1.0.0" }));
    expect(await operator.groupErrors()).toMatchObject([{ count: 2, state: "resolved" }]);
    await report([anError({ release: "1.2.0" })]);
    expect(await operator.groupErrors()).toMatchObject([{ count: 3, state: "open", regressions: 1 }]);
    expect(await operator.audit()).toMatchObject([{ act: "error-resolved", target: group }]);
    await server.close();
  });
});
