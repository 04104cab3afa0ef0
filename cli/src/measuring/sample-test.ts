import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { feed, readLedger, readSettings, samplePath, startConsensus } from "@headway/consensus";
import type { Test } from "./observe.ts";

/** The bundled sample archive through the whole consensus pipeline, without its quiet times and without any server. */
export function sampleTest(): Test {
  const path = samplePath();
  const hash = createHash("sha256").update(readFileSync(path)).digest("hex").slice(0, 8);
  return {
    name: "consensus",
    documentSet: `the sample archive ${hash}`,
    async start({ folder, database, onSignal }) {
      const settings = { ...readSettings({}), listQuiet: "0ms", threadQuiet: "0ms" } as const;
      const consensus = await startConsensus({ data: folder, database, settings, onSignal });
      return {
        engine: consensus.engine,
        async work() {
          await feed(consensus, [path]);
          await consensus.engine.settled();
          return (await readLedger(consensus.engine.database)).mails;
        },
        stop: () => consensus.stop(),
      };
    },
  };
}
