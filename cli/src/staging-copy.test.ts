import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { markCopy, refuseCopyInProduction } from "./staging-copy.ts";

const folder = mkdtempSync(join(tmpdir(), "headway-copy-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("an anonymous copy is refused in production, and nowhere else", () => {
  const production = { HEADWAY_ENVIRONMENT: "production" };
  expect(() => refuseCopyInProduction(folder, production)).not.toThrow();
  markCopy(folder);
  expect(() => refuseCopyInProduction(folder, { HEADWAY_ENVIRONMENT: "staging" })).not.toThrow();
  expect(() => refuseCopyInProduction(folder, {})).not.toThrow();
  expect(() => refuseCopyInProduction(folder, production)).toThrow("is an anonymous copy for staging");
});
