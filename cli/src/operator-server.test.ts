import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
