import type { EventRow } from "@headway/engine/operate";
import { describe, expect, it } from "vitest";
import { makeTail } from "./events.ts";

const row = (id: number): EventRow => ({
  id,
  type: "OrderRead",
  data: {},
  correlation_id: "req_1",
  at: new Date(0),
  relayed_at: null,
});

/** Answers like the outbox: after a number, or the last. */
const outbox = (ids: number[]) => ({
  events: async ({ after, limit = 100 }: { after?: number | null; limit?: number } = {}) => {
    const sorted = [...ids].sort((a, b) => a - b);
    const rows =
      after === undefined || after === null ? sorted.slice(-limit) : sorted.filter((id) => id > after);
    return rows.slice(0, limit).map(row);
  },
});

describe("following events", () => {
  it("shows the last ones first, then each new one once, also one that was committed late", async () => {
    const ids = [1, 2, 3, 4, 6];
    const tail = makeTail({ type: undefined, limit: 3 });
    const next = async () => (await tail(outbox(ids))).map(({ id }) => id);
    expect(await next()).toEqual([3, 4, 6]);
    expect(await next()).toEqual([]);
    ids.push(7, 5);
    expect(await next()).toEqual([5, 7]);
    expect(await next()).toEqual([]);
  });

  it("begins with nothing and shows what comes", async () => {
    const ids: number[] = [];
    const tail = makeTail({ type: undefined, limit: 3 });
    expect(await tail(outbox(ids))).toEqual([]);
    ids.push(1, 2, 3, 4);
    expect((await tail(outbox(ids))).map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  });
});
