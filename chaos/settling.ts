import { setTimeout as pause } from "node:timers/promises";
import { sql } from "../engine/src/store/sql.ts";
import type { Violation } from "./evidence.ts";
import type { HouseOptions } from "./house.ts";
import type { World } from "./world.ts";

const settleMaxMs = 600_000;
/** An engine broken on purpose may never settle, and need not. */
const brokenMaxMs = 20_000;
/**
 * The longest possible wait, an attempt hanging until its timeout: without progress for longer, there will be none.
 */
const standstillMs = 80_000;

/** Ends all faults: from here on everything has to settle by itself. */
export async function settle(
  world: World,
  { tell, broken }: Pick<HouseOptions, "tell" | "broken">,
): Promise<number | null> {
  const longestMs = broken ? brokenMaxMs : settleMaxMs;
  const { gates, sourceGate, oracle, broker, fleet, feeder, operator, direct } = world;
  for (const gate of [...gates, sourceGate]) {
    gate.delay(0);
    gate.release("deliver");
  }
  oracle.mood = "well";
  oracle.mended = true;
  broker?.heal();
  for (const one of fleet.living) if (one.frozen) fleet.thaw(one);
  await feeder.finish();
  for (const { stage, paused } of await operator.status()) if (paused) await operator.resumeStage(stage);
  const startedAt = Date.now();
  tell("The storm is over.");
  // Torn parcels died before the repair; a person requeues them, including later deaths.
  let [moved, last] = [startedAt, -1];
  for (let told = 0; Date.now() - startedAt < longestMs && Date.now() - moved < standstillMs; ) {
    const { requeued } = await operator.requeueDead({ stage: "opening", code: "parcel.torn" });
    const [row] = await direct.query<{ left: number }>(sql`
      select (select count(*) from headway.task) + (select count(*) from headway.claim)
        + (select count(*) from headway.document where gone_at is not null)
        + (select count(*) from headway.outbox where relayed_at is null) as left`);
    if (row && row.left !== last) [moved, last] = [Date.now(), row.left];
    if (row?.left === 0 && requeued === 0) return Date.now() - startedAt;
    if (Date.now() - told > 5_000) {
      told = Date.now();
      tell(`${Math.round((told - startedAt) / 1_000)} s after it: ${row?.left} left.`);
    }
    await pause(200);
  }
  return null;
}

/** Every survivor works again: no worker hangs for ever on a cut connection. */
export async function checkFleet({ fleet, direct }: World): Promise<Violation[]> {
  const collapsed = fleet.collapses.map((story) => ({
    promise: "Whatever happens outside, a worker does not end by itself",
    harm: "other" as const,
    story,
  }));
  for (let tries = 0; ; tries++) {
    const rows = await direct.query<{ name: string }>(sql`
      select name from headway.worker where evicted_at is null and heartbeat_at > clock_timestamp() - interval '2 seconds'`);
    const beating = new Set(rows.map((row) => row.name));
    const absent = fleet.living.filter((one) => !beating.has(one.name));
    if (absent.length === 0) return collapsed;
    if (tries > 150)
      return absent
        .map(({ name }) => ({
          promise: "Whoever lives through it works again",
          harm: "other" as const,
          story: `${name} lives and has no heartbeat`,
        }))
        .concat(collapsed);
    await pause(200);
  }
}
