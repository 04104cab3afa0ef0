import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verbNames } from "@headway/engine/internal";
import { afterEach, expect, it } from "vitest";
import { type OperatorServer, startOperatorServer } from "./operator-server.ts";

const opened: { server: OperatorServer; data: string }[] = [];
afterEach(async () => {
  for (const { server, data } of opened.splice(0)) {
    await server.close();
    await rm(data, { recursive: true, force: true });
  }
});

async function serve(isReady: () => Promise<boolean>): Promise<string> {
  const data = await mkdtemp(join(tmpdir(), "headway-server-"));
  const none = () => expect.fail("Nobody asked for an operator.");
  const server = await startOperatorServer({
    operatorFor: none,
    metrics: async () => "",
    isReady,
    sharing: null,
    data,
    host: "127.0.0.1",
    port: 0,
  });
  opened.push({ server, data });
  return server.url;
}

it("/readyz is answered while the database hangs, and many probes ask it once", async () => {
  let asked = 0;
  const url = await serve(() => {
    asked += 1;
    return new Promise(() => undefined);
  });
  const answers = await Promise.all(Array.from({ length: 5 }, () => fetch(`${url}/readyz`)));
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503]);
  expect(asked).toBe(1);
});

it("/readyz asks anew when the last question was answered, and takes an error for a no", async () => {
  const answers = [async () => true, async () => Promise.reject(new Error("gone")), async () => true];
  const url = await serve(() => (answers.shift() as () => Promise<boolean>)());
  const statuses = [];
  for (let probe = 0; probe < 3; probe++) statuses.push((await fetch(`${url}/readyz`)).status);
  expect(statuses).toEqual([200, 503, 200]);
});

it("describes every verb to callers with a token", async () => {
  const url = await serve(async () => true);
  expect((await fetch(`${url}/api/openapi.json`)).status).toBe(401);
  const token = await readFile(join(opened.at(-1)?.data ?? "", "token"), "utf8");
  const answer = await fetch(`${url}/api/openapi.json`, {
    headers: { authorization: `Bearer ${token.trim()}` },
  });
  const { openapi, paths } = (await answer.json()) as { openapi: string; paths: Record<string, unknown> };
  expect(openapi).toBe("3.1.0");
  expect(Object.keys(paths)).toEqual(verbNames.map((name) => `/api/operate/${name}`));
});
