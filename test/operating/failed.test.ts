import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { contentOf, expectAllSettled } from "../support/content.ts";
import { many, type Shop, useShops, verified, type Where } from "./broken-shop.ts";

const shops = useShops();
const places: readonly Where[] = ["PGlite, shared", "PostgreSQL"];
const poor = { ...many("torn", 4), ...many("flaky", 3), ...many("poison", 2), ...many("fine", 2) };

/** Dead letters as exported, equal except for their numbers in this database. */
const exported = async (shop: Shop) => (await shop.headway("failed", "export", "--state", "all")).rows();

describe.each(places)("dead letters on %s", { timeout: 90_000 }, (where) => {
  it("are listed and grouped, by stage or by its failed queue, code, cause and age", async () => {
    const shop = shops.open(where);
    await shop.work({ orders: poor });
    const list = async (...words: string[]) =>
      (await shop.headway("failed", "list", "--json", ...words)).rows();
    expect(await list()).toHaveLength(9);
    expect(await list("reading")).toEqual(await list("reading.failed"));
    expect(await list("reading")).toEqual(await list("--stage", "reading.failed"));
    expect(await list("--code", "order.torn")).toHaveLength(4);
    expect(await list("--older-than", "1h")).toEqual([]);
    expect(await list("--newer-than", "1h", "--limit", "2")).toHaveLength(2);
    expect(await list("3", "5")).toMatchObject([{ id: 3 }, { id: 5 }]);
    const groups = (await shop.headway("failed", "groups", "--json")).rows<{ fingerprint: string }>();
    expect(groups).toMatchObject([
      { code: "order.torn", letters: 4, versions: ["1"], retry_suggested: false },
      { code: "shop.flaky", letters: 3 },
      { code: "unknown.typeerror", letters: 2 },
    ]);
    expect(await list("--fingerprint", groups[0]?.fingerprint as string)).toHaveLength(4);
    await shop.work({ version: "2" });
    const after = await shop.headway("failed", "groups");
    expect(after.out.match(/ retry /g)).toHaveLength(3);
    expect(after.err).toContain(`headway failed requeue --fingerprint ${groups[0]?.fingerprint} --ramp`);
  });

  it("are shown whole, and nothing in them reaches the terminal that could do harm", async () => {
    const shop = shops.open(where);
    await shop.work({ orders: poor });
    const { out } = await shop.headway(
      "failed",
      "inspect",
      "reading",
      "--code",
      "unknown.typeerror",
      "--full",
    );
    expect(out).toContain("dead letter");
    expect(out).toContain('"text": "poison 1"');
    expect(out).toContain("correlation  req_");
    expect(out).toContain("2 failed attempts");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must be absent.
    expect(out).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    const [letter] = (await shop.headway("failed", "inspect", "--json", "--code", "shop.flaky")).rows<{
      faults: unknown[];
    }>();
    expect(letter).toMatchObject({
      attempts: 2,
      reason: "exhausted",
      input: { text: "flaky 1" },
      version: "1",
    });
    expect(letter?.faults).toMatchObject([
      { attempt: 1, version: "1", fault: { code: "shop.flaky" } },
      { attempt: 2 },
    ]);
    expect(await shop.headway("failed", "inspect", "999")).toMatchObject({
      code: 1,
      err: expect.stringContaining("headway failed list"),
    });
  });

  it("are inspected page by page, 1,000 of them, none twice and none left out", {
    timeout: 90_000,
  }, async () => {
    const shop = shops.open(where);
    await shop.work({ orders: many("torn", 1_000) });
    const seen: number[] = [];
    for (let after: string[] = []; ; after = ["--after", String(seen.at(-1))]) {
      const page = (await shop.headway("failed", "inspect", "--json", "--limit", "90", ...after)).rows<{
        id: number;
      }>();
      if (page.length === 0) break;
      seen.push(...page.map(({ id }) => id));
      // Seen letters may go meanwhile: the next page begins at the end of this page.
      if (seen.length === 180) await shop.headway("failed", "requeue", "1", "2", "100");
    }
    expect(seen).toHaveLength(1_000);
    expect(new Set(seen).size).toBe(1_000);
    const all = (await shop.headway("failed", "inspect", "--json", "--limit", "100000")).rows();
    expect(all).toHaveLength(997);
    expect((await shop.headway("failed", "inspect", "--limit", "3")).err).toContain("go on with: --after");
  });

  it("come back to life by requeueing: each one once, at its own stage", async () => {
    const shop = shops.open(where);
    await shop.work({ orders: poor });
    expect(await shop.headway("failed", "requeue")).toMatchObject({
      code: 2,
      err: expect.stringContaining("headway failed requeue --all --dry-run"),
    });
    const said = await shop.headway("failed", "requeue", "--code", "order.torn", "--limit", "3", "--json");
    expect(said.rows()).toEqual([{ requeued: 3, stages: { reading: 3 }, skipped: 0, dryRun: false }]);
    expect((await shop.headway("failed", "requeue", "reading.failed")).out).toBe(
      "Requeued 6 dead letters (reading 6).\n",
    );
    expect((await shop.headway("failed", "requeue", "--all")).err).toBe("No dead letter fits.\n");
    await shop.work({ repaired: ["torn", "flaky", "poison"] });
    await shop.look(expectAllSettled);
    expect((await shop.look(contentOf)).filter((line) => line.startsWith("items/"))).toHaveLength(11);
    expect(await verified(shop)).toBe(true);
  });

  it("are found by the seeds' names and exported with --output, in the fields of the seeds", async () => {
    const shop = shops.open(where);
    await shop.work({ orders: poor });
    const file = join(shop.cwd, `seeds-${where.length}.ndjson`);
    const said = await shop.headway("failed", "export", "reading.failed", "--output", file);
    expect(said.err).toBe(`Exported 9 dead letters to ${file}.\n`);
    const letters = readFileSync(file, "utf8").trim().split("\n");
    expect(letters.map((line) => JSON.parse(line)).find(({ code }) => code === "shop.flaky")).toMatchObject({
      original_event: { event_type: "WorkOwed", data: { stage: "reading" } },
      idempotency_key: expect.stringMatching(/^reading-flaky/),
      attempt_count: 2,
      last_error: expect.stringContaining("shop.flaky: "),
      error_type: "shop.flaky",
      abandoned_reason: "max_attempts_exceeded",
      service_name: "reading",
      timestamp: expect.stringMatching(/Z$/),
    });
  });

  it("are purged and brought back from an export as they were", async () => {
    const shop = shops.open(where);
    await shop.work({ orders: poor });
    await shop.headway("failed", "resolve", "--code", "shop.flaky", "--limit", "1", "--why", "known");
    const [before, content] = [await exported(shop), await shop.look(contentOf)];
    const file = join(shop.cwd, `${where.length}.ndjson`);
    await shop.headway("failed", "export", "--state", "all", "--out", file);
    const unasked = await shop.headway("failed", "purge", "--all");
    expect(unasked).toMatchObject({ code: 1, err: expect.stringContaining("add --yes to do it") });
    expect(await exported(shop)).toEqual(before);
    expect((await shop.headway("failed", "purge", "--state", "all", "--all", "--yes")).out).toContain(
      "Purged 9",
    );
    const purged = (await exported(shop)) as { input: unknown; faults: unknown[] }[];
    expect(purged.every(({ input, faults }) => input === null && faults.length === 0)).toBe(true);
    expect(await shop.look(contentOf)).toEqual(content);
    expect((await shop.headway("failed", "import", file, "--why", "too early")).out).toBe(
      "Restored 9 dead letters.\n",
    );
    expect(await exported(shop)).toEqual(before);
    const again = await shop.headway("failed", "import", file, "--json");
    expect(again.rows()).toEqual([{ restored: 0, unchanged: 9, refused: 0, dryRun: false }]);
    expect(await exported(shop)).toEqual(before);
    const audit = (await shop.headway("audit", "--json")).rows<{ act: string; why: string | null }>();
    expect(audit.map(({ act, why }) => [act, why])).toEqual([
      ["dead.import", "too early"],
      ["dead.purged", null],
      ["dead.resolved", "known"],
    ]);
    expect(await verified(shop)).toBe(true);
  });

  it("that have moved on since are not brought back, and each says why", async () => {
    const shop = shops.open(where);
    await shop.work({ orders: many("torn", 4) });
    const lines = await exported(shop);
    await shop.headway("failed", "purge", "--all", "--yes");
    await shop.headway("failed", "requeue", "1", "2", "--state", "closed");
    await shop.headway("delete", "document", "orders/torn-3", "--yes");
    await shop.work({ repaired: ["torn"] });
    const file = join(shop.cwd, `${where.length}-moved.ndjson`);
    const changed = { ...lines[3], input: { text: "other", customer: "x" } };
    const elsewhere = { ...lines[3], stage: "stapling" };
    const all = [...lines.slice(0, 3), elsewhere, changed, { id: 1 }].map((one) => JSON.stringify(one));
    writeFileSync(file, `${all.join("\n")}\nno json\n`);
    const said = await shop.headway("failed", "import", file, "--json");
    expect(said.code).toBe(1);
    expect(said.rows<{ refused: unknown }>().map(({ refused }) => refused)).toEqual([
      "it lacks a stage, a document or a time",
      "it is not a dead letter of an export",
      "it was requeued and is dead no more",
      "it was requeued and is dead no more",
      "its document was deleted",
      "its stage is not in this database",
      "its input is not the one that died",
      7,
    ]);
    expect(await verified(shop)).toBe(true);
  });

  it("and those who wait are reset: attempts 0 and pending", async () => {
    const shop = shops.open(where);
    await shop.work({ orders: many("flaky", 2) });
    expect((await shop.headway("failed", "reset", "reading", "--waiting")).out).toBe(
      "Reset 2 dead letters (reading 2) and 0 waiting tasks.\n",
    );
    const { out } = await shop.headway("explain", "flaky-1", "--json");
    expect(JSON.parse(out).stages[0]).toMatchObject({ status: "pending", attemptCount: 0 });
  });
});
