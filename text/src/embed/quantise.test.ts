import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { vectorText } from "./quantise.ts";

const direction = (dimensions: number) =>
  fc
    .float32Array({ minLength: dimensions, maxLength: dimensions, min: -1, max: 1, noNaN: true })
    .filter((vector) => vector.some((each) => Math.abs(each) > 1e-3));

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    ab += (a[i] as number) * (b[i] as number);
    aa += (a[i] as number) ** 2;
    bb += (b[i] as number) ** 2;
  }
  return ab / Math.sqrt(aa * bb);
}

describe("a vector is kept as whole numbers", () => {
  it("the largest component fills the scale", () => {
    expect(vectorText(Float32Array.of(0.5, -0.25, 0))).toBe("[127,-63,0]");
    expect(vectorText(new Float32Array(385).fill(-0.5, 0, 1))).toMatch(/^\[-1000(,0){384}\]$/);
  });

  it.each([2, 256, 384, 385, 768])("the direction of %i dimensions stays within 0.2 %%", (dimensions) => {
    fc.assert(
      fc.property(direction(dimensions), (vector) => {
        const numbers: number[] = JSON.parse(vectorText(vector));
        expect(numbers.every(Number.isInteger)).toBe(true);
        expect(cosine(vector, numbers)).toBeGreaterThan(0.998);
      }),
      { numRuns: 60 },
    );
  });

  it("a vector without direction is all zeros, and never NaN or -0", () => {
    expect(vectorText(new Float32Array(3))).toBe("[0,0,0]");
    expect(vectorText(Float32Array.of(Number.NaN, 1))).toBe("[0,127]");
    expect(vectorText(Float32Array.of(Number.POSITIVE_INFINITY, 1))).toBe("[0,0]");
    expect(vectorText(Float32Array.of(-0.001, 1))).toBe("[0,127]");
  });
});
