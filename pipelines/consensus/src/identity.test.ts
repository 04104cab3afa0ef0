import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  archiveId,
  chunkId,
  mailId,
  makeOrdinals,
  messageDocumentId,
  positionId,
  threadId,
} from "./identity.ts";

const text = fc.oneof(fc.string({ unit: "binary", maxLength: 40 }), fc.string({ maxLength: 400 }));
const list = fc.stringMatching(/^[a-z][a-z0-9._-]{0,60}$/);
const nth = fc.integer({ min: 1, max: 50 });
const sha256 = fc.stringMatching(/^[0-9a-f]{64}$/);

describe("an id", () => {
  it("follows from what a thing is, is not too long, and never ends in half a character", () => {
    const ids = fc
      .tuple(list, text, nth, sha256)
      .map(([name, given, count, hash]) => [
        archiveId(name, given),
        mailId(archiveId(name, given), hash, count),
        messageDocumentId(name, given),
        threadId(name, given),
      ]);
    fc.assert(
      fc.property(ids, (made) => {
        for (const id of made) expect(id.length).toBeLessThanOrEqual(240);
      }),
    );
    fc.assert(
      fc.property(list, fc.string({ unit: "grapheme", minLength: 100, maxLength: 600 }), (name, key) => {
        const id = archiveId(name, key);
        expect(id).toBe(archiveId(name, key));
        expect(id.isWellFormed()).toBe(true);
        expect(id.startsWith(`${name}/`)).toBe(true);
      }),
    );
  });

  it("is another one for another thing, also when both are too long", () => {
    fc.assert(
      fc.property(list, text, text, fc.boolean(), (name, one, other, long) => {
        fc.pre(one !== other);
        const stem = long ? "x".repeat(300) : "";
        expect(archiveId(name, stem + one)).not.toBe(archiveId(name, stem + other));
        fc.pre(one.isWellFormed() && other.isWellFormed());
        expect(messageDocumentId(name, one)).not.toBe(messageDocumentId(name, other));
        expect(threadId(name, one)).not.toBe(threadId(name, other));
      }),
    );
  });

  it("tells the same bytes or words apart by their place among their likes", () => {
    fc.assert(
      fc.property(text, sha256, nth, nth, (given, hash, one, other) => {
        fc.pre(one !== other);
        expect(mailId("a", hash, one)).not.toBe(mailId("a", hash, other));
        expect(chunkId("m", given, one)).not.toBe(chunkId("m", given, other));
        expect(positionId("t", "m", one)).not.toBe(positionId("t", "m", other));
      }),
    );
    const ordinal = makeOrdinals();
    expect(["a", "b", "a", "__proto__", "a", "__proto__"].map(ordinal)).toEqual([1, 1, 2, 1, 3, 2]);
  });

  it("of a mail is the same whatever else is in the archive", () => {
    expect(mailId("tides/march.mbox", "ab".repeat(32), 1)).toBe("tides/march.mbox#abababababababab");
    expect(mailId("tides/march.mbox", "ab".repeat(32), 2)).toBe("tides/march.mbox#abababababababab.2");
  });
});
