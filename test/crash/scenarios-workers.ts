import { collection, pipeline, stage, transient } from "@headway/engine";
import { z } from "zod";
import { step, type World } from "../../engine/src/drill/world.ts";
import type { Lane } from "../../engine/src/run/lane.ts";
import type { TestEngine } from "../../engine/src/testing.ts";
import { gate, makeGate } from "./gate.ts";
import type { Scenario } from "./scenarios.ts";

const jobs = collection("jobs", z.object({ text: z.string() }));
const parts = collection("parts", z.object({ text: z.string() }));
const wholes = collection("wholes", z.object({ text: z.string() }));

const cutting = stage("cutting", {
  reads: jobs,
  writes: [parts],
  needs: [gate],
  announces: { done: "Cut", failed: "CuttingFailed" },
  async *run(job, { gate, attempt }) {
    for (const [index, text] of job.text.split(" ").entries()) {
      await gate.wait(`${job.id}/${index}`);
      if (text === "jam" && attempt === 1) throw transient("saw.jam", "it jams once");
      yield parts.document(`${job.id}/${index}`, { text });
    }
  },
});
const gluing = stage("gluing", {
  reads: parts,
  writes: [wholes],
  *run(part) {
    yield wholes.document(part.id, { text: `<${part.text}>` });
  },
});
const workshop = pipeline("jobs", { stages: [cutting, gluing] }) as never;

export const laneOf = (engine: TestEngine, stage: string): Lane =>
  engine.worker.lanes.find((lane) => lane.plan.stage.name === stage) as Lane;

const both = ["main", "other"] as const;

/** Two workers take turns, side by side. */
export const workers: Scenario = {
  name: "workers",
  pipelines: [workshop],
  many: true,
  ending: { document: 11, done: 7, dead: 0, task: 0 },
  make: () => ({
    services: { gate: makeGate() },
    async run(world) {
      await world.accept([jobs.document("1", { text: "a b" }), jobs.document("2", { text: "jam" })]);
      await sideBySide(world);
      await world.accept(jobs.document("3", { text: "c" }));
      await sideBySide(world);
      await world.drain({ names: both });
    },
  }),
};

async function sideBySide(world: World): Promise<void> {
  const first = await world.begin("main", step);
  const second = await world.begin("other", step);
  await world.join(first);
  await world.join(second);
}

const silence = 20_001;

/** A worker falls silent; the other evicts it and takes its tasks. */
async function takeOver(world: World): Promise<void> {
  world.clock.advance(silence);
  await world.act("other", (engine) => engine.worker.membership.beat());
  await world.act("other", (engine) => engine.worker.membership.evictDead());
}

/** An evicted worker finishes late, after newer work by its successor. */
export const zombie: Scenario = {
  name: "zombie",
  superseding: true,
  pipelines: [workshop],
  many: true,
  ending: { document: 8, done: 5, dead: 0, task: 0 },
  make: () => {
    const services = { gate: makeGate() };
    return {
      services,
      async run(world) {
        await world.accept([jobs.document("1", { text: "a b" }), jobs.document("2", { text: "c" })]);
        services.gate.stopAt("1/0");
        const late = await world.begin("main", step);
        await world.rest();
        services.gate.stopNowhere();
        await takeOver(world);
        await world.act("other", (engine) => engine.accept(jobs.document("1", { text: "n o" })));
        await world.drain({ names: ["other"] });
        services.gate.letGo();
        await world.join(late);
        await world.drain({ names: both });
      },
    };
  },
};

/** An evicted worker continues its stream while its successor streams too. */
export const streamingZombie: Scenario = {
  name: "streaming zombie",
  pipelines: [workshop],
  settings: { streamDocuments: 2 },
  many: true,
  ending: { document: 13, done: 7, dead: 0, task: 0 },
  make: () => {
    const services = { gate: makeGate() };
    return {
      services,
      async run(world) {
        await world.accept(jobs.document("1", { text: "a b c d e f" }));
        services.gate.stopAt("1/3");
        const late = await world.begin("main", step);
        await world.rest();
        await takeOver(world);
        services.gate.stopAt("1/5");
        const next = await world.begin("other", step);
        await world.rest();
        services.gate.stopAt("1/5");
        services.gate.letOneGo();
        await world.rest();
        services.gate.letGo();
        await world.join(late);
        await world.join(next);
        await world.drain({ names: both });
      },
    };
  },
};

/** An evicted worker reports a failure late: the task must not be charged. */
export const failingZombie: Scenario = {
  name: "failing zombie",
  faultsMax: 1,
  pipelines: [workshop],
  many: true,
  ending: { document: 5, done: 3, dead: 0, task: 0 },
  make: () => {
    const services = { gate: makeGate() };
    return {
      services,
      async run(world) {
        await world.accept(jobs.document("1", { text: "jam b" }));
        services.gate.stopAt("1/0");
        const late = await world.begin("main", step);
        await world.rest();
        await takeOver(world);
        services.gate.letGo();
        await world.join(late);
        await world.drain({ names: both });
      },
    };
  },
};

/** A result is committed, the answer is lost, and the document changes before the repeated write. */
export const overtaken: Scenario = {
  name: "overtaken",
  superseding: true,
  pipelines: [workshop],
  many: true,
  ending: { document: 8, done: 5, dead: 0, task: 0 },
  make: () => {
    const services = { gate: makeGate() };
    return {
      services,
      async run(world) {
        await world.accept([jobs.document("1", { text: "a" }), jobs.document("2", { text: "b" })]);
        services.gate.stopAt("2/0");
        const slow = await world.begin("main", step);
        await world.rest();
        services.gate.stopNowhere();
        await world.act("other", (engine) => engine.accept(jobs.document("1", { text: "y z" })));
        services.gate.letGo();
        await world.join(slow);
        await world.drain({ names: both });
      },
    };
  },
};
