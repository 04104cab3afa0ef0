import { brokerStrikes, type StormPlan, type StrikeKind, strikeKinds } from "./storm.ts";
import type { World } from "./world.ts";

/** Hard situations with their evidence. A storm that never met a situation has proved nothing about it. */
const situations: readonly { what: string; met: (world: World) => number; needs: StrikeKind }[] = [
  { what: "a zombie's late result is refused", needs: "freeze at a point", met: heard("commit.refused") },
  {
    what: "a worker that was declared dead goes on under a new number",
    needs: "freeze one",
    met: heard("worker.lost"),
  },
  { what: "a dead worker is evicted", needs: "kill one", met: heard("worker.evicted") },
  {
    what: "a commit is repeated because its answer was lost",
    needs: "end sessions",
    met: heard("commit.failed"),
  },
  {
    what: "workers notice that the database is lost",
    needs: "restart the database",
    met: heard("database.lost"),
  },
  {
    what: "workers notice that the database is back",
    needs: "restart the database",
    met: heard("database.back"),
  },
  { what: "a breaker opens", needs: "oracle misbehaves", met: heard("breaker.opened", "breaker.probed") },
  { what: "a breaker closes", needs: "oracle misbehaves", met: heard("breaker.closed") },
  { what: "a batch is halved", needs: "kill one", met: heard("batch.halved") },
  { what: "a document dies and it is told", needs: "kill one", met: heard("task.died") },
  { what: "a document is put off and tried again", needs: "kill one", met: heard("task.retried") },
  {
    what: "an event is told twice",
    needs: "kill at a point",
    met: ({ fleet }) => [...fleet.told.values()].filter(({ times }) => times > 1).length,
  },
  {
    what: "who hands in does not hear whether it was taken",
    needs: "cut off the source",
    met: ({ feeder }) => [...feeder.handed.values()].filter((one) => !one.acknowledged).length,
  },
  { what: "workers notice that the broker is lost", needs: "restart the broker", met: heard("broker.lost") },
  { what: "workers notice that the broker is back", needs: "restart the broker", met: heard("broker.back") },
  {
    what: "somebody outside hears events",
    needs: "restart the broker",
    met: ({ broker }) => broker?.ears.heard.size ?? 0,
  },
  {
    what: "what was lost is owed again",
    needs: "lose tasks",
    met: (world) => world.log.met.get("lost tasks are owed again") ?? 0,
  },
];

/** The reporting worker may have been killed before the end of its line, so some situations have several signs. */
function heard(...kinds: readonly string[]) {
  return ({ fleet }: World) => kinds.reduce((sum, kind) => sum + (fleet.counts.get(kind) ?? 0), 0);
}

/** Counts per situation; strikes first. */
export function countSituations(world: World, plan: StormPlan): Map<string, number> {
  const kinds = Object.keys({ ...strikeKinds, ...(plan.broker && brokerStrikes) }) as StrikeKind[];
  const planned = kinds.filter(
    (kind) => (!plan.only || plan.only.includes(kind)) && (world.smallDisk || kind !== "disk full"),
  );
  return new Map([
    ...planned.map((kind) => [kind, world.log.met.get(kind) ?? 0] as const),
    ...situations
      .filter(({ needs }) => planned.includes(needs))
      .map(({ what, met }) => [what, met(world)] as const),
  ]);
}
