export interface Timers {
  after(delayMs: number, ring: () => void): () => void;
}

/** Timeout of `within`. */
export class TimedOut extends Error {}

/** Awaits `act` for at most `ms`, then throws `TimedOut`; a later answer is ignored. */
export async function within<T>(
  timers: Timers,
  ms: number,
  act: Promise<T>,
  complaint = "nothing came",
): Promise<T> {
  let cancel: () => void = () => undefined;
  const late = new Promise<never>((_, reject) => {
    cancel = timers.after(ms, () => reject(new TimedOut(`${complaint} within ${ms / 1_000} s`)));
  });
  try {
    return await Promise.race([act, late]);
  } finally {
    cancel();
  }
}
