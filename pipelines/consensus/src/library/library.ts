import { type Database, type DocumentOf, notFoundYet, sql, texts } from "@headway/engine";
import type { messages, threads } from "../collections.ts";
import { digestOf, threadDigest } from "../identity.ts";

type Thread = DocumentOf<typeof threads>;
type Message = DocumentOf<typeof messages>;

/** A message as seen by the stages of its thread. */
export type Post = Pick<Message, "id" | "from" | "date" | "subject" | "clean"> & {
  readonly parent: string | null;
};

export interface Library {
  /**
   * The messages of a thread, in its order, with the exact words used for the thread. The thread holds their digests,
   * so changes cause reprocessing, although the engine does not see these reads.
   */
  posts(thread: Pick<Thread, "id" | "messages">): Promise<Post[]>;
  /** The same for a thread by id, in the version with this digest. */
  postsOf(thread: string, digest: string): Promise<Post[]>;
}

export function makeLibrary(database: Promise<Database>): Library {
  const readMessages = together(async (ids) =>
    readBodies<Pick<Message, "from" | "date" | "subject" | "clean">>(await database, "messages", ids, unread),
  );
  const readThreads = together(async (ids) => readBodies<Thread>(await database, "threads", ids));
  const posts: Library["posts"] = async (thread) => {
    const rows = await readMessages(thread.messages.map(({ message }) => message));
    return thread.messages.map(({ message, parent, digest }) => {
      const found = rows.get(message);
      if (!found || digestOf(found) !== digest) throw changed(`The message ${message} of ${thread.id}`);
      const { from, date, subject, clean } = found;
      return { id: message, parent, from, date, subject, clean };
    });
  };
  return {
    posts,
    async postsOf(id, digest) {
      const thread = (await readThreads([id])).get(id);
      if (!thread || threadDigest(thread) !== digest) throw changed(`The thread ${id}`);
      return await posts({ id, messages: thread.messages });
    },
  };
}

/** Short-lived: the changed thread causes a new task, which asks again. */
const changed = (what: string) =>
  notFoundYet("thread.changed", `${what} has changed; what follows from it will, too.`);

type Read<Body> = (ids: readonly string[]) => Promise<ReadonlyMap<string, Body>>;

/** Queries of several stages in one turn are combined: a round trip costs more than its rows. */
function together<Body>(read: Read<Body>): Read<Body> {
  let asked: { readonly ids: Set<string>; readonly answer: Promise<ReadonlyMap<string, Body>> } | null = null;
  return (ids) => {
    if (!asked) {
      const all = new Set<string>();
      const answer = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        asked = null;
        return read([...all]);
      });
      asked = { ids: all, answer };
    }
    for (const id of ids) asked.ids.add(id);
    return asked.answer;
  };
}

/** Fields of a message not needed in a post: more than half of its size. */
const unread = ["text", "removed", "attachments", "references", "occurrences", "flags"];

/** Bodies of documents by id, without some fields. */
export async function readBodies<Body extends object>(
  db: Database,
  collection: string,
  ids: readonly string[],
  without: readonly string[] = [],
): Promise<Map<string, Body>> {
  const rows = await db.query<{ id: string; body: Body }>(sql`
    select d.id, d.body - ${texts(without)} as body
    from headway.document d
    join headway.collection c on c.id = d.collection and c.name = ${collection}
    where d.id = any (${texts(ids)}) and d.gone_at is null`);
  return new Map(rows.map(({ id, body }) => [id, body]));
}
