import fc from "fast-check";
import { expect, it } from "vitest";
import { packRaw, unpackRaw } from "./raw.ts";

it("any bytes come back as they were, and no NUL is stored", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
      const packed = packRaw(Buffer.from(bytes));
      expect(packed).not.toContain("\0");
      expect(packed).toHaveLength(bytes.length);
      expect([...unpackRaw(packed)]).toEqual([...bytes]);
    }),
  );
});

it("every byte is one character, and a NUL is U+0100", () => {
  expect(packRaw(Buffer.from([0x41, 0, 0xff]))).toBe("A\u0100\u00ff");
});
