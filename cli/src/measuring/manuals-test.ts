import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { feedManuals, generateManual, startManuals } from "@headway/manuals";
import type { Test } from "./observe.ts";

/** Pages of the benchmark manuals: a leaflet, a handbook, and a service manual of the usual length. */
export const manualSizes = [50, 200, 1_116] as const;

/** A generated manual through the whole manuals pipeline; reading pages runs in processes of its own, as always. */
export function manualsTest(pages: number): Test {
  return {
    name: `manuals-${pages}`,
    get documentSet() {
      const hash = createHash("sha256").update(generateManual(pages)).digest("hex").slice(0, 8);
      return `a generated manual of ${pages} pages ${hash}`;
    },
    async start({ folder, database, onSignal }) {
      const path = join(folder, `manual-${pages}.pdf`);
      await writeFile(path, generateManual(pages));
      const manuals = await startManuals({ data: join(folder, "data"), database, blobs: "folder", onSignal });
      return {
        engine: manuals.engine,
        async work() {
          await feedManuals(manuals, [path]);
          await manuals.engine.settled();
          return pages;
        },
        stop: () => manuals.stop(),
      };
    },
  };
}
