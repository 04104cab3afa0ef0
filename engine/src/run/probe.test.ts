import { describe, expect, it } from "vitest";
import { z } from "zod";
import { collection } from "../define/collection.ts";
import { pipeline } from "../define/pipeline.ts";
import { service } from "../define/service.ts";
import { stage } from "../define/stage.ts";
import { openTestEngine } from "../testing.ts";

const drafts = collection("drafts", z.object({ text: z.string() }));
const notes = collection("notes", z.object({ text: z.string() }));
const stamps = collection("stamps", z.object({ text: z.string() }));
const press = service("press").as<{ print(text: string): Promise<string> }>();

/** Both need the press; `setting` comes first and has nothing to do. */
const setting = stage("setting", {
  reads: drafts,
  writes: [notes],
  needs: [press],
  async *run({ id, text }, { press }) {
    yield notes.document(id, { text: await press.print(text) });
  },
});
const stamping = stage("stamping", {
  reads: notes,
  writes: [stamps],
  needs: [press],
  async *run({ id, text }, { press }) {
    yield stamps.document(id, { text: await press.print(text) });
  },
});

describe("a dependency that is down", () => {
  it("is tried by a stage that has something to try it with, not by an idle one before it", async () => {
    let down = true;
    const print = async (text: string) => {
      if (down) throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
      return text;
    };
    const engine = await openTestEngine({
      pipelines: [pipeline("printing", { stages: [setting, stamping] })],
      services: { press: { print } },
    });
    try {
      await engine.accept(notes.document("one", { text: "Hello." }));
      const opened = () => engine.signals.some(({ kind }) => kind === "breaker.opened");
      for (let round = 0; round < 20 && !opened(); round++) {
        await engine.step();
        engine.clock.advance(1_000);
      }
      expect(opened()).toBe(true);
      down = false;
      // The first probe comes a second after the outage, the next probes later and later.
      for (let round = 0; round < 3; round++) {
        engine.clock.advance(1_000);
        await engine.step();
      }
      expect(await engine.all(stamps)).toHaveLength(1);
    } finally {
      await engine.close();
    }
  });
});
