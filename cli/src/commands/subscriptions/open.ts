import { isReports, readSubscriptionRow, type SubscriptionRow } from "@headway/consensus";
import type { Database } from "@headway/engine";
import { currentApp } from "../../app/current-app.ts";
import { withApp } from "../../compose.ts";
import { Refusal } from "../../exit-codes.ts";
import type { SharedOptions } from "../../shared-options.ts";
import { oneLine } from "../../terminal.ts";

/** The database of subscriptions; the application has to send reports. */
export async function withSubscriptions<T>(
  options: SharedOptions,
  act: (given: { readonly database: Database; readonly now: Date }) => Promise<T>,
): Promise<T> {
  refuseWithoutReports();
  return await withApp(options, { work: false }, ({ engine }) =>
    act({ database: engine.database, now: new Date() }),
  );
}

export function refuseWithoutReports(): void {
  if (currentApp().pipelines().some(isReports)) return;
  throw new Refusal(
    `${currentApp().file} sends no reports: add reports() of @headway/consensus to its pipelines.`,
    2,
  );
}

export async function mustReadSubscription(database: Database, name: string): Promise<SubscriptionRow> {
  const row = await readSubscriptionRow(database, name);
  if (row) return row;
  throw new Refusal(`There is no subscription "${oneLine(name)}"; "headway subscriptions" lists them.`);
}
