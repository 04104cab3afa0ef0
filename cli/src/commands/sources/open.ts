import type { Database } from "@headway/engine";
import { isSources, readSource, type SourceRow } from "@headway/intake";
import { currentApp } from "../../app/current-app.ts";
import { withApp } from "../../compose.ts";
import { Refusal } from "../../exit-codes.ts";
import type { SharedOptions } from "../../shared-options.ts";
import { oneLine } from "../../terminal.ts";

/** The database of sources, made if there is none; the application has to run them. */
export async function withSources<T>(
  options: SharedOptions,
  act: (given: { readonly database: Database; readonly now: Date }) => Promise<T>,
): Promise<T> {
  refuseWithout();
  return await withApp(options, { work: false }, ({ engine }) =>
    act({ database: engine.database, now: new Date() }),
  );
}

export function refuseWithout(): void {
  if (currentApp().pipelines().some(isSources)) return;
  throw new Refusal(
    `${currentApp().file} runs no sources: add sources() of @headway/intake to its pipelines.`,
    2,
  );
}

export const noSource = (name: string) =>
  new Refusal(`There is no source "${oneLine(name)}"; "headway sources" lists them.`);

export async function mustRead(database: Database, name: string): Promise<SourceRow> {
  const row = await readSource(database, name);
  if (!row) throw noSource(name);
  return row;
}
