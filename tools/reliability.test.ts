import { expect, it } from "vitest";
import { makePage, type Proof } from "./reliability-page.ts";

const circumstances = { commit: "abc1234", date: "2026-11-15", machine: "2 cores.", versions: "Node 20." };
const aProof = (given: Partial<Proof>): Proof => ({
  title: "Storm",
  command: "npm run chaos -- --seed 7 --json",
  figures: [["lost", "0"]],
  held: true,
  tookSeconds: 12,
  ...given,
});

it("the page has every figure with its command, and says what is not covered", () => {
  const page = makePage([aProof({})], circumstances);
  expect(page).toContain("Commit abc1234");
  expect(page).toContain("`npm run chaos -- --seed 7 --json`, 12 s");
  expect(page).toContain("| lost | 0 |");
  expect(page).toContain("## What is not covered");
  expect(page).toContain("`silenceMs` 2000 instead of 20000");
});

it("the page does not hide what did not hold", () => {
  const page = makePage([aProof({}), aProof({ title: "Simulated", held: false })], circumstances);
  expect(page).toContain("**1 of 2 proofs held.**");
  expect(page).toContain("## Simulated: broken");
});
