import { createHash } from "node:crypto";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  canonicalJson,
  contentHash,
  type GroupMember,
  groupHash,
  type MarkerParts,
  makeMarker,
  marker,
} from "./hash.ts";

const json = fc.jsonValue({ maxDepth: 5, stringUnit: "binary" });

/** The same value with the keys of every object in another order. */
function shuffled(value: unknown, random: () => number): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, random));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => ({
    key,
    item: shuffled(item, random),
    at: random(),
  }));
  return Object.fromEntries(entries.sort((a, b) => a.at - b.at).map(({ key, item }) => [key, item]));
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { a: value };
  return value;
}

describe("canonical JSON", () => {
  test("has sorted keys, no spaces and no properties that are undefined", () => {
    const value = { b: [1, "x", null], a: { z: true, y: undefined, "": -0 }, ab: 1.5e300 };
    expect(canonicalJson(value)).toBe('{"a":{"":0,"z":true},"ab":1.5e+300,"b":[1,"x",null]}');
    expect(canonicalJson({ a: undefined })).toBe("{}");
    expect(canonicalJson([])).toBe("[]");
  });

  test("does not depend on the order of keys", () => {
    fc.assert(
      fc.property(json, fc.infiniteStream(fc.double({ noNaN: true })), (value, chances) => {
        const random = () => chances.next().value as number;
        expect(canonicalJson(shuffled(value, random))).toBe(canonicalJson(value));
      }),
    );
    const many = Array.from({ length: 500 }, (_, at) => [`k${at}`, at] as const);
    expect(canonicalJson(Object.fromEntries(many.toReversed()))).toBe(
      canonicalJson(Object.fromEntries(many)),
    );
  });

  test("says the same as the value, and different values never look alike", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("\0\u001f\u007f\u2028", '"\\/', "\ud800", "x\udc00"),
    );
    fc.assert(
      fc.property(fc.oneof(json, text, fc.dictionary(text, text)), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("is the same after a round trip through JSON", () => {
    fc.assert(
      fc.property(json, (value) => {
        const back = JSON.parse(JSON.stringify(value));
        expect(contentHash(canonicalJson(back))).toEqual(contentHash(canonicalJson(value)));
      }),
    );
  });

  test("keeps a key named __proto__, and takes objects without a prototype or of another realm", () => {
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"a":2}}'))).toBe('{"__proto__":{"a":2},"b":1}');
    expect(canonicalJson(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}');
    expect(canonicalJson(runInNewContext("({ b: [1], a: 2 })"))).toBe('{"a":2,"b":[1]}');
  });

  test("takes a value in several places, which is not a circle", () => {
    const shared = { x: 1 };
    expect(canonicalJson({ a: shared, b: [shared, shared] })).toBe('{"a":{"x":1},"b":[{"x":1},{"x":1}]}');
  });

  test("takes a thousand levels and refuses more", () => {
    expect(JSON.parse(canonicalJson(nested(1_000)))).toEqual(nested(1_000));
    expect(() => canonicalJson(nested(1_001))).toThrow(
      /nesting deeper than 1000 levels at path \$.* … .*\.$/,
    );
    expect(() => canonicalJson(nested(100_000))).toThrow(
      expect.objectContaining({ code: "output.not-json" }),
    );
  });
});

describe("what JSON would lose or change", () => {
  class Page {
    number = 1;
  }
  const circular: { list: unknown[] } = { list: [] };
  circular.list.push(1, { up: circular });
  const twice = {};
  // biome-ignore lint/suspicious/noSparseArray: the hole is the point.
  const sparse = [1, , 3];

  test.each([
    [{ a: { b: Number.NaN } }, "NaN at path $.a.b."],
    [[0, -Infinity], "-Infinity at path $[1]."],
    [{ size: 10n }, "a bigint at path $.size."],
    [{ run: () => 1 }, "a function at path $.run."],
    [{ toJSON: () => "x" }, "a function at path $.toJSON."],
    [{ mark: Symbol("x") }, "a symbol at path $.mark."],
    [{ when: new Date(0) }, "an instance of Date at path $.when."],
    [[new Map()], "an instance of Map at path $[0]."],
    [{ "odd key": new Set() }, 'an instance of Set at path $["odd key"].'],
    [{ pages: [{}, new Page()] }, "an instance of Page at path $.pages[1]."],
    [{ bytes: Buffer.from("x") }, "an instance of Buffer at path $.bytes."],
    [{ n: Object(1) }, "an instance of Number at path $.n."],
    [Promise.resolve(), "an instance of Promise at path $."],
    [Object.create({ inherited: 1 }), "an instance of Object at path $."],
    [undefined, "undefined at path $."],
    [{ list: [1, undefined] }, "undefined at path $.list[1]."],
    [{ list: sparse }, "a hole at path $.list[1]."],
    [[{ twice }, { twice }, Number.NaN], "NaN at path $[2]."],
    [circular, "a circular reference at path $.list[1].up."],
  ])("is refused with its place (%#)", (value, words) => {
    const refusal = { name: "StageFault", kind: "permanent", code: "output.not-json" };
    expect(() => canonicalJson(value)).toThrow(expect.objectContaining(refusal));
    expect(() => canonicalJson(value)).toThrow(`Only plain JSON can be stored, but there is ${words}`);
  });

  test("is refused in a short message however long the names on the way are", () => {
    const value = { ["k\0".repeat(1_000_000)]: { x: 1n } };
    const refuse = () => canonicalJson(value);
    expect(refuse).toThrow(/^Only plain JSON .{1,200}$/);
    expect(refuse).not.toThrow(/\0/);
  });

  test("is refused as such when it cannot even be read", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const trap = {
      get x() {
        throw new Error("no entry");
      },
    };
    for (const value of [{ a: proxy }, trap]) {
      expect(() => canonicalJson(value)).toThrow(expect.objectContaining({ code: "output.not-json" }));
    }
    expect(() => canonicalJson(trap)).toThrow(expect.objectContaining({ cause: new Error("no entry") }));
  });

  test("either is refused or comes back equal, whatever it is", () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true }),
        (value) => {
          let text: string;
          try {
            text = canonicalJson(value);
          } catch (error) {
            expect(error).toMatchObject({ code: "output.not-json" });
            return;
          }
          expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        },
      ),
    );
  });
});

test("a content hash is the SHA-256 of the text", () => {
  const text = canonicalJson({ title: "Zürich 😀 \ud800" });
  expect(contentHash(text)).toEqual(createHash("sha256").update(text).digest());
});

test("texts that differ only in half a pair have different hashes", () => {
  const hashes = ["\ud800", "\ud801", "\udc00", "\ufffd"].map((text) =>
    contentHash(canonicalJson({ text })).toString("hex"),
  );
  expect(new Set(hashes).size).toBe(4);
});

describe("a marker", () => {
  /** Few letters and tiny parts, so that parts that run together would soon look alike. */
  const tinyText = fc.string({ unit: fc.constantFrom("a", "b", "\0", "\u0001"), maxLength: 3 });
  const tinyBytes = fc.uint8Array({ maxLength: 3, max: 2 });
  const parts: fc.Arbitrary<MarkerParts> = fc.record({
    stage: tinyText,
    inputHash: tinyBytes,
    version: tinyText,
    configHash: tinyBytes,
    model: tinyText,
  });
  const flat = (given: MarkerParts) =>
    Object.values(given).map((part) => Buffer.from(part as string).toString("hex"));

  test("is another as soon as one part is another, however the parts are cut", () => {
    const seen = new Map<string, string>();
    fc.assert(
      fc.property(parts, (given) => {
        const key = flat(given).join("|");
        const before = seen.get(marker(given).toString("hex"));
        if (before !== undefined) expect(before).toBe(key);
        seen.set(marker(given).toString("hex"), key);
      }),
      { numRuns: 20_000 },
    );
    expect(new Set(seen.values()).size).toBe(seen.size);
  });

  test("moves when a letter moves from one part to the next", () => {
    const given = {
      stage: "ab",
      inputHash: Buffer.alloc(32),
      version: "1",
      configHash: Buffer.alloc(32),
      model: "m",
    };
    const all = [
      given,
      { ...given, stage: "a", version: "b1" },
      { ...given, version: "", model: "1m" },
      { ...given, version: "1m", model: "" },
      { ...given, inputHash: Buffer.alloc(33) },
      { ...given, inputHash: Buffer.alloc(31), configHash: Buffer.alloc(33) },
    ];
    expect(new Set(all.map((each) => marker(each).toString("hex"))).size).toBe(all.length);
  });

  test("is the same when its constant parts are prepared once", () => {
    const hashes = fc.array(fc.oneof(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.uint8Array()), {
      maxLength: 5,
    });
    const text = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(
        text,
        text,
        fc.uint8Array(),
        text,
        hashes,
        (stage, version, configHash, model, inputHashes) => {
          const prepared = makeMarker(stage, version, configHash, model);
          const made = inputHashes.map((inputHash) => prepared(inputHash));
          expect(made).toEqual(
            inputHashes.map((inputHash) => marker({ stage, inputHash, version, configHash, model })),
          );
        },
      ),
    );
  });
});

describe("the hash of a group", () => {
  const member = fc.record({ id: fc.string({ maxLength: 3 }), hash: fc.uint8Array({ maxLength: 3 }) });
  const members = fc.uniqueArray(member, { selector: ({ id }) => id, maxLength: 8 });
  const hex = (group: readonly GroupMember[]) => groupHash(group).toString("hex");

  test("does not depend on the order of its members", () => {
    const orders = members.chain((group) =>
      fc.tuple(fc.constant(group), fc.shuffledSubarray(group, { minLength: group.length })),
    );
    fc.assert(fc.property(orders, ([group, other]) => hex(group) === hex(other)));
    const twins = [
      { id: "a", hash: Buffer.from([1]) },
      { id: "a", hash: Buffer.from([2]) },
    ];
    expect(hex(twins)).toBe(hex(twins.toReversed()));
  });

  test("changes when a member comes, goes or changes", () => {
    fc.assert(
      fc.property(members, fc.nat(), (group, chance) => {
        const newcomer = { id: "longer than the others", hash: Buffer.alloc(1) };
        expect(hex([...group, newcomer])).not.toBe(hex(group));
        const at = chance % Math.max(1, group.length);
        const chosen = group[at];
        if (chosen === undefined) return;
        expect(hex(group.toSpliced(at, 1))).not.toBe(hex(group));
        expect(hex(group.with(at, { ...chosen, hash: Buffer.from([...chosen.hash, 7]) }))).not.toBe(
          hex(group),
        );
        expect(hex(group.with(at, { ...chosen, id: `${chosen.id} renamed` }))).not.toBe(hex(group));
      }),
    );
  });

  test("leaves the list it is given as it was", () => {
    const group = Object.freeze([
      { id: "b", hash: Buffer.alloc(1) },
      { id: "a", hash: Buffer.alloc(1) },
    ]);
    expect(groupHash(group).length).toBe(32);
  });
});
