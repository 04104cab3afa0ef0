import { type ChildProcess, spawn } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { explodes } from "../../../test/fixtures/isolated-explosions.ts";
import * as stages from "../../../test/fixtures/isolated-stages.ts";
import { anItem, beginRun } from "../../../test/support/isolated-runs.ts";
import { classify } from "../decide/classify.ts";
import { StageFault } from "../decide/fault.ts";
import type { AnyCollection } from "../define/collection.ts";
import { service } from "../define/service.ts";
import type { Stage } from "../define/stage.ts";
import { settingsOf } from "../define/stage-settings.ts";
import { attempt } from "../run/attempt.ts";
import { type Clock, systemClock } from "../run/clock.ts";
import type { Graph, PlannedStage } from "../run/graph.ts";
import { Running } from "../run/running.ts";
import { virtualClock } from "../run/virtual-clock.ts";
import { type Isolates, type IsolatesOptions, makeIsolates } from "./isolate.ts";

const folder = mkdtempSync(join(tmpdir(), "headway-isolate-"));
afterAll(() => rmSync(folder, { recursive: true }));

const opened: Isolates[] = [];
/** Every started process, dead or alive. */
const started: ChildProcess[] = [];
const living = () => started.filter((child) => child.exitCode === null && child.signalCode === null);
const note = (message: unknown) => started.push((message as { process: ChildProcess }).process);

beforeEach(() => subscribe("child_process", note));
afterEach(async () => {
  await Promise.all(opened.splice(0).map((isolates) => isolates.close()));
  unsubscribe("child_process", note);
  expect(living()).toEqual([]);
  started.length = 0;
});

function open(options: IsolatesOptions = {}): Isolates {
  const isolates = makeIsolates(options);
  opened.push(isolates);
  return isolates;
}

const endReason = { kind: "stopped" } as const;

async function yieldsOf(isolates: Isolates, stage: Stage, input: object = {}): Promise<unknown[]> {
  const found: unknown[] = [];
  const { yields } = beginRun(isolates, stage, input);
  for (let next = await yields.next(); !next.done; next = await yields.next()) found.push(next.value);
  return found;
}

/** The thrown value, instead of an end. */
async function thrownBy(isolates: Isolates, stage: Stage, input: object = {}): Promise<unknown> {
  try {
    await yieldsOf(isolates, stage, input);
  } catch (thrown) {
    return thrown;
  }
  throw new Error(`Stage "${stage.name}" threw nothing.`);
}

const walled = { env: [], allow: [], makes: [] };

/** `splits`, but of a module that is written here. */
function stageOf(file: string, code: string): Stage {
  writeFileSync(join(folder, file), code);
  const module = pathToFileURL(join(folder, file)).href;
  return { ...stages.splits, isolate: { ...walled, module, memoryMb: 64 } };
}

/** JavaScript, for a quick start of the process. */
const plain = stageOf(
  "plain.mjs",
  "export const splits = { name: 'splits', *run({ id }) { yield { id, pid: process.pid }; } };",
);

/** Its processes are of another kind. */
const plainElsewhere: Stage = {
  ...plain,
  isolate: { module: "", ...walled, ...plain.isolate, memoryMb: 48 },
};

async function works(isolates: Isolates): Promise<void> {
  expect(await yieldsOf(isolates, plain)).toEqual([{ id: "page", pid: expect.any(Number) }]);
}

function tryIt(isolates: Isolates, stage: Stage, clock: Clock = systemClock()) {
  const plan: PlannedStage = {
    number: 1,
    variant: 1,
    stage,
    after: [],
    upstream: [],
    isLast: true,
    looks: [],
    marker: () => Buffer.alloc(8),
  };
  const collection = { number: 1, collection: stage.writes[0] as AnyCollection, collectors: [] };
  const graph = { collection: () => collection } as unknown as Graph;
  const limits = { streamDocuments: 100, streamBytes: 1_000_000 };
  const rest = {
    services: {},
    emit: () => {},
    running: new Set<Running>(),
    controls: { settings: ({ stage }: PlannedStage) => settingsOf(stage) },
    commitPart: async () => true,
  };
  return attempt(plan, [anItem("page")], { clock, isolates, graph, ...limits, ...rest });
}

describe("an isolated stage", () => {
  it("is lent what a service of the engine's process has, and nothing else of it", async () => {
    const borrows = stageOf(
      "borrows.mjs",
      "export const splits = { name: 'splits', *run({ id }, { lent, files }) { yield { id, lent, files }; } };",
    );
    const files = { path: async (id: string) => `/lent/${id}.pdf` };
    const lend = ({ id }: { id: string }, given: { files: typeof files }) => given.files.path(id);
    const stage = {
      ...borrows,
      needs: [service("files").as<typeof files>()],
      isolate: { module: "", memoryMb: 64, ...borrows.isolate, lend },
    } as Stage;
    const running = new Running(stage, [anItem("page")], { services: { files }, clock: systemClock() });
    const yields = open().run(stage, { id: "page" }, running)[Symbol.asyncIterator]();
    const expected = { id: "page", lent: "/lent/page.pdf", files: undefined };
    expect(await yields.next()).toEqual({ done: false, value: expected });
    expect(await yields.next()).toEqual({ done: true, value: undefined });
  });

  it("is given the services that its module makes, once in each process", async () => {
    const counting = stageOf(
      "counting.mjs",
      `let made = 0;
       export const services = async () => ({ count: () => made, ignored: 1, nth: ++made });
       export const splits = { name: 'splits', *run({ id }, { count, ignored }) { yield { id, made: count(), ignored }; } };`,
    );
    const stage = { ...counting, isolate: { ...walled, ...counting.isolate, makes: ["count"] } } as Stage;
    const isolates = open({ processesMax: 1 });
    for (let round = 0; round < 2; round++)
      expect(await yieldsOf(isolates, stage)).toEqual([{ id: "page", made: 1, ignored: undefined }]);
    const lacking = { ...stage, isolate: { ...stage.isolate, makes: ["judge"] } } as Stage;
    expect(await thrownBy(isolates, lacking)).toMatchObject({
      kind: "permanent",
      code: "isolate.module",
      message: expect.stringMatching(/"judge" is not made by .*counting\.mjs/),
    });
    await works(isolates);
  });

  it("shares its process with the stages of other modules", async () => {
    const isolates = open({ processesMax: 1 });
    const other = stageOf(
      "other.mjs",
      "export const splits = { name: 'splits', *run({ id }) { yield { id, pid: process.pid, other: true }; } };",
    );
    const [first] = await yieldsOf(isolates, plain);
    for (let round = 0; round < 2; round++)
      expect(await yieldsOf(isolates, other)).toEqual([{ ...(first as object), other: true }]);
    expect(await yieldsOf(isolates, plain)).toEqual([first]);
    expect(started).toHaveLength(1);
  });

  it("gets its input and context, and its yields arrive in order", async () => {
    const [first, second] = await yieldsOf(open(), stages.splits, { text: "one two" });
    const context = { aborted: false, attempt: 3, idempotencyKey: "splits/page/0000000000000000" };
    expect(first).toEqual({
      collection: "words",
      id: "page-0",
      body: {
        word: "one",
        pid: expect.any(Number),
        ...context,
        correlationId: expect.stringContaining("splits"),
      },
    });
    expect(second).toMatchObject({ id: "page-1", body: { word: "two" } });
  });

  it("is found through an exported pipeline", async () => {
    expect(await yieldsOf(open(), stages.held.stages[0] as Stage, { text: "a" })).toHaveLength(1);
  });

  it("may be plain JavaScript, and fit into 16 MB", async () => {
    for (const stage of [stages.splits, plain]) {
      const small = { ...stage, isolate: { module: "", ...walled, ...stage.isolate, memoryMb: 16 } };
      expect(await yieldsOf(open(), small, { text: "a" })).toHaveLength(1);
    }
  });

  it("yields the outputs of a batch with the ids of their inputs", async () => {
    const isolates = open();
    const input = [
      { id: "a", text: "x" },
      { id: "b", text: "y" },
    ];
    const running = new Running(stages.pairs, [anItem("a"), anItem("b")], {
      services: {},
      clock: systemClock(),
    });
    const found: unknown[] = [];
    for await (const one of isolates.run(stages.pairs, input, running)) found.push(one);
    expect(found).toEqual([
      [{ id: "a" }, { collection: "words", id: "a-word", body: { text: "x" } }],
      [{ id: "b" }, { collection: "words", id: "b-word", body: { text: "y" } }],
      [{ id: "a" }],
      [{ id: "b" }],
    ]);
  });

  it("uses the same process for the next document", async () => {
    const isolates = open();
    for (let round = 0; round < 5; round++) await yieldsOf(isolates, stages.splits);
    expect(await yieldsOf(isolates, stages.counts, { count: 1_000 })).toHaveLength(1_000);
    expect(started).toHaveLength(1);
  });

  it("waits when its yields are not taken", async () => {
    const counter = join(folder, "counter");
    writeFileSync(counter, "");
    const { yields } = beginRun(open(), stages.counts, { count: 2_000, counter });
    const ahead = () => statSync(counter).size - taken;
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
    // It stands still, with at most 64 ahead: fewer, if the machine was so busy that batches left before they were full.
    for (let [still, size] = [0, 0]; still < 30; await wait(10)) {
      still = size === statSync(counter).size ? still + 1 : 0;
      size = statSync(counter).size;
    }
    expect(statSync(counter).size).toBeLessThanOrEqual(64);
    while (await take()) if (taken % 100 === 0) await turn();
    expect(taken).toBe(2_000);
    expect(aheadMax).toBeLessThanOrEqual(64);
  });
});

describe("a stage that spins", () => {
  it("leaves the process free, is ended with its attempt, and the next one works", async () => {
    const isolates = open({ processesMax: 1 });
    const { running, yields } = beginRun(isolates, stages.spins);
    await yields.next();
    const next = yields.next();
    for (let turns = 0; turns < 100; turns++) await turn();
    running.end(endReason);
    await expect(next).rejects.toMatchObject({ name: "AbortError" });
    await works(isolates);
    expect(living()).toHaveLength(1);
  });

  it("is ended even if nobody is waiting for what it yields", async () => {
    const { running, yields } = beginRun(open(), stages.spins);
    await yields.next();
    const exit = once(started[0] as ChildProcess, "exit");
    running.end(endReason);
    await exit;
    await expect(yields.next()).rejects.toMatchObject({ name: "AbortError" });
  });

  it("is ended when its consumer turns away", async () => {
    const isolates = open({ processesMax: 1 });
    const { yields } = beginRun(isolates, stages.spins);
    await yields.next();
    await yields.return?.();
    await works(isolates);
    expect(living()).toHaveLength(1);
  });

  it.each([stages.spins, stages.hangs])("is a timeout of its document: $name", async (stage) => {
    const tried = await tryIt(open(), { ...stage, timeoutMs: 1 });
    expect(tried).toMatchObject({ kind: "failed", thrown: { code: "stage.timeout" } });
    if (living().length > 0) await once(started[0] as ChildProcess, "exit");
    expect(started).toMatchObject([{ signalCode: "SIGKILL" }]);
  });

  it("dies with the process that started it, even of a SIGKILL", async () => {
    const { parent, pid } = await startParent("spins");
    expect(isAlive(pid)).toBe(true);
    const exit = once(parent, "exit");
    parent.kill("SIGKILL");
    await exit;
    while (isAlive(pid)) await wait(10);
  });

  it("is ended by close", async () => {
    const isolates = open();
    const { yields } = beginRun(isolates, stages.spins);
    await yields.next();
    const next = yields.next();
    await Promise.all([expect(next).rejects.toMatchObject({ code: "isolate.closed" }), isolates.close()]);
    expect(living()).toEqual([]);
    expect(await thrownBy(isolates, stages.splits)).toMatchObject({ code: "isolate.closed" });
  });
});

describe("a process that dies", () => {
  const promise = "is a fault of its document, and the next one works";
  const wrote = [expect.stringContaining("something is wrong")];
  it.each([
    ["by exit code 0", stages.leaves, { count: 0 }, "isolate.exit", /"leaves" .*exit code 0/, wrote],
    ["by exit code 3", stages.leaves, { count: 3 }, "isolate.exit", /"leaves" .*exit code 3/, wrote],
    [
      "of a signal",
      stages.kills,
      { what: "SIGSEGV" },
      "isolate.exit",
      /"kills" was ended by SIGSEGV/,
      undefined,
    ],
    [
      "of a rejection in the background",
      stages.forgets,
      { what: "rejection" },
      "isolate.crash",
      /nobody awaits this/,
      [expect.stringContaining("nobody awaits this")],
    ],
    [
      "of a throw in the background",
      stages.forgets,
      { what: "throw" },
      "isolate.crash",
      /nobody catches this/,
      [expect.stringContaining("nobody catches this")],
    ],
  ])(`%s ${promise}`, async (_how, stage, input, code, message, causes) => {
    const isolates = open();
    const fault = classify(await thrownBy(isolates, stage, input));
    expect(fault).toMatchObject({ kind: "transient", code, message: expect.stringMatching(message) });
    expect(fault.causes).toEqual(causes);
    await works(isolates);
  });

  it("of too much memory is a fault of its document, whatever it is that grows", async () => {
    const isolates = open();
    const found = await Promise.all(
      growing.map(async (way) => classify(await thrownBy(isolates, explodes, { way }))),
    );
    const message = 'Stage "explodes" needed more than its limit of 64 MB; its process was ended.';
    const fault = expect.objectContaining({ kind: "transient", code: "isolate.memory", message });
    expect(found).toEqual(growing.map(() => fault));
    await works(isolates);
  });

  /** Some of `ways`; each was seen to end like this, with 64 MB and with 512. */
  const growing = [
    "a list of small numbers",
    "a list that is joined with itself",
    "a map",
    "texts that are repeated",
    "a clone",
    "buffers",
    "one large buffer",
    "shared memory",
  ];
});

describe("what an isolated stage throws", () => {
  const shared = makeIsolates();
  // The process exists before processes are counted.
  beforeAll(() => yieldsOf(shared, stages.splits));
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

  it("a module that is missing is no document's fault: it is tried again", async () => {
    const isolates = open();
    const thrown = await thrownBy(isolates, stages.lost);
    expect(thrown).toMatchObject({ kind: "transient", code: "isolate.module" });
    expect((thrown as Error).message).toContain("no-such-module.ts");
    await thrownBy(isolates, stages.lost);
    // In the old process the module would stay missing, even if present by now.
    expect(started).toHaveLength(2);
  });

  it("so is a module that starts an engine", async () => {
    const code = `import { startEngine } from "${new URL("../engine.ts", import.meta.url)}";\nawait startEngine({});`;
    const thrown = await thrownBy(open(), stageOf("starts.mts", code));
    expect(thrown).toMatchObject({ kind: "transient", code: "isolate.module" });
    expect((thrown as Error).message).toContain("starts an engine when it is imported");
  });

  it("a module that never ends loading is a fault of its document", async () => {
    const thrown = await thrownBy(open({ startMs: 500 }), stageOf("endless.mjs", "for (;;);"));
    expect(thrown).toMatchObject({ kind: "transient", code: "isolate.start" });
    expect((thrown as Error).message).toContain("not loaded within 500 ms");
  });

  it("a stage that its module does not export is a permanent fault", async () => {
    const thrown = await thrownBy(shared, stages.notExported());
    expect(thrown).toMatchObject({ kind: "permanent", code: "isolate.module" });
    expect((thrown as Error).message).toMatch(
      /"not-exported" is not among the exports of .*isolated-stages\.ts/,
    );
  });
});

describe("processes", () => {
  it("are at most so many; further runs wait in line", async () => {
    const isolates = open({ processesMax: 2 });
    await Promise.all(Array.from({ length: 20 }, () => works(isolates)));
    expect(started).toHaveLength(2);
  });

  it("a run that is ended in line leaves it", async () => {
    const isolates = open({ processesMax: 1 });
    const spinning = beginRun(isolates, stages.spins);
    await spinning.yields.next();
    const waiting = beginRun(isolates, plain);
    const next = waiting.yields.next();
    waiting.running.end(endReason);
    await expect(next).rejects.toMatchObject({ name: "AbortError" });
    spinning.running.end(endReason);
    await works(isolates);
    expect(started).toHaveLength(2);
  });

  it("a run that was ended before it began starts none", async () => {
    const { running, yields } = beginRun(open(), stages.splits);
    running.end(endReason);
    await expect(yields.next()).rejects.toMatchObject({ name: "AbortError" });
    expect(started).toEqual([]);
  });

  it("an idle one makes room for one of another kind", async () => {
    const isolates = open({ processesMax: 1 });
    await works(isolates);
    expect(await yieldsOf(isolates, plainElsewhere)).toHaveLength(1);
    await works(isolates);
    expect(started).toHaveLength(3);
    expect(living()).toHaveLength(1);
  });

  it("runs of two kinds that wait for one place are all served, with few changes of process", async () => {
    const isolates = open({ processesMax: 1 });
    const both = [plain, plainElsewhere];
    const runs = Array.from({ length: 40 }, (_, at) =>
      yieldsOf(isolates, both[at % 2] as Stage, { text: "a" }),
    );
    expect(await Promise.all(runs)).toHaveLength(40);
    expect(started).toHaveLength(2);
  });

  it("a run of another kind is not passed for ever", async () => {
    const isolates = open({ processesMax: 1 });
    const served: Stage[] = [];
    const serve = async (stage: Stage) =>
      served.push((await yieldsOf(isolates, stage, { text: "a" })) && stage);
    const many = Array.from({ length: 100 }, () => plain);
    await Promise.all([plain, plainElsewhere, ...many].map(serve));
    expect(served.indexOf(plainElsewhere)).toBe(33);
  });

  it("an idle one ends after a while", async () => {
    const isolates = open({ idleMs: 1 });
    await works(isolates);
    if (living().length > 0) await once(started[0] as ChildProcess, "exit");
    await works(isolates);
    expect(started).toHaveLength(2);
  });

  it("waiting for one is not the stage's time", async () => {
    const isolates = open({ processesMax: 1 });
    const clock = virtualClock();
    const spinning = beginRun(isolates, stages.spins);
    await spinning.yields.next();
    const trying = tryIt(isolates, { ...stages.splits, timeoutMs: 1_000 }, clock);
    clock.advance(3_600_000);
    spinning.running.end(endReason);
    expect(await trying).toMatchObject({ kind: "succeeded" });
  });

  it("signals to the whole service do not end them: that is for whoever started them", async () => {
    const isolates = open();
    await works(isolates);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) started[0]?.kill(signal);
    await works(isolates);
    expect(started).toHaveLength(1);
  });

  it("that have nothing to do keep nobody alive", async () => {
    const { parent, pid } = await startParent("splits");
    const [code] = parent.exitCode === null ? await once(parent, "exit") : [parent.exitCode];
    expect(code).toBe(0);
    while (isAlive(pid)) await wait(10);
  });
});

/** A parent process with an isolated stage, and the pid of the stage's process. */
async function startParent(stage: "spins" | "splits"): Promise<{ parent: ChildProcess; pid: number }> {
  const script = fileURLToPath(new URL("../../../test/fixtures/isolated-parent.ts", import.meta.url));
  const flags = ["--conditions=@headway/source", "--import", "tsx"];
  const parent = spawn(process.execPath, [...flags, script, stage], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(parent.stdout, "data");
  return { parent, pid: Number(String(line)) };
}

/** A zombie does not count as alive. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return process.platform !== "linux";
  }
}
