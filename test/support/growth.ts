import { expect } from "vitest";

/** Linear work on four times as much costs four times as much, quadratic work sixteen times. */
const sizeRatio = 4;
const growthMax = 10;
/** Below, garbage collection and compilation cost as much as the work: no growth can be seen, and none would matter. */
const seenMs = 100;
const triesMax = 3;

/**
 * Expects work to grow no faster than its input, by the processor time of two sizes in one run: a busy machine
 * stretches wall time, not the process's own time. The best ratio of three counts.
 */
export async function expectLinear(size: number, work: (size: number) => unknown): Promise<void> {
  let ratio = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < triesMax && ratio > growthMax; tries++) {
    const small = await processorMs(() => work(Math.round(size / sizeRatio)));
    const large = await processorMs(() => work(size));
    ratio = large < seenMs ? 0 : Math.min(ratio, large / Math.max(small, seenMs / sizeRatio));
  }
  expect(ratio, `times the work for ${sizeRatio} times the input`).toBeLessThanOrEqual(growthMax);
}

async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
