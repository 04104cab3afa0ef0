import { expect, it } from "vitest";
import { expectLinear } from "./growth.ts";

const spin = (steps: number) => {
  let sum = 0;
  for (let step = 0; step < steps; step++) sum = (sum * 31 + step) % 65_521;
  return sum;
};

it("linear work is linear", () => expectLinear(40_000_000, spin));

it("quadratic work is found out", async () => {
  const quadratic = (size: number) => spin(size * size);
  await expect(expectLinear(10_000, quadratic)).rejects.toThrow("times the work");
});
