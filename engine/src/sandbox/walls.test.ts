import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { looks, looksFreely } from "../../../test/fixtures/isolated-stages.ts";
import { beginRun } from "../../../test/support/isolated-runs.ts";
import type { Stage } from "../define/stage.ts";
import { makeIsolates } from "./isolate.ts";
import { isolationWalls } from "./walls.ts";

const isolates = makeIsolates();
const secrets = { HEADWAY_LLM_KEY: "key", AWS_SECRET_ACCESS_KEY: "secret" };
beforeAll(() => void Object.assign(process.env, secrets));
afterAll(async () => {
  for (const name of Object.keys(secrets)) delete process.env[name];
  await isolates.close();
});

async function seenBy(stage: Stage): Promise<{ variables: string[]; interfaces: string[] }> {
  const { yields } = beginRun(isolates, stage, {});
  const { value } = await yields.next();
  await yields.next();
  return (value as { body: { variables: string[]; interfaces: string[] } }).body;
}

describe("the process of an isolated stage", { timeout: 60_000 }, () => {
  it("sees no secret of the one that starts it, and no network where the platform can take that away", async () => {
    const { variables, interfaces } = await seenBy(looks);
    expect(variables).toContain("PATH");
    expect(variables.filter((name) => name in secrets)).toEqual([]);
    const all = Object.keys(networkInterfaces());
    expect(interfaces).toEqual(isolationWalls().network === null ? all : []);
  });

  it("sees what its stage declares", async () => {
    const { variables, interfaces } = await seenBy(looksFreely);
    expect(variables.filter((name) => name in secrets)).toEqual(["HEADWAY_LLM_KEY"]);
    expect(interfaces).toEqual(Object.keys(networkInterfaces()));
  });
});
