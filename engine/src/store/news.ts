import type { Queryable } from "./database.ts";
import { prepared, sql } from "./sql.ts";

/** Tasks may be due for the stages in the payload. */
export const workChannel = "headway_work";
/** Policies, pauses or breakers have changed. */
export const controlChannel = "headway_controls";

/** Wakes all listeners. A separate statement: inside a transaction NOTIFY serialises all committers. */
export async function notify(db: Queryable, channel: string, payload: string): Promise<void> {
  await db.query(prepared("notify", sql`select pg_notify(${channel}, ${payload})`));
}
