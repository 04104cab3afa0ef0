import type { Config } from "../engine/src/config.ts";

/** Default settings, except for a short silence limit: zombies have to be many. */
export const stormConfig: Partial<Config> = {
  heartbeatMs: 500,
  silenceMs: 2_000,
  controlsMs: 500,
  sweepMs: 5_000,
  slots: 8,
  batchMax: 60,
  streamDocuments: 30,
  graceMs: 2_000,
};

/** Waits between attempts of the mail stages in a storm. */
export const stormWaits = { initial: "100ms", max: "1s" } as const;

/** Quiet times of the mail stages in a storm. */
export const stormQuiet = { listQuiet: "300ms", threadQuiet: "500ms" } as const;
