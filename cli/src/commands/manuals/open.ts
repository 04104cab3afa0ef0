import type { Signal } from "@headway/engine";
import {
  listManuals,
  type ManualLine,
  type Manuals,
  type ManualsReader,
  openManuals,
} from "@headway/manuals";
import { opened, refuseMissing, withApp } from "../../compose.ts";
import { Refusal } from "../../exit-codes.ts";
import { placeOf, type SharedOptions } from "../../shared-options.ts";

/** Runs `act` with the manuals pipeline working, beside the other pipelines of the application. */
export async function withManuals<T>(
  options: SharedOptions,
  { onSignal }: { readonly onSignal?: (signal: Signal) => void },
  act: (manuals: Manuals) => Promise<T>,
): Promise<T> {
  return await withApp(options, { work: true, ...(onSignal && { onSignal }) }, ({ manuals }) =>
    act(manuals as Manuals),
  );
}

/** The same for a command that only looks: nothing is registered, migrated or written. */
export async function lookAtManuals<T>(
  options: SharedOptions,
  act: (manuals: ManualsReader) => Promise<T>,
): Promise<T> {
  refuseMissing(options, 'read a manual with "headway manuals ingest PATH"');
  return await opened(() => openManuals(placeOf(options)), act);
}

/** The manual that is meant: its id, or the beginning of just one. */
export async function findManual(
  { engine }: { readonly engine: Pick<Manuals["engine"], "database"> },
  name: string,
): Promise<ManualLine> {
  const all = await listManuals(engine.database);
  const exact = all.find(({ id }) => id === name);
  const near = all.filter(({ id }) => id.toLowerCase().startsWith(name.toLowerCase()));
  const [found] = exact ? [exact] : near;
  if (!exact && near.length > 1)
    throw new Refusal(`${near.length} manuals begin with "${name}": write more of the name.`);
  if (found) return found;
  throw new Refusal(`There is no manual "${name}": "headway manuals list" shows all.`);
}
