/** Runs a repeatable step, and again while the database is away. */
export type Outlast = <T>(step: () => Promise<T>) => Promise<T>;

/** For callers without patience. */
export const tryOnce: Outlast = (step) => step();
