import { describe, expect, it } from "vitest";
import { pipeline, stage } from "../../engine/src/index.ts";
import { openOperator } from "../../engine/src/operate.ts";
import type { TestEngine } from "../../engine/src/testing.ts";
import { copies, manyNotes, notes, reports } from "../fixtures/notes.ts";
import { useVirtualEngines } from "../support/virtual-engines.ts";

const engines = useVirtualEngines();

const operatorOf = ({ database, clock }: TestEngine) => openOperator({ database, clock, actor: "ann" });

/** Notes how many documents are worked on at once, and in which order. */
function watched(spec: { concurrency?: number; waitMs?: number } = {}) {
  const seen: string[] = [];
  let now = 0;
  let most = 0;
  const copying = stage("copying", {
    reads: notes,
    writes: [copies],
    ...(spec.concurrency !== undefined && { concurrency: spec.concurrency }),
    async *run(note) {
      seen.push(note.id);
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      yield copies.document(note.id, { text: note.text });
    },
  });
  const takeMost = () => {
    const was = most;
    most = 0;
    return was;
  };
  return { copying, seen, takeMost };
}

describe("settings of a stage, changed while it runs", () => {
  it("limit documents at a time below the code's limit, above it, and as the code says after a reset", async () => {
    const { copying, takeMost } = watched({ concurrency: 3 });
    const engine = await engines.open({
      pipelines: [pipeline("office", { stages: [copying] })],
      services: {},
    });
    const operator = await operatorOf(engine);
    const mostOf = async (batch: string) => {
      await engine.accept(manyNotes(12, (index) => `${batch} ${index}`));
      await engine.drain();
      return takeMost();
    };
    expect(await mostOf("first")).toBe(3);
    await operator.setSettings({ stage: "copying", change: { concurrency: 1 }, why: "a small machine" });
    expect(await mostOf("second")).toBe(1);
    await operator.setSettings({ stage: "copying", change: { concurrency: 6 } });
    expect(await mostOf("third")).toBe(6);
    await operator.setSettings({ stage: "copying", change: { concurrency: null } });
    expect(await mostOf("fourth")).toBeGreaterThan(6);
    expect(await operator.resetSetting({ stage: "copying", setting: "concurrency" })).toEqual({
      changed: true,
    });
    expect(await mostOf("fifth")).toBe(3);
    expect(await operator.settingHistory()).toMatchObject([
      { setting: "concurrency", before: null, after: null, unlimited: false },
      { before: 6, after: null, unlimited: true },
      { before: 1, after: 6 },
      { before: null, after: 1, changed_by: "ann", why: "a small machine" },
    ]);
    const acts = (await operator.audit()).map(({ act, target }) => [act, target]);
    expect(acts[0]).toEqual(["stage.reset", "copying"]);
    expect(acts[3]).toEqual(["stage.set", "copying"]);
  });

  it("stop a stage from running ahead, and give it a rate", async () => {
    const first = stage("first", {
      reads: notes,
      writes: [copies],
      *run(note) {
        yield copies.document(note.id, { text: note.text });
      },
    });
    const second = stage("second", {
      reads: copies,
      writes: [reports],
      *run(copy) {
        yield reports.document(copy.id, { text: copy.text });
      },
    });
    const engine = await engines.open({
      pipelines: [pipeline("office", { stages: [first, second] })],
      services: {},
      settings: { runAhead: true },
    });
    const operator = await operatorOf(engine);
    await operator.setSettings({ stage: "second", change: { rate: { limit: 2, per: "1m" } } });
    await engine.accept(manyNotes(5));
    await engine.drain({ advance: false });
    const doneOf = async () => (await operator.status()).find((line) => line.stage === "second")?.done;
    expect(await doneOf()).toBe(2);
    engine.clock.advance(60_000);
    await engine.drain({ advance: false });
    expect(await doneOf()).toBe(4);
    await operator.setSettings({ stage: "second", change: { rate: null } });
    await engine.drain({ advance: false });
    expect(await doneOf()).toBe(5);
  });

  it("end an attempt at the new timeout", async () => {
    const waiting = stage("waiting", {
      reads: notes,
      writes: [copies],
      retry: { attempts: 1 },
      async *run(note, { signal }) {
        const over = new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        });
        // The time limit counts from the first wait.
        await null;
        clock.advance(5_000);
        await over;
        yield copies.document(note.id, { text: note.text });
      },
    });
    const engine = await engines.open({
      pipelines: [pipeline("office", { stages: [waiting] })],
      services: {},
    });
    const { clock } = engine;
    const operator = await operatorOf(engine);
    await operator.setSettings({ stage: "waiting", change: { timeout: "5s" } });
    await engine.accept(manyNotes(1));
    await engine.drain({ advance: false });
    const [dead] = await operator.listDead({});
    expect(dead).toMatchObject({ code: "stage.timeout" });
    expect(dead?.message).toContain("limit of 5000 ms");
  });

  it("say which of two stages goes first, and a document's priority which document", async () => {
    const order: string[] = [];
    const make = (name: string, priority: number) =>
      stage(name, {
        reads: notes,
        writes: [copies],
        priority,
        async *run(note) {
          order.push(`${name} ${note.id.at(-1)}`);
          yield copies.document(`${name}-${note.id}`, { text: note.text });
        },
      });
    const stages = [make("low", 1), make("high", 9)];
    const engine = await engines.open({ pipelines: [pipeline("office", { stages })], services: {} });
    const operator = await operatorOf(engine);
    await engine.accept(manyNotes(3));
    await operator.retryNow({ collection: "notes", id: "note-00002" }, { priority: 5 });
    await engine.drain();
    expect(order).toEqual(["high 2", "high 0", "high 1", "low 2", "low 0", "low 1"]);
    order.length = 0;
    await operator.setSettings({ stage: "low", change: { priority: 10 } });
    await engine.accept(manyNotes(1, () => "changed"));
    await engine.drain();
    expect(order).toEqual(["low 0", "high 0"]);
  });

  it("are listed with their origin, refused when impossible, and kept over a start with other code", async () => {
    const open = (concurrency: number) =>
      engines.open({
        pipelines: [pipeline("office", { stages: [watched({ concurrency }).copying] })],
        services: {},
      });
    const engine = await open(3);
    const operator = await operatorOf(engine);
    const change = { timeout: "1m", rate: { limit: 10, per: "1s" } } as const;
    const dry = await operator.setSettings({ stage: "copying", change }, { dryRun: true });
    expect(dry).toEqual({
      timeoutMs: 60_000,
      concurrency: 3,
      rate: { limit: 10, perMs: 1_000 },
      priority: 0,
    });
    expect((await operator.listSettings()).every(({ from }) => from !== "operator")).toBe(true);
    await operator.setSettings({ stage: "copying", change });
    await open(5);
    const lines = await operator.listSettings();
    expect(lines.map(({ setting, value, from }) => [setting, value, from])).toEqual([
      ["timeoutMs", 60_000, "operator"],
      ["concurrency", 5, "code"],
      ["rate", { limit: 10, perMs: 1_000 }, "operator"],
      ["priority", 0, "default"],
    ]);
    const refused = (impossible: object) =>
      expect(operator.setSettings({ stage: "copying", change: impossible })).rejects;
    await refused({ concurrency: 0 }).toThrow(/it must be a whole number from 1/);
    await refused({ rate: { limit: 0.5, per: "1s" } }).toThrow(/the rate limit is 0.5/);
    await refused({ priority: 2_000 }).toThrow(/from -1000 to 1000/);
    await refused({}).toThrow(/Say what to change/);
    await expect(operator.setSettings({ stage: "none", change: { priority: 1 } })).rejects.toThrow(
      /There is no stage "none"/,
    );
  });
});
