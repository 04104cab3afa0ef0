import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { samplePath } from "@headway/consensus";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { run } from "../../cli/src/run.ts";
import { startMailServer } from "../support/mail-server.ts";
import { makeCollectingConsole } from "./collecting-console.ts";

const folder = mkdtempSync(join(tmpdir(), "headway-subscriptions-"));
let post: Awaited<ReturnType<typeof startMailServer>>;
beforeAll(async () => {
  post = await startMailServer();
  vi.stubEnv("HEADWAY_SMTP_URL", post.url);
  await headway("ingest", samplePath());
});
afterEach(() => {
  post.state.mood = "fine";
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await post.close();
  rmSync(folder, { recursive: true, force: true });
});

async function headway(...words: string[]) {
  const console = makeCollectingConsole();
  const code = await run([...words, "--data", join(folder, "data")], console);
  return { code, out: console.out(), err: console.err() };
}
const subscriptions = (...words: string[]) => headway("subscriptions", ...words);
const json = async (...words: string[]) => JSON.parse((await subscriptions(...words, "--json")).out);

describe("headway subscriptions", { timeout: 240_000 }, () => {
  const what = ["--list", "tidewg", "--weekly", "--mail", "ann@example.org", "--from-start"];

  it("adds, lists, shows, tests, runs, pauses and removes, and every act is in the audit", async () => {
    expect(await json("add", "weekly", ...what, "--dry-run")).toMatchObject({ dryRun: true });
    expect((await subscriptions("list")).err).toContain("no subscription yet");
    expect(await json("add", "weekly", ...what)).toMatchObject({ name: "weekly", changed: "added" });
    expect((await subscriptions("add", "weekly", ...what)).code).toBe(1);
    expect(await json("list")).toMatchObject({ name: "weekly", edition: 0, list: "tidewg" });
    expect(await json("test", "weekly")).toMatchObject({
      recipients: [{ to: "ann@example.org", problem: null }],
    });
    expect(post.taken).toHaveLength(1);
    const sent = await subscriptions("run", "weekly");
    expect([sent.code, post.taken.length]).toEqual([0, 2]);
    expect(sent.out).toMatch(/mail ann@example\.org: \[tidewg\] \d+ threads/);
    expect(await json("show", "weekly")).toMatchObject({ edition: 1, deliveries: [{ state: "done" }] });
    post.state.mood = "greylists";
    expect(await subscriptions("run", "weekly")).toMatchObject({ code: 3 });
    expect(await json("pause", "weekly", "--why", "holidays")).toMatchObject({ changed: true });
    expect((await subscriptions("list")).out).toContain("paused");
    expect(await json("resume", "weekly")).toMatchObject({ changed: true });
    expect(await json("remove", "weekly", "--dry-run")).toMatchObject({ removed: false });
    expect(await json("remove", "weekly", "--yes")).toMatchObject({ removed: true });
    expect((await subscriptions("show", "weekly")).code).toBe(1);
    const { out } = await headway("audit", "--json");
    for (const act of ["add", "test", "run", "pause", "resume", "remove"])
      expect(out).toContain(`"act":"subscription.${act}"`);
  });

  it("refuses with advice what cannot be sent", async () => {
    const told = async (...words: string[]) => (await subscriptions("add", "x", ...words)).err;
    expect(await told("--mail", "ann@example.org")).toContain("--daily, --weekly or --decided");
    expect(await told("--weekly")).toContain("needs a recipient");
    expect(await told("--weekly", "--mail", "ann")).toContain("no mail address");
    expect(await told("--weekly", "--webhook", "file:///etc/passwd")).toContain("http://");
    expect(await told("--weekly", "--mail", "a@b.org", "--at", "25:00")).toContain("07:00");
    expect(await told("--weekly", "--slack-env", "NOT_SET")).toContain("NOT_SET is not set");
  });
});
