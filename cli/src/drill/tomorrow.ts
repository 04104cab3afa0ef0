const dayMs = 24 * 60 * 60 * 1_000;

/** Runs `act` with the clock of tomorrow: for code that asks the time, not for stored times. */
export async function tomorrow<T>(act: () => Promise<T>): Promise<T> {
  const today = globalThis.Date;
  const now = () => today.now() + dayMs;
  globalThis.Date = new Proxy(today, {
    construct: (target, given, made) =>
      given.length === 0 ? new target(now()) : Reflect.construct(target, given, made),
    apply: () => new today(now()).toString(),
    get: (target, key) => (key === "now" ? now : Reflect.get(target, key, target)),
  });
  try {
    return await act();
  } finally {
    globalThis.Date = today;
  }
}
