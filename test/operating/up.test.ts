import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { series } from "../../engine/src/watch/series.ts";
import { samplePath } from "../../pipelines/consensus/src/sample.ts";
import { type HeadwayProcess, runHeadway, startHeadway } from "../consensus/headway-process.ts";

describe("headway up", { timeout: 60_000 }, () => {
  let cwd: string;
  let up: HeadwayProcess;
  let url: string;
  let token: string;
  const data = () => join(cwd, "data");
  const headway = (...words: string[]) => runHeadway([...words, "--data", data()], { cwd });
  const post = (verb: string, body: string, headers: Record<string, string> = {}) =>
    fetch(`${url}/api/operate/${verb}`, {
      method: "POST",
      body,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    });

  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), "headway-up-"));
    up = startHeadway(["up", "--data", data(), "--port", String(20_000 + (process.pid % 10_000))], { cwd });
    const said = await up.saying(/Headway is up at (\S+)/);
    url = /Headway is up at (\S+)/.exec(said)?.[1] as string;
    token = await readFile(join(data(), "token"), "utf8");
  }, 300_000);
  afterAll(async () => {
    // It has ended by itself, unless a test failed.
    up.signal("SIGKILL");
    await rm(cwd, { recursive: true, force: true });
  });

  it("says to anybody that it lives and is ready, and nothing else", async () => {
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ ready: true });
    expect((await fetch(`${url}/api/operate/status`, { method: "POST", body: "[]" })).status).toBe(401);
    // The page around the console holds no data; its data need a session.
    expect((await fetch(`${url}/`)).status).toBe(200);
    expect((await fetch(`${url}/api/console/overview`)).status).toBe(401);
  });

  it("serves metrics whose counters are there with 0 before anything happens", async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).toContain('event_retry_dlq_total{stage="parsing",service="parsing",reason="permanent"} 0\n');
    expect(text).toContain('headway_ledger_difference{stage="parsing"} 0\n');
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(names.filter((name) => !series.some((one) => one.name === name))).toEqual([]);
    const accept = { accept: "application/openmetrics-text; version=1.0.0" };
    const open = await fetch(`${url}/metrics`, { headers: accept });
    expect(open.headers.get("content-type")).toMatch(/^application\/openmetrics-text/);
    expect((await open.text()).endsWith("# EOF\n")).toBe(true);
  });

  it("is on the loopback address only, and its token is its owner's", async () => {
    expect(new URL(url).hostname).toBe("127.0.0.1");
    expect(((await stat(join(data(), "token"))).mode & 0o777).toString(8)).toBe("600");
  });

  it("lets operators in who have the token, but no page of another origin", async () => {
    const answer = await post("status", "[]");
    expect(answer.status).toBe(200);
    expect(((await answer.json()) as { stage: string }[]).map(({ stage }) => stage)).toContain("splitting");
    expect((await post("status", "[]", { authorization: "Bearer wrong" })).status).toBe(401);
    expect((await post("status", "[]", { origin: "https://example.org" })).status).toBe(403);
  });

  it("refuses what it cannot do with one sentence", async () => {
    expect((await post("constructor", "[]")).status).toBe(404);
    expect((await post("status", "{")).status).toBe(400);
    expect((await post("status", "[]", { "content-type": "text/plain" })).status).toBe(400);
    expect((await post("status", `["${"x".repeat(2_000_000)}"]`)).status).toBe(400);
    const unknown = await post("pauseStage", JSON.stringify(["no-such-stage"]));
    expect(unknown.status).toBe(400);
    expect(((await unknown.json()) as { error: string }).error).toContain("no-such-stage");
  });

  it("does the work of other commands, and they print what they print without it", async () => {
    const read = await headway("ingest", samplePath());
    expect(read.code).toBe(3);
    expect(read.out).toContain("187 mails = 183 messages + 2 duplicates + 2 dead letters");
    const counted = await (await fetch(`${url}/metrics`)).text();
    expect(counted).toContain('events_processed_total{stage="splitting",outcome="done"} 1\n');
    const beside = await headway("export", "messages");
    expect(beside.out.split("\n").filter(Boolean)).toHaveLength(183);
    const second = await headway("up", "--port", "1");
    expect(second.code).toBe(1);
    expect(second.err).toContain("up already");

    up.signal("SIGTERM");
    expect((await up.ended).code).toBe(0);
    const alone = await headway("export", "messages");
    expect(alone.out).toBe(beside.out);
  });
});
