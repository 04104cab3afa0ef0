import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../engine/src/operate.ts";
import { quarantine } from "../../engine/src/store/quarantine.ts";
import { many, type Shop, useShops, verified, type Where } from "./broken-shop.ts";

const shops = useShops();
const hostile = Buffer.from("\u001b[2J{\u202e\u0007\u0000 not json\r\n", "utf8");
const binary = Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0xff, 0x1b, 0x5b, 0x48]);

async function bring(database: Database): Promise<void> {
  const come = async (queue: string, reason: string, detail: string, body: Buffer) => {
    const properties = JSON.stringify({ type: "\u001b[31mred", headers: { from: "elsewhere" } });
    await quarantine(database, { queue, reason, detail, body, properties }, new Date("2026-01-01T12:00:00Z"));
  };
  await come("reading", "not-json", "Unexpected token \u001b[2J", hostile);
  await come("headway.inbox", "encoded", 'its encoding is "gzip", and only UTF-8 is read', binary);
  await come("headway.inbox", "too-large", "it has 200000 bytes", Buffer.alloc(200_000, "long "));
  await come("headway.inbox", "encoded", 'its encoding is "gzip", and only UTF-8 is read', binary);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
const harmful = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

describe.each<Where>(["PGlite, shared", "PostgreSQL"])("quarantine on %s", { timeout: 90_000 }, (where) => {
  let shop: Shop;
  beforeAll(async () => {
    shop = shops.open(where);
    await shop.work({ orders: many("torn", 1) });
    await shop.look(bring);
  });

  it("is seen below the dead letters and in the status, whole and harmless, and looking changes nothing", async () => {
    const before = await shop.hash();
    const list = await shop.headway("failed", "list");
    expect(list.out).toMatch(/order\.torn[\s\S]*\n3 deliveries in quarantine:\n/);
    expect(list.out).toMatch(/ 1 {2}headway\.inbox {2}encoded +2\n/);
    expect(list.err).toContain("headway failed list --quarantine");
    expect((await shop.headway("failed", "list", "reading")).out).not.toContain("quarantine");
    expect((await shop.headway("failed", "list", "--json")).rows()).toMatchObject([
      { code: "order.torn" },
      { quarantine: [{ queue: "headway.inbox", reason: "encoded", deliveries: 1, times: 2 }, {}, {}] },
    ]);
    expect((await shop.headway("status")).err).toContain(
      "3 deliveries of the broker are in quarantine: headway failed list --quarantine",
    );
    const rows = async (...words: string[]) =>
      (await shop.headway("failed", "list", "--quarantine", "--json", ...words)).rows<{ id: string }>();
    expect(await rows()).toMatchObject([
      { id: "q1", queue: "reading", reason: "not-json", bytes: hostile.length, times: 1 },
      { id: "q2", reason: "encoded", times: 2 },
      { id: "q3", bytes: 200_000 },
    ]);
    expect((await rows("headway.inbox", "--reason", "encoded")).map(({ id }) => id)).toEqual(["q2"]);
    expect((await rows("--newer-than", "1h")).map(({ id }) => id)).toEqual([]);
    for (const words of [
      ["list", "--quarantine"],
      ["inspect", "--quarantine"],
      ["inspect", "--quarantine", "--full"],
    ])
      expect((await shop.headway("failed", ...words)).out).not.toMatch(harmful);
    const { out: shown } = await shop.headway("failed", "inspect", "q1", "q2");
    expect(shown).toContain("delivery q1: reading, not-json");
    expect(shown).toContain('"headers":{"from":"elsewhere"}');
    expect(shown).toContain("    000000  1b 5b 32 4a 7b e2 80 ae 07 00 20 6e 6f 74 20 6a  .[2J{..... not j");
    expect(shown).toContain("2 times, last 2026-01-01T12:00:00Z");
    expect(shown).toContain("    000000  1f 8b 08 00 ff 1b 5b 48                          ......[H");
    expect(await shop.headway("failed", "inspect", "q77")).toMatchObject({
      code: 1,
      err: expect.stringContaining("There is no delivery q77 in quarantine"),
    });
    expect(await shop.hash()).toBe(before);
  });

  it("is exported byte by byte and purged when a person says so", async () => {
    const bodies = (text: string) =>
      text
        .trim()
        .split("\n")
        .map((line) => Buffer.from(JSON.parse(line).body_base64, "base64"));
    const file = join(shop.cwd, `${where.length}-quarantine.ndjson`);
    await shop.headway("failed", "export", "--quarantine", "--out", file);
    expect(bodies((await shop.headway("failed", "export", "q2", "q1")).out)).toEqual([hostile, binary]);
    expect(bodies(readFileSync(file, "utf8")).map((one) => one.length)).toEqual([hostile.length, 8, 200_000]);
    const before = await shop.hash();
    const purge = (...words: string[]) => shop.headway("failed", "purge", ...words);
    const usage = [["--quarantine"], ["q1", "reading"], ["q1", "--code", "x"], ["--quarantine", "a", "b"]];
    for (const words of usage) expect([words, (await purge(...words)).code]).toEqual([words, 2]);
    expect(await shop.headway("failed", "requeue", "q1")).toMatchObject({
      code: 2,
      err: expect.stringContaining("it can be listed, inspected, exported and purged"),
    });
    expect(await purge("q1")).toMatchObject({
      code: 1,
      err: expect.stringContaining("add --yes to do it"),
    });
    expect((await purge("--quarantine", "--all", "--dry-run")).out).toBe(
      "Would purge 3 deliveries (not-json 1, encoded 1, too-large 1).\n",
    );
    expect(await shop.hash()).toBe(before);
    expect(
      (await purge("--quarantine", "headway.inbox", "--yes", "--json", "--why", "a test")).rows(),
    ).toEqual([{ purged: 2, reasons: { encoded: 1, "too-large": 1 }, dryRun: false }]);
    expect((await purge("q1", "q2", "--yes")).out).toBe("Purged 1 delivery (not-json 1).\n");
    expect((await purge("--reason", "not-json", "--yes")).err).toBe("No delivery in quarantine fits.\n");
    const audit = (await shop.headway("audit", "--json")).rows();
    expect(audit).toMatchObject([
      { act: "quarantine.purge", target: "quarantine ids=1,2", detail: { deliveries: [1] } },
      { act: "quarantine.purge", why: "a test", detail: { deliveries: [2, 3] } },
    ]);
    expect(await shop.headway("failed", "list", "--json")).toMatchObject({ code: 0 });
    expect(await verified(shop)).toBe(true);
  });

  it("events are announced again for consumers that lost them", async () => {
    const events = (...words: string[]) => shop.headway("events", ...words);
    expect(await events("--announce-again")).toMatchObject({
      code: 2,
      err: expect.stringContaining("--announce-again needs --since"),
    });
    const all = (await events("--json")).rows<{ type: string; relayedAt: string | null }>();
    const { type } = all[0] as { type: string };
    const fitting = all.filter((one) => one.type === type && one.relayedAt !== null).length;
    expect(fitting).toBeGreaterThan(0);
    const words = ["--announce-again", "--since", "2h", "--type", type, "--json"];
    expect((await events(...words, "--dry-run")).rows()).toEqual([{ events: fitting, dryRun: true }]);
    expect((await events(...words)).rows()).toEqual([{ events: fitting, dryRun: false }]);
    expect((await events("--announce-again", "--since", "2h", "--type", "Nothing")).err).toContain(
      "No event fits",
    );
  });
});
