import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Signal } from "@headway/engine";
import { listManuals, type ManualLine, type Manuals, startManuals } from "@headway/manuals";
import { Refusal } from "../../exit-codes.ts";
import { placeOf, type SharedOptions } from "../../shared-options.ts";
import { whenFree } from "../../when-free.ts";

/** Runs `act` with the manuals pipeline opened where the options say, and closes it in any case. */
export async function withManuals<T>(
  options: SharedOptions,
  { work, onSignal }: { readonly work: boolean; readonly onSignal?: (signal: Signal) => void },
  act: (manuals: Manuals) => Promise<T>,
): Promise<T> {
  const { data, ...place } = placeOf(options);
  if (!work && "folder" in place.database && !existsSync(join(data, "data"))) {
    throw new Refusal(
      `There is nothing in ${data} yet: read a manual with "headway manuals ingest PATH" first.`,
    );
  }
  const manuals = await whenFree(() => startManuals({ data, ...place, work, ...(onSignal && { onSignal }) }));
  try {
    return await act(manuals);
  } finally {
    await manuals.stop().catch(() => undefined);
  }
}

/** The manual that is meant: its id, or the beginning of just one. */
export async function findManual({ engine }: Manuals, name: string): Promise<ManualLine> {
  const all = await listManuals(engine.database);
  const exact = all.find(({ id }) => id === name);
  const near = all.filter(({ id }) => id.toLowerCase().startsWith(name.toLowerCase()));
  const [found] = exact ? [exact] : near;
  if (!exact && near.length > 1)
    throw new Refusal(`${near.length} manuals begin with "${name}": write more of the name.`);
  if (found) return found;
  throw new Refusal(`There is no manual "${name}": "headway manuals list" shows all.`);
}
