import type { Database, Queryable } from "../../engine/src/store/database.ts";
import type { Ground } from "./ground.ts";
import { makeNetwork, type NetworkParts, type Send } from "./network.ts";
import type { Process } from "./process.ts";
import { makeSessions } from "./sessions.ts";

/** A database server with its network, as seen by the processes of a run. */
export interface Server {
  /** One process's view of the database. */
  connect(process: Process): Database;
  send: Send;
  loseSession(process: Process): boolean;
}

/**
 * A transaction is one call: the in-memory database has one session, so no foreign statement can run in between,
 * and an interrupted transaction leaves nothing.
 */
export function makeServer(ground: Ground, parts: NetworkParts): Server {
  const { real } = ground;
  const send = makeNetwork(parts);
  const sessions = makeSessions(real, send, parts);
  const connect = (process: Process): Database => ({
    ...real,
    kind: "postgres",
    query: (statement) => {
      const what = ground.nameOf(statement);
      // A client that accepts again and then deletes relies on the first try having no later effect.
      const [accepts, commits] = [what.startsWith("accept"), what.startsWith("fresh")];
      const call = { what, alone: !accepts, commits: commits || accepts };
      return send(process, call, () => real.query(statement));
    },
    transaction(work) {
      const call = { what: "transaction", alone: false, commits: true };
      return send(process, call, () =>
        real.transaction(async (tx) => await work(noted(tx, (words) => parts.scheduler.note(words)))),
      );
    },
    listen: async (channel, heard) => listen(ground, parts, { process, channel, heard }),
    session: () => sessions.open(process),
    close: async () => undefined,
  });
  const noted = (tx: Queryable, note: (words: string) => void): Queryable => ({
    async query(statement) {
      const rows = await tx.query(statement);
      note(`  ${ground.nameOf(statement)}: ${rows.length} rows`);
      return rows as never[];
    },
  });
  return { connect, send, loseSession: sessions.lose };
}

interface Listening {
  readonly process: Process;
  readonly channel: string;
  readonly heard: (payload: string) => void;
}

/** Notifications arrive at a random time, not at all, or twice. */
function listen(
  ground: Ground,
  { scheduler, chance, weather, sometimes }: NetworkParts,
  { process, channel, heard }: Listening,
): () => Promise<void> {
  const deliver = (payload: string) =>
    void scheduler.after(chance.between(0.1, 30), process, () => heard(payload));
  const tell = (payload: string) => {
    if (process.state === "dead") return;
    if (chance.happens(weather.newsLostShare)) return sometimes.add("news is lost");
    deliver(payload);
    if (!chance.happens(weather.newsTwiceShare)) return;
    sometimes.add("news comes twice");
    deliver(payload);
  };
  const stop = ground.hear(channel, tell);
  process.atDeath.push(stop);
  return async () => stop();
}
