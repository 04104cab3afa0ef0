/** A finding of a check-up: one sentence with the state and, unless `ok`, with advice. */
export interface Finding {
  readonly check: string;
  readonly state: "ok" | "warn" | "bad";
  readonly says: string;
}

/** Findings of one check. */
export const findingsOf = (check: string) => ({
  ok: (says: string): Finding => ({ check, state: "ok", says }),
  warn: (says: string): Finding => ({ check, state: "warn", says }),
  bad: (says: string): Finding => ({ check, state: "bad", says }),
});

export const showBytes = (bytes: number): string => {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1_000 ** power;
  return `${value >= 100 || power === 0 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
};
