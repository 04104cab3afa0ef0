import { onOwnDatabase } from "../server.ts";
import type { Scale, Trial } from "../trial.ts";
import { commitsPerSecond } from "../yardsticks/commits.ts";
import { copiedRowsPerSecond } from "../yardsticks/copied-rows.ts";
import { writeSetPerSecond } from "../yardsticks/write-set.ts";

export const writeSetRow = "the same write set, by the server alone";

/** Limits of the machine, measured in the same minute as everything else. */
export const yardstickTrials = ({ jobs, yardstickSeconds }: Scale): readonly Trial[] => {
  const trial = (row: string, measure: (url: string) => Promise<number>): Trial => ({
    letter: "i",
    row,
    run: async () => ({ perSecond: await onOwnDatabase(measure) }),
  });
  return [
    trial("commits of one row, 1 client", (url) => commitsPerSecond(url, 1, yardstickSeconds)),
    trial("commits of one row, 16 clients", (url) => commitsPerSecond(url, 16, yardstickSeconds)),
    trial("COPY of the same documents", (url) => copiedRowsPerSecond(url, jobs)),
    trial(writeSetRow, (url) => writeSetPerSecond({ url }, jobs)),
  ];
};
