import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { acceptedAt, toRequestId } from "./request-id.ts";

describe("the id of a request", () => {
  it("is a UUID of version 7 that says when the request was accepted", () => {
    fc.assert(
      fc.property(fc.uuid({ version: 4 }), fc.integer({ min: 0, max: 2 ** 44 }), (uuid, ms) => {
        const id = toRequestId(uuid, new Date(ms));
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(acceptedAt(id)?.getTime()).toBe(ms);
        // The random part stays.
        expect(id.slice(15)).toBe(uuid.slice(15));
      }),
    );
  });

  it("of another kind says nothing", () => {
    expect(acceptedAt("3f2c8f0e-1c9e-4b51-9f6b-7a2f3f5d1e2a")).toBeNull();
    expect(acceptedAt("x")).toBeNull();
  });
});
