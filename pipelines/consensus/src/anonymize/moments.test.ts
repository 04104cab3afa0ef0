import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { type Digest, moveDates } from "./moments.ts";

const digest: Digest = (kind, text) => createHash("sha256").update(`${kind}\n${text}`).digest();

it("dates of a thread keep their order, and none of them is what it was", () => {
  const moment = fc
    .integer({ min: 0, max: 2_000_000_000 })
    .map((seconds) => new Date(seconds * 1_000).toISOString());
  fc.assert(
    fc.property(fc.array(moment, { maxLength: 50 }), fc.string(), (dates, thread) => {
      const keyed = dates.map((date, key) => ({ key, date }));
      const moved = moveDates(keyed, { digest, thread });
      for (const a of keyed)
        for (const b of keyed)
          expect(Math.sign(Date.parse(moved.get(a.key) ?? "") - Date.parse(moved.get(b.key) ?? ""))).toBe(
            Math.sign(Date.parse(a.date) - Date.parse(b.date)),
          );
      for (const { key, date } of keyed)
        expect(Math.abs(Date.parse(moved.get(key) ?? "") - Date.parse(date))).toBeGreaterThan(
          10 * 86_400_000,
        );
    }),
    { numRuns: 50 },
  );
});
