import { type Engine, pipeline, stage, startEngine } from "@headway/engine";
import { draft, inputs } from "../pipeline.ts";
import type { Order } from "./order.ts";

/** Time from accepting a document on an idle engine until its stage starts, and until the commit. */
export async function wake({ database, count, elsewhere = false }: Order) {
  let begun: (at: number) => void = () => undefined;
  const watched = stage("watched", {
    reads: inputs,
    writes: [],
    // biome-ignore lint/correctness/useYield: an empty stage, like the peers' empty jobs.
    *run() {
      begun(performance.now());
    },
  });
  const common = { pipelines: [pipeline("waking", { stages: [watched] })], services: {}, database };
  const engine = await startEngine(common);
  const door = elsewhere ? await startEngine({ ...common, work: false }) : engine;
  const times: number[] = [];
  const whole: number[] = [];
  const committed: number[] = [];
  for (let round = -warmUps; round < count; round++) {
    const began = new Promise<number>((resolve) => {
      begun = resolve;
    });
    const done = nextDone(engine);
    const calledAt = performance.now();
    const handedIn = door.accept(draft(round + warmUps)).then(() => performance.now());
    const [from, beganAt, doneAt] = await Promise.all([handedIn, began, done]);
    if (round >= 0) times.push(Math.max(0, beganAt - from));
    if (round >= 0) whole.push(beganAt - calledAt);
    if (round >= 0) committed.push(Math.max(0, doneAt - from));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  if (door !== engine) await door.stop();
  await engine.stop();
  return { times, whole, committed };
}

const warmUps = 5;

const nextDone = (engine: Engine): Promise<number> =>
  new Promise((resolve) => {
    const stop = engine.onSignal(({ kind }) => {
      if (kind !== "task.done") return;
      stop();
      resolve(performance.now());
    });
  });
