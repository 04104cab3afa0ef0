import { sql } from "../../engine/src/store/sql.ts";
import type { Fleet } from "./fleet.ts";
import type { People } from "./people.ts";
import type { Deed } from "./plot.ts";
import type { SceneParts } from "./scene.ts";
import { clearUp } from "./weather.ts";

/** Starts workers, letters, and all faults and actions of the plot until the storm is over. */
export function raiseStorm(scene: SceneParts, fleet: Fleet, people: People): void {
  const { scheduler, plot, weather } = scene;
  fleet.start();
  for (const one of plot.correspondences) scheduler.after(0, null, () => void people.correspond(one));
  for (const { atMs, deed } of plot.acts) {
    scheduler.after(atMs, null, () => {
      scheduler.note(`! ${JSON.stringify(deed)}`);
      return perform(deed, scene, fleet, people);
    });
  }
  scheduler.after(plot.stormMs, null, () => {
    scheduler.note("! the storm is over");
    clearUp(weather);
  });
}

function perform(deed: Deed, scene: SceneParts, fleet: Fleet, people: People): void | Promise<void> {
  const { scheduler, weather } = scene;
  const later = (forMs: number, end: () => void) => void scheduler.after(forMs, null, end);
  switch (deed.kind) {
    case "crash":
      return fleet.crash(deed.worker, deed.at, deed.downMs);
    case "hang":
      return fleet.hang(deed.worker, deed.at, deed.forMs);
    case "stop":
      return fleet.stop(deed.worker, deed.downMs);
    case "jump":
      return fleet.jump(deed.worker, deed.byMs);
    case "lose session":
      return fleet.loseSession(deed.worker);
    case "database down":
      weather.databaseDown = true;
      return later(deed.forMs, () => {
        weather.databaseDown = false;
      });
    case "machine down":
      weather.servicesDown.add(deed.machine);
      return later(deed.forMs, () => weather.servicesDown.delete(deed.machine));
    case "rewrite":
      return void people.rewrite(deed.letter, deed.as);
    case "forget tasks":
      scene.looking = false;
      return forgetTasks(scene);
    case "pause":
    case "policy":
    case "requeue":
    case "retry":
    case "cancel":
    case "free worker":
      return void people.operate(deed);
  }
}

/** Deletes tasks owed for the first time and not claimed, as an accident. */
async function forgetTasks({ ground }: SceneParts): Promise<void> {
  await ground.real.query(sql`
    delete from headway.task t
    where not exists (select 1 from headway.done r where r.subject = t.subject and r.stage = t.stage)
      and not exists (select 1 from headway.claim c where t.subject = any (c.subjects) and c.stage = t.stage)`);
}
