import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as stages from "../../../test/fixtures/isolated-stages.ts";
import { classify } from "../decide/classify.ts";
import { StageFault } from "../decide/fault.ts";
import type { AnyCollection } from "../define/collection.ts";
import type { Stage } from "../define/stage.ts";
import { attempt, type Item, Running } from "./attempt.ts";
import { systemClock } from "./clock.ts";
import type { Graph, PlannedStage } from "./graph.ts";
import { type Isolates, type IsolatesOptions, makeIsolates } from "./isolate.ts";

const opened: Isolates[] = [];
/** Every thread that was started, dead or alive. */
const started: Worker[] = [];
const living = () => started.filter((worker) => worker.threadId !== -1);
const note = (worker: Worker) => started.push(worker);

beforeEach(() => void process.on("worker", note));
afterEach(async () => {
  await Promise.all(opened.splice(0).map((isolates) => isolates.close()));
  process.off("worker", note);
  expect(living()).toEqual([]);
  started.length = 0;
});

function open(options: IsolatesOptions = {}): Isolates {
  const isolates = makeIsolates(options);
  opened.push(isolates);
  return isolates;
}

function anItem(id: string): Item {
  const now = new Date(0);
  const times = { readyAt: now, owedAt: now, firstAttemptAt: null };
  const counts = { subject: 1, rank: 0, generation: 1, attempts: 0, waits: 0, crashes: 0 };
  const input = {
    id,
    hash: null,
    body: {},
    gone: false,
    request: "req_1",
    fault: null,
    marker: null,
    reason: null,
  };
  const task = { ...times, ...counts, ...input };
  return { task, inputHash: Buffer.alloc(8), marker: Buffer.alloc(8), members: null, attempts: 2, waits: 0 };
}

/** An attempt as `attempt.ts` makes it. */
function begin(isolates: Isolates, stage: Stage, input: stages.Page = {}, id = "page") {
  const running = new Running(stage, [anItem(id)], { services: {} });
  const yields = isolates.run(stage, { ...input, id }, running)[Symbol.asyncIterator]();
  return { running, yields };
}

const endReason = { kind: "stopped" } as const;

async function yieldsOf(isolates: Isolates, stage: Stage, input: stages.Page = {}): Promise<unknown[]> {
  const found: unknown[] = [];
  const { yields } = begin(isolates, stage, input);
  for (let next = await yields.next(); !next.done; next = await yields.next()) found.push(next.value);
  return found;
}

/** What comes out of it instead of an end. */
async function thrownBy(isolates: Isolates, stage: Stage, input: stages.Page = {}): Promise<unknown> {
  try {
    await yieldsOf(isolates, stage, input);
  } catch (thrown) {
    return thrown;
  }
  throw new Error(`Stage "${stage.name}" threw nothing.`);
}

async function works(isolates: Isolates): Promise<void> {
  expect(await yieldsOf(isolates, stages.splits, { text: "it works" })).toHaveLength(2);
}

describe("an isolated stage", () => {
  it("gets its input and context, and its yields arrive in order", async () => {
    const [first, second] = await yieldsOf(open(), stages.splits, { text: "one two" });
    const context = { aborted: false, attempt: 3, idempotencyKey: "splits/page/0000000000000000" };
    expect(first).toEqual({
      collection: "words",
      id: "page-0",
      body: { word: "one", ...context, correlationId: expect.stringContaining("splits") },
    });
    expect(second).toMatchObject({ id: "page-1", body: { word: "two" } });
  });

  it("is found through an exported pipeline", async () => {
    expect(await yieldsOf(open(), stages.held.stages[0] as Stage, { text: "a" })).toHaveLength(1);
  });

  it("may be plain JavaScript, and fit into 16 MB", async () => {
    const code = "export const splits = { name: 'splits', *run({ id }) { yield { id }; } };";
    const module = `data:text/javascript,${encodeURIComponent(code)}`;
    for (const isolate of [stages.splits.isolate, { module }]) {
      const stage = { ...stages.splits, isolate: { module: "", ...isolate, memoryMb: 16 } };
      expect(await yieldsOf(open(), stage, { text: "a" })).toHaveLength(1);
    }
  });

  it("yields the outputs of a batch with the ids of their inputs", async () => {
    const isolates = open();
    const input = [
      { id: "a", text: "x" },
      { id: "b", text: "y" },
    ];
    const running = new Running(stages.pairs, [anItem("a"), anItem("b")], { services: {} });
    const found: unknown[] = [];
    for await (const one of isolates.run(stages.pairs, input, running)) found.push(one);
    expect(found).toEqual([
      [{ id: "a" }, { collection: "words", id: "a-word", body: { text: "x" } }],
      [{ id: "b" }, { collection: "words", id: "b-word", body: { text: "y" } }],
      [{ id: "a" }],
      [{ id: "b" }],
    ]);
  });

  it("uses the same thread for the next document", async () => {
    const isolates = open();
    for (let round = 0; round < 5; round++) await works(isolates);
    expect(await yieldsOf(isolates, stages.counts, { count: 1_000 })).toHaveLength(1_000);
    expect(started).toHaveLength(1);
  });

  it("waits when its yields are not taken", async () => {
    const counter = new Int32Array(new SharedArrayBuffer(4));
    const { yields } = begin(open(), stages.counts, { count: 10_000, counter });
    const ahead = () => Atomics.load(counter, 0) - taken;
    let taken = 0;
    let aheadMax = 0;
    const take = async () => {
      const next = await yields.next();
      if (next.done) return false;
      expect(next.value).toMatchObject({ body: { at: taken } });
      taken += 1;
      aheadMax = Math.max(aheadMax, ahead());
      return true;
    };
    await take();
    while (ahead() < 63) await turn();
    for (let turns = 0; turns < 100; turns++) await turn();
    expect(Atomics.load(counter, 0)).toBe(64);
    while (await take()) if (taken % 100 === 0) await turn();
    expect(taken).toBe(10_000);
    expect(aheadMax).toBeLessThanOrEqual(64);
  });
});

describe("a stage that spins", () => {
  it("leaves the process free, is ended with its attempt, and the next one works", async () => {
    const isolates = open();
    const { running, yields } = begin(isolates, stages.spins);
    await yields.next();
    const next = yields.next();
    for (let turns = 0; turns < 100; turns++) await turn();
    running.end(endReason);
    await expect(next).rejects.toMatchObject({ name: "AbortError" });
    await works(isolates);
    expect(living()).toHaveLength(1);
  });

  it("is ended even if nobody is waiting for what it yields", async () => {
    const { running, yields } = begin(open(), stages.spins);
    await yields.next();
    const exit = once(started[0] as Worker, "exit");
    running.end(endReason);
    await exit;
    await expect(yields.next()).rejects.toMatchObject({ name: "AbortError" });
  });

  it("is ended when its consumer turns away", async () => {
    const isolates = open({ threadsMax: 1 });
    const { yields } = begin(isolates, stages.spins);
    await yields.next();
    await yields.return?.();
    await works(isolates);
    expect(living()).toHaveLength(1);
  });

  it("is a timeout of its document", async () => {
    const stage = { ...stages.spins, timeoutMs: 1 };
    const plan: PlannedStage = { number: 1, variant: 1, stage, after: [], marker: () => Buffer.alloc(8) };
    const collection = { number: 1, collection: stage.writes[0] as AnyCollection, collectors: [] };
    const parts = {
      ...{
        clock: systemClock(),
        services: {},
        isolates: open(),
        emit: () => {},
        running: new Set<Running>(),
      },
      ...{ streamDocuments: 100, streamBytes: 1_000_000, commitPart: async () => true },
      graph: { collection: () => collection } as unknown as Graph,
    };
    const tried = await attempt(plan, [anItem("page")], parts);
    expect(tried).toMatchObject({ kind: "failed", thrown: { code: "stage.timeout" } });
    await once(started[0] as Worker, "exit");
  });

  it("is ended by close", async () => {
    const isolates = open();
    const { yields } = begin(isolates, stages.spins);
    await yields.next();
    const next = yields.next();
    await Promise.all([expect(next).rejects.toMatchObject({ code: "isolate.closed" }), isolates.close()]);
    expect(living()).toEqual([]);
    expect(await thrownBy(isolates, stages.splits)).toMatchObject({ code: "isolate.closed" });
  });
});

describe("a thread that dies", () => {
  const promise = "is a fault of its document, and the next one works";
  it.each([
    ["of too much memory", stages.hoards, {}, "isolate.memory", /"hoards" .*limit of 64 MB/],
    ["by exit code 0", stages.leaves, { count: 0 }, "isolate.exit", /"leaves" .*exit code 0/],
    ["by exit code 3", stages.leaves, { count: 3 }, "isolate.exit", /"leaves" .*exit code 3/],
    [
      "of a rejection in the background",
      stages.forgets,
      { what: "rejection" },
      "isolate.crash",
      /nobody awaits this/,
    ],
    [
      "of a throw in the background",
      stages.forgets,
      { what: "throw" },
      "isolate.crash",
      /nobody catches this/,
    ],
  ])(`%s ${promise}`, async (_how, stage, input, code, message) => {
    const isolates = open();
    const thrown = await thrownBy(isolates, stage, input);
    expect(classify(thrown)).toMatchObject({
      kind: "transient",
      code,
      message: expect.stringMatching(message),
    });
    await works(isolates);
  });
});

describe("what an isolated stage throws", () => {
  const shared = makeIsolates();
  // Its thread is there before threads are counted.
  beforeAll(() => works(shared));
  afterAll(() => shared.close());

  it.each(Object.keys(stages.thrown))("is judged as if it had been thrown here: %s", async (what) => {
    const here = classify(stages.thrown[what]?.());
    const there = classify(await thrownBy(shared, stages.throws, { what }));
    const local = { stack: undefined, fingerprint: undefined };
    expect({ ...there, ...local }).toEqual({ ...here, ...local });
  });

  it("keeps its class, its fields and its stack", async () => {
    const fault = await thrownBy(shared, stages.throws, { what: "a fault of a class of its own" });
    expect(fault).toBeInstanceOf(StageFault);
    expect(fault).toMatchObject({
      name: "PdfFault",
      kind: "not-found-yet",
      stack: expect.stringContaining("fixtures"),
    });
    const error = await thrownBy(shared, stages.throws, { what: "an error that is its own cause" });
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).cause).toBe(error);
    expect(await thrownBy(shared, stages.throws, { what: "malformed JSON" })).toBeInstanceOf(SyntaxError);
  });

  it.each(["function", "symbol", "getter"])(
    "a yield that is no plain data is a permanent fault: %s",
    async (what) => {
      const thrown = await thrownBy(shared, stages.yieldsWhat, { what });
      expect(thrown).toMatchObject({ kind: "permanent", code: "output.not-json" });
    },
  );

  it("a run that returns nothing is a permanent fault", async () => {
    const thrown = await thrownBy(shared, stages.returnsNothing);
    expect(thrown).toMatchObject({ kind: "permanent", code: "stage.yields-nothing" });
  });

  it("a module that is missing is a permanent fault", async () => {
    const isolates = open();
    const thrown = await thrownBy(isolates, stages.lost);
    expect(thrown).toMatchObject({ kind: "permanent", code: "isolate.module" });
    expect((thrown as Error).message).toContain("no-such-module.ts");
    await thrownBy(isolates, stages.lost);
    // In the old one it would stay missing, even if it were there by now.
    expect(started).toHaveLength(2);
  });

  it("a stage that its module does not export is a permanent fault", async () => {
    const thrown = await thrownBy(shared, stages.notExported());
    expect(thrown).toMatchObject({ kind: "permanent", code: "isolate.module" });
    expect((thrown as Error).message).toMatch(
      /"not-exported" is not among the exports of .*isolated-stages\.ts/,
    );
  });
});

describe("threads", () => {
  it("are at most so many; further runs wait in line", async () => {
    const isolates = open({ threadsMax: 2 });
    await Promise.all(Array.from({ length: 20 }, () => works(isolates)));
    expect(started).toHaveLength(2);
  });

  it("a run that is ended in line leaves it", async () => {
    const isolates = open({ threadsMax: 1 });
    const spinning = begin(isolates, stages.spins);
    await spinning.yields.next();
    const waiting = begin(isolates, stages.splits);
    const next = waiting.yields.next();
    waiting.running.end(endReason);
    await expect(next).rejects.toMatchObject({ name: "AbortError" });
    spinning.running.end(endReason);
    await works(isolates);
    expect(started).toHaveLength(2);
  });

  it("a run that was ended before it began starts none", async () => {
    const { running, yields } = begin(open(), stages.splits);
    running.end(endReason);
    await expect(yields.next()).rejects.toMatchObject({ name: "AbortError" });
    expect(started).toEqual([]);
  });

  it("an idle one makes room for one of another kind", async () => {
    const isolates = open({ threadsMax: 1 });
    await works(isolates);
    expect(await yieldsOf(isolates, stages.splitsElsewhere, { text: "a" })).toHaveLength(1);
    await works(isolates);
    expect(started).toHaveLength(3);
    expect(living()).toHaveLength(1);
  });

  it("runs of two kinds that wait for one place are all served, with few changes of thread", async () => {
    const isolates = open({ threadsMax: 1 });
    const both = [stages.splits, stages.splitsElsewhere];
    const runs = Array.from({ length: 40 }, (_, at) =>
      yieldsOf(isolates, both[at % 2] as Stage, { text: "a" }),
    );
    expect(await Promise.all(runs)).toHaveLength(40);
    expect(started).toHaveLength(2);
  });

  it("a run of another kind is not passed for ever", async () => {
    const isolates = open({ threadsMax: 1 });
    const served: Stage[] = [];
    const serve = async (stage: Stage) =>
      served.push((await yieldsOf(isolates, stage, { text: "a" })) && stage);
    const many = Array.from({ length: 100 }, () => stages.splits);
    await Promise.all([stages.splits, stages.splitsElsewhere, ...many].map(serve));
    expect(served.indexOf(stages.splitsElsewhere)).toBe(33);
  });

  it("an idle one ends after a while", async () => {
    const isolates = open({ idleMs: 1 });
    await works(isolates);
    if (living().length > 0) await once(started[0] as Worker, "exit");
    await works(isolates);
    expect(started).toHaveLength(2);
  });

  it("one that cannot be ended loses its place", async () => {
    const folder = mkdtempSync(join(tmpdir(), "headway-isolate-"));
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const isolates = open({ threadsMax: 1, dyingMs: 20 });
    const counter = new Int32Array(new SharedArrayBuffer(4));
    const { running, yields } = begin(isolates, stages.hangs, { what: pipe, counter });
    const next = yields.next();
    while (Atomics.load(counter, 0) === 0) await turn();
    running.end(endReason);
    await expect(next).rejects.toMatchObject({ name: "AbortError" });
    await works(isolates);
    expect(living()).toHaveLength(2);
    const exit = once(started[0] as Worker, "exit");
    writeFileSync(pipe, "");
    await exit;
    rmSync(folder, { recursive: true });
  });
});
