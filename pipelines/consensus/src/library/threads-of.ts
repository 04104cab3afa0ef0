import { type Database, sql, texts } from "@headway/engine";

/** The thread of each message. */
export async function readThreadsOf(
  db: Database,
  messages: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ message: string; thread: string }>(sql`
    select m.message, t.id as thread
    from unnest(${texts(messages)}) as m (message)
    join headway_read.threads t
      on t.body -> 'messages' @> jsonb_build_array(jsonb_build_object('message', m.message))`);
  return new Map(rows.map(({ message, thread }) => [message, thread]));
}
