import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectLinear } from "../../../test/support/growth.ts";
import { cut, storable, storableJson, truncate } from "./text.ts";

/** Text with far more NUL, halves of pairs, and pairs than life has. */
const unit = fc.oneof(
  fc.constantFrom("\0", "\ud800", "\udbff", "\udc00", "\udfff", "\ufffd", "😀", "é", "€", "a", '"', "\\"),
  fc.string({ unit: "binary", minLength: 1, maxLength: 2 }),
);
const hostileText = fc.array(unit, { maxLength: 40 }).map((units) => units.join(""));
const hostileJson = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(hostileText, fc.double(), fc.boolean(), fc.constant(null)),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(hostileText, tie("value"), { maxKeys: 5 }),
  ),
})).value;

const isStorable = (text: string) => !text.includes("\0") && Buffer.from(text).toString() === text;

function allText(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(allText);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [key, ...allText(item)]);
}

const leaves = (value: unknown): number =>
  typeof value !== "object" || value === null
    ? 1
    : Object.values(value).reduce<number>((sum, item) => sum + leaves(item), 1);

describe("text for PostgreSQL", () => {
  test("has U+FFFD in the place of NUL and of half a pair", () => {
    expect(storable("a\0b")).toBe("a\ufffdb");
    expect(storable("\ud83d|\ude00|😀")).toBe("\ufffd|\ufffd|😀");
    expect(storable("\0\ud800\0")).toBe("\ufffd\ufffd\ufffd");
  });

  test("can be stored, is as long as before, and stays as it is the second time", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const clean = storable(text);
        expect(isStorable(clean)).toBe(true);
        expect(clean.length).toBe(text.length);
        expect(storable(clean)).toBe(clean);
        if (isStorable(text)) expect(clean).toBe(text);
      }),
    );
  });

  test("is made of ten million NUL without running out of memory", () => {
    expect(storable("\0".repeat(10_000_000)) === "\ufffd".repeat(10_000_000)).toBe(true);
  });
});

describe("JSON for PostgreSQL", () => {
  test("is the same reference when nothing is wrong with it", () => {
    const value = { a: ["x", { b: null }], n: Number.NaN };
    expect(storableJson(value)).toEqual({ value, replaced: 0 });
    expect(storableJson(value).value).toBe(value);
  });

  test("shares the parts that were fine", () => {
    const value = { fine: { deep: ["x"] }, broken: ["\0", { also: "fine" }] };
    const clean = storableJson(value).value;
    expect(clean).toEqual({ fine: { deep: ["x"] }, broken: ["\ufffd", { also: "fine" }] });
    expect(clean.fine).toBe(value.fine);
    expect(clean.broken[1]).toBe(value.broken[1]);
    expect(value.broken[0]).toBe("\0");
  });

  test("counts every character it replaced, in keys and in values", () => {
    expect(storableJson({ "k\0": ["\0\0", "\ud800x"], "k\ufffdy": "" }).replaced).toBe(4);
  });

  test("keeps both values when two keys become equal, whatever their order", () => {
    const expected = { "a\ufffd": 1, "a\ufffd~2": 2, "a\ufffd~3": 3 };
    expect(storableJson({ "a\ufffd": 1, "a\0": 2, "a\ud800": 3 }).value).toEqual(expected);
    expect(storableJson({ "a\ud800": 3, "a\0": 2, "a\ufffd": 1 }).value).toEqual(expected);
    expect(storableJson({ "a\0": 1, "a\ufffd~2": 2, "a\ud800": 3 }).value).toEqual({
      "a\ufffd": 1,
      "a\ufffd~2": 2,
      "a\ufffd~3": 3,
    });
  });

  test("keeps a key named __proto__ a key", () => {
    const clean = storableJson(JSON.parse('{"__proto__": {"x": "\\u0000"}, "y": 1}')).value;
    expect(JSON.stringify(clean)).toBe('{"__proto__":{"x":"\ufffd"},"y":1}');
  });

  test("holds no text that cannot be stored, loses no value, and stays as it is the second time", () => {
    fc.assert(
      fc.property(hostileJson, (value) => {
        const clean = storableJson(value);
        expect(allText(clean.value).every(isStorable)).toBe(true);
        expect(leaves(clean.value)).toBe(leaves(value));
        expect(Object.is(clean.value, value)).toBe(allText(value).every(isStorable));
        expect(storableJson(clean.value)).toEqual({ value: clean.value, replaced: 0 });
      }),
    );
  });

  test("with a hundred thousand keys that become equal costs no more for each than with few", async () => {
    await expectLinear(108_900, (size) => {
      const halves = Array.from({ length: Math.sqrt(size) }, (_, at) => String.fromCharCode(0xd800 + at));
      const keys = halves.flatMap((first) => halves.map((second) => `${first}-${second}`));
      const value = Object.fromEntries(keys.map((key, at) => [key, at]));
      expect(Object.keys(storableJson(value).value).length).toBe(keys.length);
    });
  }, 120_000);

  test("is refused, not a stack overflow, when it is circular or endlessly deep", () => {
    const circular: Record<string, unknown> = { dirty: "\0" };
    circular.self = circular;
    const deep = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
    for (const value of [circular, deep, ["\0", deep]]) {
      expect(() => storableJson(value)).toThrow(
        expect.objectContaining({ kind: "permanent", code: "output.not-json" }),
      );
    }
  });
});

describe("truncated text", () => {
  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

  test("is left alone when it fits, to the byte", () => {
    expect(truncate("añ€😀", 10)).toEqual({ text: "añ€😀" });
    expect(truncate("", 0)).toEqual({ text: "" });
  });

  test("ends between two characters and remembers what the whole was", () => {
    const text = "añ€😀";
    const kept = (bytesMax: number) => truncate(text, bytesMax).text;
    expect([9, 6, 5, 3, 2, 1, 0, -1, Number.NaN].map(kept)).toEqual([
      "añ€",
      "añ€",
      "añ",
      "añ",
      "a",
      "a",
      "",
      "",
      "",
    ]);
    expect(truncate(text, 9).truncated).toEqual({ bytes: 4, sha256: sha256(text) });
  });

  test("is the longest beginning within the limit; what is missing is counted and hashed", () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 0, max: 60 }), (text, bytesMax) => {
        const { text: kept, truncated } = truncate(text, bytesMax);
        const whole = text.toWellFormed();
        const size = Buffer.byteLength(whole);
        if (size <= bytesMax) {
          expect({ kept, truncated }).toEqual({ kept: text, truncated: undefined });
          return;
        }
        expect(whole.startsWith(kept)).toBe(true);
        const next = String.fromCodePoint(whole.codePointAt(kept.length) ?? 0);
        expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(bytesMax);
        expect(Buffer.byteLength(kept + next)).toBeGreaterThan(bytesMax);
        expect(truncated).toEqual({ bytes: size - Buffer.byteLength(kept), sha256: sha256(text) });
        expect(cut(text, bytesMax)).toBe(kept);
      }),
    );
  });

  test("has the hash of the whole text even when a pair lies across the pieces it is hashed in", () => {
    const text = `${"a".repeat((1 << 20) - 1)}😀${"€".repeat(1 << 20)}`;
    expect(truncate(text, 10)).toEqual({
      text: "a".repeat(10),
      truncated: { bytes: Buffer.byteLength(text) - 10, sha256: sha256(text) },
    });
  });
});
