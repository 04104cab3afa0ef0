import { collection, permanent, pipeline, service, stage } from "@headway/engine";
import { z } from "zod";
import type { World } from "../../engine/src/drill/world.ts";
import { type ExportedDeadLetter, type Operator, openOperator } from "../../engine/src/operate.ts";
import type { Scenario } from "./scenarios.ts";

const parcels = collection("parcels", z.object({ text: z.string() }));
const stamps = collection("stamps", z.object({ text: z.string() }));

/** Works or fails, as the story demands. */
interface Machine {
  readonly broken: boolean;
}
const machine = service("machine").as<Machine>();

const stamping = stage("stamping", {
  reads: parcels,
  writes: [stamps],
  needs: [machine],
  announces: { done: "Stamped", failed: "StampingFailed" },
  *run(parcel, { machine }) {
    if (machine.broken) throw permanent("machine.broken", "the machine is broken");
    yield stamps.document(parcel.id, { text: `${parcel.text} stamped` });
  },
});
const post = pipeline("parcels", { stages: [stamping] }) as never;

/** An action at the command line, repeated by its person after an interruption. */
const operate = <T>(world: World, act: (operator: Operator) => Promise<T>): Promise<T> =>
  world.act("main", async ({ database }) =>
    act(await openOperator({ database, clock: world.clock, actor: "ann", environment: {} })),
  );

const someParcels = (count: number) =>
  Array.from({ length: count }, (_, index) => parcels.document(`p${index}`, { text: `parcel ${index}` }));

/** Dead letters are requeued by hand, in steps and all at once; each completes once. */
export const requeue: Scenario = {
  name: "requeue",
  pipelines: [post],
  ending: { document: 14, done: 7, dead: 0, task: 0 },
  make: () => {
    const services = { machine: { broken: true } };
    return {
      services,
      async run(world) {
        await world.accept(someParcels(7));
        await world.drain();
        services.machine.broken = false;
        const filter = { code: "machine.broken" };
        // One, then two, as `headway failed requeue --ramp` does; then the rest without waiting.
        for (let step = 0; step < 2; step++) {
          await operate(world, async (operator) => {
            const ramp = await operator.openRamp(filter);
            return ramp === null ? await operator.startRamp(filter) : await operator.continueRamp(ramp);
          });
          await world.drain();
        }
        await operate(world, (operator) => operator.requeueDead(filter, { limit: 2 }));
        await operate(world, (operator) => operator.requeueDead(filter));
        await world.drain();
      },
    };
  },
};

async function exportAll(operator: Operator): Promise<ExportedDeadLetter[]> {
  const letters: ExportedDeadLetter[] = [];
  for await (const letter of operator.exportDead()) letters.push(letter);
  return letters;
}

/** Purged dead letters are imported from an export, once; some are then requeued. */
export const purgeAndImport: Scenario = {
  name: "purge and import",
  pipelines: [post],
  ending: { document: 8, done: 3, dead: 2, task: 0 },
  make: () => {
    const services = { machine: { broken: true } };
    return {
      services,
      async run(world) {
        await world.accept(someParcels(5));
        await world.drain();
        services.machine.broken = false;
        const kept = await operate(world, exportAll);
        await operate(world, (operator) => operator.purgeDead({}));
        await operate(world, (operator) => operator.importDead(kept));
        const back = await operate(world, exportAll);
        if (JSON.stringify(back) !== JSON.stringify(kept)) throw new Error("It did not come back as it was.");
        await operate(world, (operator) => operator.requeueDead({ documents: ["p0", "p1", "p2"] }));
        await world.drain();
      },
    };
  },
};
