import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, describe as group, test } from "vitest";
import { ask, describe, errorName, isInstance, read, readItems, readText } from "./thrown.ts";

const refuse = () => {
  throw new Error("no entry");
};
const trapped = new Proxy(Object.create(null), {
  get: refuse,
  has: refuse,
  ownKeys: refuse,
  getPrototypeOf: refuse,
  getOwnPropertyDescriptor: refuse,
});
function revoked(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

test("reading never throws, whatever is read", () => {
  // handed over in functions, because fast-check would look into them
  const hostile = [trapped, revoked({}), revoked([]), revoked(refuse), Object.create(null)].map(
    (value) => () => value,
  );
  const any = fc.anything({ withNullPrototype: true }).map((value) => () => value);
  const key = fc.constantFrom("name", "message", "get", "length", "__proto__");
  fc.assert(
    fc.property(fc.oneof(any, fc.constantFrom(...hostile)), key, (give, key) => {
      const value = give();
      read(value, key);
      readItems({ value }, "value", 3);
      ask(value, key, "x");
      isInstance(value, Error);
      expect(["undefined", "string"]).toContain(typeof readText(value, key));
      expect(["undefined", "string"]).toContain(typeof errorName(value));
      expect(typeof describe(value)).toBe("string");
    }),
  );
});

group("the name of an error", () => {
  class FontError extends Error {}

  test("is its own, or that of its class", () => {
    expect(errorName(new TypeError("x"))).toBe("TypeError");
    expect(errorName(new FontError("x"))).toBe("FontError");
    expect(errorName(Object.assign(new FontError("x"), { name: "Font" }))).toBe("Font");
    expect(errorName(Object.assign(new Error("x"), { name: "" }))).toBe("Error");
    expect(errorName(runInNewContext("new RangeError('x')"))).toBe("RangeError");
  });

  test("is missing where nothing is an error", () => {
    for (const thrown of [undefined, null, "Error", 5, {}, { message: "x" }, FontError]) {
      expect(errorName(thrown)).toBeUndefined();
    }
  });
});

group("a thrown value without a message", () => {
  test.each([
    ["just words", "just words"],
    [undefined, "undefined was thrown"],
    [null, "null was thrown"],
    [-5, "-5 was thrown"],
    [5n, "5 was thrown"],
    [Symbol("x"), "Symbol(x) was thrown"],
    [{}, "an empty Object was thrown"],
    [
      { reason: "full", at: 5, more: {}, act: refuse },
      'Object { reason: "full", at: 5, more: …, act: a function } was thrown',
    ],
    [
      Object.fromEntries("abcdefghij".split("").map((key) => [key, 1])),
      /^Object \{ a: 1, .* h: 1, 2 more \} was thrown$/,
    ],
    [[1, 2], "Array of length 2 was thrown"],
    [new Uint8Array(50_000_000), "Uint8Array of length 50000000 was thrown"],
    [refuse, "the function refuse was thrown"],
    [trapped, "an empty object was thrown"],
  ])("is described (%#)", (thrown, words) => {
    if (typeof words === "string") expect(describe(thrown)).toBe(words);
    else expect(describe(thrown)).toMatch(words);
  });

  test("is described shortly, however large it is", () => {
    const huge = "x".repeat(1_000_000);
    expect(describe({ [huge]: huge }).length).toBeLessThan(200);
  });
});
