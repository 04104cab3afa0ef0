import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { entriesOf } from "../../test/pages-of.ts";
import { generateManual } from "./generate-manual.ts";

describe("a generated manual", () => {
  it("has the same bytes each time", () => {
    const hash = () => createHash("sha256").update(generateManual(50)).digest("hex");
    expect(hash()).toBe(hash());
  });

  it("has codes with cause and remedy, and parts", async () => {
    const entries = await entriesOf(generateManual(24));
    const codes = entries.filter(({ kind }) => kind === "trouble");
    expect(codes).toHaveLength(48);
    expect(codes[0]?.texts).toMatchObject({ code: "E-600", remedy: expect.stringContaining("Tighten the") });
    expect(entries.filter(({ kind }) => kind === "parts")).toHaveLength(60);
  });
});
