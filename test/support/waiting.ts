import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";

/** Polls until a condition holds; after the timeout, fails with the last value. */
export async function until<T>(
  look: () => T | Promise<T>,
  is: (value: T) => boolean,
  withinMs = 60_000,
): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    const value = await look();
    if (is(value)) return value;
    if (Date.now() > end) expect.fail(`Not so within ${withinMs} ms, but: ${JSON.stringify(value)}`);
    await pause(20);
  }
}
