import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { retryDefaults } from "../define/retry.ts";
import { crashesMin } from "./settle.ts";
import { type ClaimedFacts, type StageRules, settleClaimed } from "./settle-claimed.ts";

const now = new Date("2026-03-01T12:00:00Z");
const rules: StageRules = {
  stage: "weigh",
  isolated: false,
  waitsForDead: false,
  policies: retryDefaults,
};
const task: ClaimedFacts = {
  id: "a",
  gone: false,
  attempts: 0,
  waits: 0,
  crashes: 0,
  firstAttemptAt: null,
  fault: null,
  members: null,
  problem: false,
  unchanged: false,
};
const fateOf = (facts: Partial<ClaimedFacts>, more: Partial<StageRules> = {}) =>
  settleClaimed({ ...task, ...facts }, { ...rules, ...more }, now, () => 0.5);
const aFault = { kind: "transient", code: "x", message: "x", fingerprint: "x" } as const;

describe("settleClaimed", () => {
  it("runs a plain task", () => {
    expect(fateOf({})).toEqual({ kind: "run" });
  });

  it.each([
    ["releases a task of a deleted document", { gone: true, unchanged: true }, "released"],
    ["lets a task die that is beyond a lowered limit", { attempts: 99, fault: aFault }, "dead"],
    ["retries a task alone that may have killed its worker", { crashes: crashesMin }, "retry"],
    ["waits for members on their way", { members: [{ pending: true, dead: false }] }, "waiting"],
  ] as const)("%s", (_, facts, kind) => {
    expect(fateOf(facts)).toMatchObject({ kind: "settled", verdict: { kind } });
  });

  it("never charges a document of an isolated stage with a worker's death", () => {
    expect(fateOf({ crashes: 50 }, { isolated: true })).toEqual({ kind: "run" });
  });

  it("waits for dead members only where the stage says so", () => {
    const members = [{ pending: false, dead: true }];
    expect(fateOf({ members })).toEqual({ kind: "run" });
    expect(fateOf({ members }, { waitsForDead: true })).toMatchObject({ verdict: { kind: "waiting" } });
  });

  it("dissolves an empty group even if its look-ups failed or nothing has changed", () => {
    expect(fateOf({ members: [], problem: true, unchanged: true })).toEqual({ kind: "empty" });
  });

  it("postpones into the future, and gives a dead or lost task its fault", () => {
    const facts = fc.record({
      gone: fc.boolean(),
      attempts: fc.nat(60),
      waits: fc.nat(60),
      crashes: fc.nat(8),
      fault: fc.constantFrom(null, aFault, { ...aFault, code: "worker.lost", kind: "unknown" as const }),
      members: fc.option(
        fc.array(fc.record({ pending: fc.boolean(), dead: fc.boolean() }), { maxLength: 3 }),
      ),
      problem: fc.boolean(),
      unchanged: fc.boolean(),
    });
    const flags = fc.record({ isolated: fc.boolean(), waitsForDead: fc.boolean() });
    fc.assert(
      fc.property(facts, flags, (some, how) => {
        const fate = fateOf(some, how);
        if (fate.kind !== "settled") return;
        const { verdict } = fate;
        if ("at" in verdict) expect(verdict.at.getTime()).toBeGreaterThan(now.getTime());
        if (verdict.kind === "dead") expect(verdict.fault).toBeTruthy();
        if (some.gone) expect(verdict.kind).toBe("released");
      }),
    );
  });
});
