import type { Held } from "../../engine/src/store/claims.ts";
import type { Commit } from "../../engine/src/store/commit.ts";
import type { Database, Queryable } from "../../engine/src/store/database.ts";
import type { LookedAt } from "../../engine/src/store/looks.ts";
import { markGone, writeOutputs } from "../../engine/src/store/outputs.ts";
import { int2s, int8s, sql, texts } from "../../engine/src/store/sql.ts";
import { store as real, type Store } from "../../engine/src/store/store.ts";
import { oweNew } from "../../engine/src/store/tasks.ts";
import { acknowledgeFirst, tellLater, writeRefused, yieldsOf } from "../support/broken-stores.ts";

/** An engine broken on purpose: a sweep without a finding is itself broken. */
export interface Variant {
  readonly name: string;
  readonly store: Partial<Store>;
  /** Scenarios to search. */
  readonly scenarios: readonly string[];
}

const subjectsOf = ({ finished }: Commit) => finished.map((one) => one.subject);

/** Restores a claim ended by another worker. */
const holdAnyway = (db: Database, { claim, worker, stage }: Held, subjects: readonly number[]) =>
  db.query(sql`
    insert into headway.claim (id, worker, stage, subjects, at)
    values (${claim}, ${worker}, ${stage}, ${int8s(subjects)}, now())
    on conflict (id) do nothing`);

const noFence: Variant = {
  name: "a commit does not look whether its claim is still there",
  scenarios: ["streaming zombie"],
  store: {
    async commitResults(db, commit) {
      await holdAnyway(db, commit, subjectsOf(commit));
      return await real.commitResults(db, commit);
    },
    async commitPart(db, part) {
      await holdAnyway(db, part, [part.yielded.producer.subject]);
      return await real.commitPart(db, part);
    },
  },
};

const lateWrites: Variant = {
  name: "a refused result is written all the same",
  scenarios: ["zombie"],
  store: writeRefused(real),
};

const markerFirst: Variant = {
  name: "the marker is written before the outputs",
  scenarios: ["map"],
  store: {
    async commitResults(db, commit) {
      const finished = commit.finished.map((one) => ({ ...one, outputs: [] }));
      const committed = await real.commitResults(db, { ...commit, finished });
      if (committed.kind === "refused") return committed;
      const { flow, numbers, now, stage } = commit;
      const write = { yields: yieldsOf(commit), flow, numbers, now, partial: false, stamp: null };
      await db.transaction((tx) => writeOutputs(tx, write));
      for (const { subject, outputs } of commit.finished) {
        await db.query(sql`
          update headway.done set outputs = ${outputs.length} where subject = ${subject} and stage = ${stage}`);
      }
      return committed;
    },
  },
};

const removeFirst: Variant = {
  name: "old outputs are removed before the new ones are written",
  scenarios: ["change", "stream"],
  store: {
    async commitResults(db, commit) {
      await db.transaction(async (tx) => {
        const rows = await tx.query<{ subject: number }>(sql`
          select subject from headway.document
          where producer_stage = ${commit.stage} and producer = any (${int8s(subjectsOf(commit))})`);
        const again = commit.finished.some((one) => !one.first && !one.unchanged && !one.streamed);
        if (again)
          await markGone(
            tx,
            rows.map((row) => row.subject),
            commit.now,
          );
      });
      return await real.commitResults(db, commit);
    },
  },
};

const endFirst: Variant = {
  name: "a task is acknowledged before its result is committed",
  scenarios: ["map"],
  store: acknowledgeFirst(real),
};

const countTwice: Variant = {
  name: "an attempt is counted twice",
  scenarios: ["retry"],
  store: {
    commitUnfinished: (db, unfinished) => {
      const postponed = unfinished.postponed.map((one) =>
        one.attempted ? { ...one, attempts: one.attempts + 1 } : one,
      );
      return real.commitUnfinished(db, { ...unfinished, postponed });
    },
  },
};

const chargeOutages: Variant = {
  name: "an outage uses up attempts",
  scenarios: ["held"],
  store: {
    commitUnfinished: (db, unfinished) => {
      const postponed = unfinished.postponed.map((one) =>
        one.reason.startsWith("held") ? { ...one, attempts: one.attempts + 1 } : one,
      );
      return real.commitUnfinished(db, { ...unfinished, postponed });
    },
  },
};

const eventsLater: Variant = {
  name: "events are written after the commit",
  scenarios: ["map"],
  store: tellLater(real),
};

const relayFirst: Variant = {
  name: "events count as told before they are told",
  scenarios: ["map"],
  store: {
    async relayEvents(db, limit, publish, now) {
      const told: Parameters<typeof publish>[0][number][] = [];
      const events = await real.relayEvents(db, limit, async (some) => void told.push(...some), now);
      // The next call is the network, with a possible crash before it.
      await db.query(sql`select 1`);
      if (told.length > 0) await publish(told);
      return events;
    },
  },
};

const oweLater: Variant = {
  name: "the next stages are owed after the commit",
  scenarios: ["map"],
  store: {
    async commitResults(db, commit) {
      const { flow, stage, now } = commit;
      const committed = await real.commitResults(db, { ...commit, flow: { ...flow, readers: new Map() } });
      if (committed.kind === "refused") return committed;
      const rows = await db.query<{ subject: number; collection: number; rank: number }>(sql`
        select subject, collection, rank from headway.document
        where producer_stage = ${stage} and producer = any (${int8s(subjectsOf(commit))})`);
      const owed = rows.flatMap(({ subject, collection, rank }) =>
        (flow.readers.get(collection) ?? []).map((next) => ({ subject, stage: next, rank })),
      );
      if (owed.length > 0) await oweNew(db, owed, now);
      return committed;
    },
  },
};

const evictHalf: Variant = {
  name: "a dead worker is marked, but what it held is not freed",
  scenarios: ["map"],
  store: {
    async evictWorker(db, { worker, because, now }) {
      const rows = await db.query(sql`
        update headway.worker set evicted_at = ${now}, evicted_because = ${because}
        where id = ${worker} and evicted_at is null returning 1`);
      return rows.length > 0 ? 0 : null;
    },
  },
};

const reapParents: Variant = {
  name: "a removed document leaves its children behind",
  scenarios: ["erase"],
  store: {
    async reapPage(db, { limit }) {
      return await db.transaction(async (tx) => {
        const gone = await tx.query<{ subject: number }>(sql`
          select subject from headway.document where gone_at is not null order by subject limit ${limit}`);
        const subjects = int8s(gone.map((row) => row.subject));
        await tx.query(sql`delete from headway.done where subject = any (${subjects})`);
        await tx.query(sql`delete from headway.document where subject = any (${subjects})`);
        return gone.length;
      });
    },
  },
};

/** The statements of a commit, without the part for projections. */
const unprojected = (text: string) => text.replaceAll(/headway\.(un)?project\(/g, "num_nulls(");

function blindTo(db: Database, hide: (text: string) => string): Database {
  const blind = (one: Queryable): Queryable => ({
    query: ({ text, values, name }) =>
      one.query({ text: hide(text), values, ...(name && { name: `${name}blind` }) }),
  });
  const transaction: Database["transaction"] = (act) => db.transaction((tx) => act(blind(tx)));
  return { ...db, ...blind(db), transaction };
}

const projectLater: Variant = {
  name: "a projection is written after the commit",
  scenarios: ["reading"],
  store: {
    async commitResults(db, commit) {
      const committed = await real.commitResults(blindTo(db, unprojected), commit);
      const all = [...commit.finished, ...(commit.ahead?.finished ?? [])];
      const outputs = all.flatMap((one) => one.outputs);
      if (committed.kind === "committed" && outputs.length > 0)
        await db.query(sql`select headway.project(${int2s(outputs.map((one) => one.collection))},
          ${texts(outputs.map((one) => one.id))}, ${texts(outputs.map((one) => one.json))})`);
      return committed;
    },
  },
};

const keepRemoved: Variant = {
  name: "a projection keeps removed documents",
  scenarios: ["reading"],
  store: {
    commitResults: (db, commit) =>
      real.commitResults(
        blindTo(db, (text) => text.replaceAll("headway.unproject(", "num_nulls(")),
        commit,
      ),
  },
};

const oweNoLookers: Variant = {
  name: "a changed look-up owes nothing",
  scenarios: ["reading"],
  store: {
    commitResults: (db, commit) =>
      real.commitResults(db, { ...commit, flow: { ...commit.flow, lookers: new Map() } }),
  },
};

const lookLate: Variant = {
  name: "a look-up counts as seen at the commit, not at the look",
  scenarios: ["overlooked"],
  store: {
    async commitResults(db, commit) {
      const seen = async ({ collection, id }: LookedAt): Promise<LookedAt> => {
        const [row] = await real.readLooked(db, { collection, ids: [id], fields: null });
        return { collection, id, hash: row?.hash ?? null };
      };
      const finished = await Promise.all(
        commit.finished.map(async (one) => ({
          ...one,
          looks: one.looks && { ...one.looks, looked: await Promise.all(one.looks.looked.map(seen)) },
        })),
      );
      return await real.commitResults(db, { ...commit, finished });
    },
  },
};

export const variants: readonly Variant[] = [
  noFence,
  lateWrites,
  markerFirst,
  removeFirst,
  endFirst,
  countTwice,
  chargeOutages,
  eventsLater,
  relayFirst,
  oweLater,
  evictHalf,
  reapParents,
  projectLater,
  keepRemoved,
  oweNoLookers,
  lookLate,
];
