import fc from "fast-check";
import { expect, it } from "vitest";
import { nextRampStep, type RampState, rampSizes, rampStart } from "./ramp.ts";

const item = { subject: 1, stage: 1, fingerprint: "f" };
const after = (step: number): RampState => ({ step, requeued: 9, batch: [item] });
const result = (state: "pending" | "dead" | "settled", fingerprint: string | null) => [
  { subject: 1, stage: 1, state, fingerprint },
];

it("a ramp grows 1, 2, 5, 20 … while all goes well, and stays at its largest step", () => {
  expect(nextRampStep(rampStart, [])).toEqual({ kind: "go", size: 1 });
  const sizes = [1, 2, 3].map((step) => nextRampStep(after(step), result("settled", null)));
  expect(sizes).toEqual([2, 5, 20].map((size) => ({ kind: "go", size })));
  expect(nextRampStep(after(99), result("settled", null))).toEqual({ kind: "go", size: rampSizes.at(-1) });
});

it("a ramp waits for what is under way", () => {
  expect(nextRampStep(after(1), result("pending", null))).toEqual({ kind: "wait", pending: 1 });
});

it("a ramp stops when the same fault comes back, also while it is still being retried", () => {
  const stop = { kind: "stop", fingerprint: "f", returned: 1 };
  expect(nextRampStep(after(1), result("dead", "f"))).toEqual(stop);
  expect(nextRampStep(after(1), result("pending", "f"))).toEqual(stop);
});

it("a ramp goes on past a death of something else", () => {
  expect(nextRampStep(after(1), result("dead", "g"))).toEqual({ kind: "go", size: 2 });
});

it("a ramp never goes on while one of its tasks died of the same", () => {
  const states = fc.constantFrom("pending" as const, "dead" as const, "settled" as const);
  fc.assert(
    fc.property(fc.array(states, { minLength: 1 }), (outcomes) => {
      const batch = outcomes.map((_, subject) => ({ subject, stage: 1, fingerprint: "f" }));
      const results = outcomes.map((state, subject) => ({
        subject,
        stage: 1,
        state,
        fingerprint: state === "dead" ? "f" : null,
      }));
      const move = nextRampStep({ step: 1, requeued: batch.length, batch }, results);
      expect(move.kind).toBe(
        outcomes.includes("dead") ? "stop" : outcomes.includes("pending") ? "wait" : "go",
      );
    }),
  );
});
