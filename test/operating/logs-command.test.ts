import { beforeAll, describe, expect, it } from "vitest";
import { many, type Shop, useShops, type Where } from "./broken-shop.ts";

const shops = useShops();

describe.each<Where>(["PGlite", "PostgreSQL"])("headway logs on %s", { timeout: 90_000 }, (where) => {
  let shop: Shop;
  beforeAll(async () => {
    shop = shops.open(where);
    await shop.work({ orders: many("torn", 1) });
  });

  it("prints the log of one document in the fields of the seeds, and changes nothing", async () => {
    const before = await shop.hash();
    const [letter] = (await shop.headway("failed", "list", "--json")).rows<{ document: string }>();
    const id = String(letter?.document).replace(/^[^/]*\//, "");
    const { code, rows } = await shop.headway("logs", id, "--json");
    expect(code).toBe(0);
    const lines = rows();
    expect(Object.keys(lines[0] ?? {})).toEqual([
      "timestamp",
      "level",
      "correlation_id",
      "processor",
      "document_id",
      "message",
      "metadata",
    ]);
    expect(lines.map(({ level }) => level)).toEqual(expect.arrayContaining(["info", "error"]));
    const dead = lines.find(({ level }) => level === "error");
    expect(dead).toMatchObject({ document_id: id, message: expect.stringContaining("order.torn") });
    expect(String(dead?.correlation_id)).toMatch(/^req_[0-9a-f-]{36}\.stage_\w+\.retry_\d+$/);
    expect((await shop.headway("logs", id)).out).toMatch(/ERROR .*order\.torn/);
    expect((await shop.headway("logs", "no-such-document")).code).not.toBe(0);
    expect(await shop.hash()).toBe(before);
  });
});
