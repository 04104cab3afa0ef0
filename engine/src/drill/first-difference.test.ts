import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { firstDifference } from "./first-difference.ts";

describe("the first difference of two values", () => {
  it.each([
    [{ a: 1 }, { a: 2 }, { field: "a", was: 1, is: 2 }],
    [
      { b: 1, a: { c: [1, { d: 2 }] } },
      { b: 2, a: { c: [1, { d: 3 }] } },
      { field: "a.c[1].d", was: 2, is: 3 },
    ],
    [{ a: [1] }, { a: [1, 2] }, { field: "a[1]", was: undefined, is: 2 }],
    [{ a: 1 }, {}, { field: "a", was: 1, is: undefined }],
    [{ a: [] }, { a: {} }, { field: "a", was: [], is: {} }],
    [1, "1", { field: "", was: 1, is: "1" }],
    [null, {}, { field: "", was: null, is: {} }],
  ])("%j and %j", (was, is, expected) => expect(firstDifference(was, is)).toEqual(expected));

  it("there is none between equal values, whatever the order of their keys", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const turned = Object.fromEntries(Object.entries(structuredClone(value)).reverse());
        expect(firstDifference(value, turned)).toBeNull();
      }),
    );
  });
});
