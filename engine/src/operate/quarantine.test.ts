import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openOffice } from "../../../test/support/post-office.ts";
import { hashDatabase } from "../../../test/support/whole-database.ts";
import { openPglite } from "../databases/pglite.ts";
import type { Database } from "../store/database.ts";
import { quarantine } from "../store/quarantine.ts";

let database: Database;
beforeAll(async () => {
  database = await openPglite({ folder: null, inline: true });
});
afterAll(() => database.close());

const bytes = Buffer.from([0x7b, 0x00, 0xff, 0x1b, 0x5b, 0x32, 0x4a]);

describe("deliveries in quarantine", () => {
  let office: Awaited<ReturnType<typeof openOffice>>;
  beforeEach(async () => {
    office = await openOffice(database);
    await bring("stamping", "not-utf8", bytes);
    await bring("stamping", "not-json", Buffer.from("{"));
    await bring("headway.inbox", "not-json", Buffer.from("["));
    await bring("stamping", "not-utf8", bytes);
  });

  async function bring(queue: string, reason: string, body: Buffer): Promise<void> {
    const one = { queue, reason, detail: `it is ${reason}`, body, properties: '{"messageId":"m-1"}' };
    await quarantine(database, one, office.clock.now());
  }

  it("are listed, grouped, shown and exported as they came, and looking changes nothing", async () => {
    const { operator } = office;
    const before = await hashDatabase(database);
    expect(await operator.listQuarantined()).toMatchObject([
      { id: 1, queue: "stamping", reason: "not-utf8", bytes: 7, times: 2 },
      { id: 2, times: 1 },
      { id: 3, queue: "headway.inbox" },
    ]);
    expect(await operator.listQuarantined({ after: 1, limit: 1 })).toMatchObject([{ id: 2 }]);
    expect(await operator.groupQuarantined()).toMatchObject([
      { queue: "headway.inbox", reason: "not-json", deliveries: 1, times: 1 },
      { queue: "stamping", reason: "not-json", deliveries: 1, times: 1 },
      { queue: "stamping", reason: "not-utf8", deliveries: 1, times: 2 },
    ]);
    const one = await operator.inspectQuarantined(1);
    expect(one).toMatchObject({ detail: "it is not-utf8", properties: { messageId: "m-1" } });
    expect(one.body_base64).toBe(bytes.toString("base64"));
    const exported = [];
    for await (const line of operator.exportQuarantined({ queue: "stamping" })) exported.push(line);
    expect(exported.map(({ id, body_base64 }) => [id, body_base64])).toEqual([
      [1, bytes.toString("base64")],
      [2, "ew=="],
    ]);
    await expect(operator.inspectQuarantined(9)).rejects.toThrow(
      "There is no delivery q9 in quarantine: it was purged.",
    );
    expect(await hashDatabase(database)).toBe(before);
  });

  it("are found by queue, reason, number and age", async () => {
    const { operator, clock } = office;
    const ids = async (filter: Parameters<typeof operator.listQuarantined>[0]) =>
      (await operator.listQuarantined(filter)).map((one) => one.id);
    expect(await ids({ reason: "not-json" })).toEqual([2, 3]);
    expect(await ids({ queue: "stamping", reason: "not-json" })).toEqual([2]);
    expect(await ids({ ids: [3, 1, 77] })).toEqual([1, 3]);
    clock.advance(60_000);
    // A repeated delivery is young again.
    await bring("headway.inbox", "not-json", Buffer.from("["));
    expect(await ids({ olderThan: "30s" })).toEqual([1, 2]);
    expect(await ids({ newerThan: "30s" })).toEqual([3]);
  });

  it("are forgotten when a person says so, once, and that is written down", async () => {
    const { operator } = office;
    const before = await hashDatabase(database);
    const plan = await operator.purgeQuarantined({ reason: "not-json" }, { dryRun: true });
    expect(plan).toEqual({ purged: 2, reasons: { "not-json": 2 }, dryRun: true });
    expect(await hashDatabase(database)).toBe(before);
    const both = await Promise.all([
      operator.purgeQuarantined({ reason: "not-json" }, { why: "a broken producer" }),
      operator.purgeQuarantined({ reason: "not-json" }),
    ]);
    expect(both[0].purged + both[1].purged).toBe(2);
    expect(await operator.listQuarantined()).toMatchObject([{ id: 1 }]);
    const acts = await operator.audit();
    expect(acts.flatMap(({ detail }) => (detail as { deliveries: number[] }).deliveries)).toEqual([2, 3]);
    expect(acts[0]).toMatchObject({
      actor: "ann",
      act: "quarantine.purge",
      target: "quarantine reason=not-json",
    });
    expect(await operator.purgeQuarantined({}, { limit: 5 })).toMatchObject({ purged: 1 });
  });

  it("are none in a database that does not know of them yet", async () => {
    const { operator } = office;
    await database.script(`alter table "${database.schema}".quarantine rename to later`);
    try {
      expect(await operator.groupQuarantined()).toEqual([]);
    } finally {
      await database.script(`alter table "${database.schema}".later rename to quarantine`);
    }
  });
});
