import { expect, it } from "vitest";
import { engineFixes } from "../engine/src/decide/suggested-fixes.ts";
import { sourceFixes } from "../intake/src/source/fixes.ts";
import { consensusFixes } from "../pipelines/consensus/src/fixes.ts";
import { reportFixes } from "../pipelines/consensus/src/subscription/pipeline.ts";
import { manualsFixes } from "../pipelines/manuals/src/fixes.ts";
import { filesMatching, isTest } from "./source.ts";

/** Codes in calls that make a fault, and in the tables of `recognise.ts`. */
const faultCode =
  /\b(?:permanent|transient|rateLimited|notFoundYet|passing|lasting|refuse|IngestRefusal)\(\s*"([a-z]+\.[a-z-]+)"/g;

/** Invented for examples in comments. */
const examples = new Set(["letter.empty", "list.torn", "price.missing"]);

it("every fault code of the product has advice for its code or family", () => {
  const sources = filesMatching(/^(?:engine|intake|text|pipelines)\/.*\.ts$/).filter(
    ({ path }) => !isTest(path),
  );
  const codes = new Set(
    sources.flatMap(({ text }) => [...text.matchAll(faultCode)].map((found) => found[1] as string)),
  );
  const tables = [engineFixes, sourceFixes, consensusFixes, manualsFixes, reportFixes];
  const advised = new Set(tables.flatMap((fixes) => Object.keys(fixes)));
  const missing = [...codes].filter(
    (code) => !examples.has(code) && !advised.has(code) && !advised.has(`${code.split(".")[0]}.*`),
  );
  expect(codes.size).toBeGreaterThan(30);
  expect(missing).toEqual([]);
});
