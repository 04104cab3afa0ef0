import { setTimeout as pause } from "node:timers/promises";
import { type WatchedWorld, waitFor } from "./world.ts";

/** Records each mark of a delivery as sent. */
export const noteMarks = ({ sql }: WatchedWorld) =>
  sql(`
    create table public.mark (delivery bigint);
    create function public.note_mark() returns trigger language plpgsql as $$
      begin insert into public.mark values (new.id); return null; end $$;
    create trigger note_mark after update on headway.alert_delivery for each row
      when (new.sent_at is distinct from old.sent_at) execute function public.note_mark()`);

/** From the death of a document to the notice at the receiver, in milliseconds, for faults never seen before. */
export async function measureCritical(world: WatchedWorld, rounds: number): Promise<number> {
  const { headway, bring, sink, sql } = world;
  await headway(["alerts", "rules", "set", "new-fault", "--severity", "critical", "--why", "measured"]);
  for (let round = 0; round < rounds; round++) {
    await bring([`odd ${1_000 + round}`]);
    // Deaths at every moment between two looks of the alerter.
    await pause(730);
  }
  const opened = () => sink.notices.filter(({ rule }) => rule === "new-fault");
  await waitFor("critical notices arrived", () => opened().length >= rounds);
  const deaths = await sql<{ key: string; at: Date }>(
    "select s.name || '/' || q.fingerprint as key, q.at from headway.alert_queue q join headway.stage s on s.id = q.stage",
  );
  const delays = opened().map(({ key, at }) => {
    const death = deaths.find((one) => one.key === key);
    return death ? at - death.at.getTime() : Number.POSITIVE_INFINITY;
  });
  await headway(["alerts", "rules", "reset", "new-fault", "--why", "measured"]);
  delays.sort((a, b) => a - b);
  return Math.round(delays[Math.ceil(0.95 * delays.length) - 1] ?? Number.POSITIVE_INFINITY);
}

/** Notices that were decided: arrived, lost, marked more than once. */
export async function countNotices({ sql, sink }: WatchedWorld) {
  const rows = await sql<{ notice: string; sent: boolean }>(
    "select notice, sent_at is not null as sent from headway.alert_delivery",
  );
  const arrived = new Set(sink.notices.map(({ id }) => id));
  const [twice] = await sql<{ deliveries: number }>(
    "select count(*)::int as deliveries from (select 1 from public.mark group by delivery having count(*) > 1) m",
  );
  return {
    sent: arrived.size,
    waiting: rows.filter(({ sent }) => !sent).length,
    lost: rows.filter(({ sent, notice }) => !sent || !arrived.has(notice)).length,
    markedTwice: twice?.deliveries ?? 0,
  };
}
