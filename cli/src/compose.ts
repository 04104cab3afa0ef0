import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Consensus, type ConsensusReader, openConsensus } from "@headway/consensus";
import type { Signal } from "@headway/engine";
import { isOwnerGone } from "@headway/engine/internal";
import type { RunningApp } from "./app/command-line-app.ts";
import { currentApp, ownConsensus } from "./app/current-app.ts";
import { Refusal } from "./exit-codes.ts";
import { placeOf, type SharedOptions } from "./shared-options.ts";
import { refuseCopyInProduction } from "./staging-copy.ts";
import { whenFree } from "./when-free.ts";

export interface OpenOptions {
  /** True: stages run. False: other processes do the work. */
  readonly work: boolean;
  readonly onSignal?: (signal: Signal) => void;
  /** Port of an embedded database's address; any free port by default. */
  readonly share?: number;
}

/** Runs `act` with the consensus pipeline; its commands are not there in applications without the pipeline. */
export async function withConsensus<T>(
  options: SharedOptions,
  opening: OpenOptions,
  act: (consensus: Consensus) => Promise<T>,
): Promise<T> {
  if (!opening.work) refuseMissing(options, mailStep);
  return await withApp(options, opening, ({ consensus }) => act(consensus as Consensus));
}

/** The same for a command that only looks: nothing is registered, migrated or written. */
export async function lookAtConsensus<T>(
  options: SharedOptions,
  act: (consensus: ConsensusReader) => Promise<T>,
): Promise<T> {
  const { data, database } = placeOf(options);
  refuseMissing(options, mailStep);
  return await opened(
    () => openConsensus({ data, database, settings: ownConsensus("threads").settings }),
    act,
  );
}

const mailStep = 'read an archive with "headway ingest PATH"';

/** Refuses to look into an empty folder: a query must not create anything. */
export function refuseMissing(options: SharedOptions, firstStep: string): void {
  const { data, database } = placeOf(options);
  if ("folder" in database && !existsSync(join(data, "data")))
    throw new Refusal(`There is nothing in ${data} yet: ${firstStep} first.`);
}

/** Runs `act` with the application opened where the options say, and closes it whatever happens. */
export async function withApp<T>(
  options: SharedOptions,
  { work, onSignal, share }: OpenOptions,
  act: (app: RunningApp) => Promise<T>,
): Promise<T> {
  const { data, ...place } = placeOf(options);
  refuseCopyInProduction(data, process.env);
  const app = currentApp();
  const given = { ...(onSignal && { onSignal }), ...(share !== undefined && { share: { port: share } }) };
  return await opened(() => app.start({ data, ...place, work, ...given }), act);
}

export async function opened<C extends { stop(): Promise<void> }, T>(
  open: () => Promise<C>,
  act: (running: C) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    const running = await whenFree(open);
    try {
      return await act(running);
    } catch (error) {
      // The process that shared its database has ended. The action is repeatable, with a new owner or as owner.
      if (!isOwnerGone(error) || tries >= triesMax) throw error;
    } finally {
      await running.stop().catch(() => undefined);
    }
  }
}

const triesMax = 3;
