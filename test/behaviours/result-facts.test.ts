import { describe, expect, it } from "vitest";
import type { Notice } from "../../engine/src/decide/alert-text.ts";
import type { Channel } from "../../engine/src/dispatch/alert-channel.ts";
import { batchStage, groupStage, pipeline, service, stage } from "../../engine/src/index.ts";
import { openOperator } from "../../engine/src/operate.ts";
import type { TestEngine } from "../../engine/src/testing.ts";
import { copies, notes, reports } from "../fixtures/notes.ts";
import { useVirtualEngines } from "../support/virtual-engines.ts";

const engines = useVirtualEngines();

const operatorOf = ({ database, clock }: TestEngine) => openOperator({ database, clock, actor: "ann" });

/** Copies each line; a note of blanks has none. */
const copying = (version = "1") =>
  stage("copying", {
    reads: notes,
    writes: [copies],
    version,
    expects: { outputs: "some" },
    *run(note) {
      const lines = note.text.split("\n").filter((line) => version !== "1" || line.trim() !== "");
      for (const [index, text] of lines.entries()) yield copies.document(`${note.id}/${index}`, { text });
    },
  });

const note = (id: string, text: string, topic = "any") => notes.document(id, { text, topic });

describe("a stage that expects results", () => {
  it("turns no outputs into a finding: explain, status, a signal and the list, and the task is done", async () => {
    const engine = await engines.open({
      pipelines: [pipeline("office", { stages: [copying()] })],
      services: {},
    });
    await engine.accept([note("empty", "  "), note("full", "one\ntwo")]);
    await engine.drain();
    const operator = await operatorOf(engine);
    const [stage] = (await operator.explain({ collection: "notes", id: "empty" })).stages;
    expect(stage).toMatchObject({
      state: "done",
      because: "unexpected",
      result: { finding: "no outputs", outputs: 0 },
    });
    expect((await operator.explain({ collection: "notes", id: "full" })).stages[0]).toMatchObject({
      because: "done",
      result: { finding: null, outputs: 2 },
    });
    expect((await operator.status())[0]).toMatchObject({ done: 2, unexpected: 1, balanced: true });
    expect(await operator.findings()).toMatchObject([
      { stage: "copying", collection: "notes", id: "empty", outputs: 0, finding: "no outputs" },
    ]);
    const told = engine.signals.filter(({ kind }) => kind === "task.unexpected");
    expect(told).toMatchObject([{ documentId: "empty", finding: "no outputs" }]);
  });

  it("raises an alert by the shipped rule, which ends when another result is as expected", async () => {
    const notices: Notice[] = [];
    const sink: Channel = {
      name: "webhook",
      targets: ["sink"],
      send: async (notice) => void notices.push(notice),
    };
    const open = (version: string) =>
      engines.open({
        pipelines: [pipeline("office", { stages: [copying(version)] })],
        services: {},
        channels: [sink],
      });
    const first = await open("1");
    await first.accept([note("empty", "  ")]);
    await first.drain();
    await first.worker.alert();
    await first.worker.alert();
    expect(notices.map(({ subject }) => subject)).toEqual(["[medium] copying: 1 unexpected result"]);
    expect(notices[0]?.text).toContain("headway unexpected --stage copying");
    const second = await open("2");
    const operator = await operatorOf(second);
    await operator.reprocess({ stage: "copying", stale: true });
    await second.drain();
    expect(await operator.findings()).toEqual([]);
    second.clock.advance(120_000);
    await second.worker.alert();
    expect((await operator.listAlerts({ state: "open" })).length).toBe(0);
  });

  it("asks a function about the input and its own outputs, in a batch for each, and for a group", async () => {
    const batching = batchStage("batching", {
      reads: notes,
      writes: [copies],
      batch: 8,
      expects: (note, outputs) => (outputs.length < note.text.length ? `${note.id} lacks copies` : undefined),
      *run(batch) {
        for (const note of batch) {
          yield [note];
          if (note.text.length < 3)
            for (const [index, text] of [...note.text].entries())
              yield [note, copies.document(`${note.id}/${index}`, { text })];
        }
      },
    });
    const grouping = groupStage("grouping", {
      reads: notes,
      writes: [reports],
      per: (note) => note.topic ?? "none",
      expects: ({ key, documents }, outputs) =>
        outputs.length === 0 ? `${key}: ${documents.length} notes` : null,
      *run({ key, documents }) {
        if (documents.length > 1) yield reports.document(key, { text: key });
      },
    });
    const engine = await engines.open({
      pipelines: [pipeline("office", { stages: [batching, grouping] })],
      services: {},
    });
    await engine.accept([note("a", "xy", "two"), note("b", "wxyz", "two"), note("c", "", "one")]);
    await engine.drain();
    const found = await (await operatorOf(engine)).findings();
    expect(found.map(({ stage, id, collection, finding }) => [stage, id, collection, finding])).toEqual([
      ["batching", "b", "notes", "b lacks copies"],
      ["grouping", "one", null, "one: 1 notes"],
    ]);
  });

  it("fails the attempt when the function throws: a mistake of the author is not silent either", async () => {
    const throwing = stage("throwing", {
      reads: notes,
      writes: [copies],
      retry: { attempts: 1, unknown: { attempts: 1 } },
      expects: () => {
        throw new Error("what is this?");
      },
      *run() {},
    });
    const engine = await engines.open({
      pipelines: [pipeline("office", { stages: [throwing] })],
      services: {},
    });
    await engine.accept([note("a", "x")]);
    await engine.drain();
    expect((await (await operatorOf(engine)).status())[0]).toMatchObject({ done: 0, dead: 1 });
  });

  it("is refused if it writes nothing, or says something else", () => {
    const declare = (expects: unknown, writes: readonly (typeof copies)[]) =>
      stage("copying", { reads: notes, writes, expects: expects as { outputs: "some" }, *run() {} });
    expect(() => declare({ outputs: "some" }, [])).toThrow(/expects outputs and writes no collection/);
    expect(() => declare({ outputs: "many" }, [copies])).toThrow(/give \{ outputs: "some" \} or a function/);
  });
});

interface Model {
  ask(text: string): Promise<{ text: string; usage?: object }>;
  name(): string;
}
const model = service("model").as<Model>();

describe("the facts of a result", () => {
  const asking = batchStage("asking", {
    reads: notes,
    writes: [copies],
    needs: [model],
    batch: 2,
    async *run(batch, { model }) {
      for (const note of batch) {
        const { text } = await model.ask(note.text);
        yield [note, copies.document(note.id, { text: `${model.name()} ${text}` })];
      }
    },
  });

  it("are kept with it: time of the attempt, size of the batch, calls with their time and tokens", async () => {
    const services: { model: Model } = {
      model: {
        name: () => "m",
        async ask(text) {
          clock.advance(200);
          return { text, usage: { input_tokens: 30, output_tokens: 4 } };
        },
      },
    };
    const engine = await engines.open({ pipelines: [pipeline("office", { stages: [asking] })], services });
    const { clock } = engine;
    await engine.accept([note("a", "x"), note("b", "y")]);
    await engine.drain();
    const operator = await operatorOf(engine);
    const made = {
      attemptMs: 400,
      batch: 2,
      calls: { model: { count: 4, ms: 400, tokens: 68 } },
      finding: null,
    };
    const [explained] = (await operator.explain({ collection: "notes", id: "b" })).stages;
    expect(explained?.result).toMatchObject({ ...made, outputs: 1 });
    const { lines } = await operator.trace({ collection: "notes", id: "b" }, { kinds: ["done"] });
    expect(lines).toMatchObject([{ kind: "done", outputs: 1, made }]);
  });

  it("stay when the stage finds its result unchanged, and are those of the newest result after a change", async () => {
    let tookMs = 200;
    const services: { model: Model } = {
      model: {
        name: () => "m",
        async ask(text) {
          clock.advance(tookMs);
          return { text };
        },
      },
    };
    const engine = await engines.open({ pipelines: [pipeline("office", { stages: [asking] })], services });
    const { clock } = engine;
    const operator = await operatorOf(engine);
    const timeOf = async () =>
      (await operator.explain({ collection: "notes", id: "a" })).stages[0]?.result?.attemptMs;
    await engine.accept([note("a", "x")]);
    await engine.drain();
    expect(await timeOf()).toBe(200);
    tookMs = 300;
    await engine.accept([note("a", "changed")]);
    await engine.accept([note("a", "x")]);
    await engine.drain();
    expect(engine.signals.filter(({ kind }) => kind === "task.skipped").length).toBe(1);
    expect(await timeOf()).toBe(200);
    await engine.accept([note("a", "changed")]);
    await engine.drain();
    expect(await timeOf()).toBe(300);
  });
});
