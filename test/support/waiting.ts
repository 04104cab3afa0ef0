import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";

/** Waits until something is so, and fails with what is instead when it is not so in time. */
export async function until<T>(
  look: () => T | Promise<T>,
  is: (value: T) => boolean,
  withinMs = 20_000,
): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    const value = await look();
    if (is(value)) return value;
    if (Date.now() > end) expect.fail(`Not so within ${withinMs} ms, but: ${JSON.stringify(value)}`);
    await pause(20);
  }
}
