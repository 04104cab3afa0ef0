import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Consensus, readSettings, startConsensus } from "@headway/consensus";
import type { Signal } from "@headway/engine";
import { Refusal } from "./exit-codes.ts";
import { placeOf, type SharedOptions } from "./shared-options.ts";
import { whenFree } from "./when-free.ts";

export interface OpenOptions {
  /** True: stages run. False: this process only reads. */
  readonly work: boolean;
  readonly onSignal?: (signal: Signal) => void;
}

/** Runs `act` with the pipeline opened according to the options, and always closes the pipeline. */
export async function withConsensus<T>(
  options: SharedOptions,
  { work, onSignal }: OpenOptions,
  act: (consensus: Consensus) => Promise<T>,
): Promise<T> {
  const { data, ...place } = placeOf(options);
  if (!work && "folder" in place.database && !existsSync(join(data, "data"))) {
    throw new Refusal(`There is nothing in ${data} yet: read an archive with "headway ingest PATH" first.`);
  }
  const settings = readSettings(process.env);
  const open = () => startConsensus({ data, ...place, settings, work, ...(onSignal && { onSignal }) });
  for (let tries = 1; ; tries++) {
    const consensus = await whenFree(open);
    try {
      return await act(consensus);
    } catch (error) {
      // The process that shared its database has ended. The action is repeatable, with a new owner or as owner.
      if (!isOwnerGone(error) || tries >= triesMax) throw error;
    } finally {
      await consensus.stop().catch(() => undefined);
    }
  }
}

const triesMax = 3;
const isOwnerGone = (error: unknown): boolean =>
  String((error as { message?: unknown } | null)?.message).includes("the process that has the database open");
