import type { Queryable } from "./database.ts";
import { prepared, sql } from "./sql.ts";

/** Work may be due for the stages whose numbers are the payload. */
export const workChannel = "headway_work";
/** Policies, pauses or breakers have changed. */
export const controlChannel = "headway_controls";

/** Wakes whoever listens. A statement of its own: inside a transaction NOTIFY makes all committers wait for each other. */
export async function notify(db: Queryable, channel: string, payload: string): Promise<void> {
  await db.query(prepared("notify", sql`select pg_notify(${channel}, ${payload})`));
}
