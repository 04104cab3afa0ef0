import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import {
  batchStage,
  type Engine,
  type Pipeline,
  pipeline,
  service,
  stage,
  startEngine,
} from "../../engine/src/index.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { copies, manyNotes, notes } from "../fixtures/notes.ts";
import { contentOf, deadLetters, expectAllSettled } from "../support/content.ts";
import { quickConfig, useOwnSchema } from "../support/own-schema.ts";
import { useVirtualEngines } from "../support/virtual-engines.ts";

const house = useOwnSchema("service_outages");
const engines = useVirtualEngines();

interface Press {
  print(text: string, signal: AbortSignal): Promise<string>;
}
const press = service("press").as<Press>();

/** An attempt that an outage burns is seen as a dead letter: documents may fail once only. */
const lastTry = { attempts: 1 } as const;
const patient = {
  attempts: 5,
  transient: { initial: "20ms", max: "100ms" },
  unknown: { attempts: 2, initial: "100ms", max: "100ms" },
} as const;

const printing = (retry: object, batch = false) =>
  batch
    ? batchStage("printing", {
        reads: notes,
        writes: [copies],
        needs: [press],
        batch: 4,
        timeout: "1s",
        retry,
        async *run(all, { press, signal }) {
          const printed = await press.print(all.map((one) => one.text).join("|"), signal);
          for (const [at, text] of printed.split("|").entries()) {
            const note = all[at];
            if (note) yield [note, copies.document(note.id, { text })] as const;
          }
        },
      })
    : stage("printing", {
        reads: notes,
        writes: [copies],
        needs: [press],
        concurrency: 4,
        timeout: "1s",
        retry,
        async *run({ id, text }, { press, signal }) {
          yield copies.document(id, { text: await press.print(text, signal) });
        },
      });

type Answer = (request: { text: string; calls: number }, response: ServerResponse) => void;
const well: Answer = ({ text }, response) => void response.end(JSON.stringify({ text }));
const status =
  (code: number, body = "{}"): Answer =>
  (_, response) =>
    void response.writeHead(code).end(body);

/** Ways to be down that are neither a refused connection nor a 502. */
const ways: Readonly<Record<string, Answer>> = {
  "answers HTTP 500": status(500),
  "answers HTTP 401 to everybody": status(401),
  "answers HTML instead of JSON": status(200, "<html><body>We will be right back.</body></html>"),
  "resets its connections": (_, response) => response.destroy(),
  "does not answer at all": () => undefined,
};

/** A server that can be broken, and an engine with a stage that needs it. */
async function open(where: Where, retry: object, { batch = false } = {}) {
  let answer: Answer = well;
  let calls = 0;
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    calls += 1;
    answer({ text, calls }, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const print: Press["print"] = async (text, signal) => {
    const response = await fetch(url, { method: "POST", body: text, signal });
    if (!response.ok) throw Object.assign(new Error("The press refuses."), { status: response.status });
    return ((await response.json()) as { text: string }).text;
  };
  const given = {
    pipelines: [pipeline("printing", { stages: [printing(retry, batch)] })] as Pipeline[],
    services: { press: Object.freeze({ print }) } as never,
    config: { ...quickConfig, graceMs: 100 },
  };
  const engine =
    where === "PGlite"
      ? await startEngine({ ...given, database: { memory: true } })
      : await house.start({ ...given, schema: house.fresh() });
  closing.unshift(() => void engine.stop());
  const opened = new Promise<void>((resolve) => {
    engine.onSignal(({ kind }) => kind === "breaker.opened" && resolve());
  });
  return { engine, opened, break: (with_: Answer) => (answer = with_) };
}

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const faultsOf = (engine: Engine) => engine.database.query(sql`select subject, fault from headway.fault`);
const waitsFor = (engine: Engine) =>
  engine.database.query(sql`select 1 from headway.task where reason = 'held: press'`);

const databases = ["PGlite", "PostgreSQL"] as const;
type Where = (typeof databases)[number];

describe.each(databases)("on %s a service that", { timeout: 60_000 }, (where) => {
  it.each(Object.entries(ways))("%s is down, and costs no document an attempt", async (_, answer) => {
    const press = await open(where, lastTry);
    const { engine } = press;
    press.break(answer);
    await engine.accept(manyNotes(12));
    await press.opened;
    await expect.poll(async () => (await waitsFor(engine)).length, { timeout: 20_000 }).toBeGreaterThan(0);
    press.break(well);
    await engine.settled();
    expect(await deadLetters(engine.database)).toEqual([]);
    expect(await faultsOf(engine)).toEqual([]);
    expect(await contentOf(engine.database)).toHaveLength(24);
    await expectAllSettled(engine.database);
  });

  it("answers HTTP 500 to whole batches is down as well", async () => {
    const press = await open(where, lastTry, { batch: true });
    press.break(status(500));
    await press.engine.accept(manyNotes(12));
    await press.opened;
    press.break(well);
    await press.engine.settled();
    expect(await deadLetters(press.engine.database)).toEqual([]);
    expect(await contentOf(press.engine.database)).toHaveLength(24);
  });

  it("serves some and fails others now and then loses nobody", async () => {
    const press = await open(where, patient);
    press.break((request, response) => (request.calls % 3 === 0 ? status(500) : well)(request, response));
    await press.engine.accept(manyNotes(30));
    await press.engine.settled();
    expect(await deadLetters(press.engine.database)).toEqual([]);
    expect(await contentOf(press.engine.database)).toHaveLength(60);
  });

  it.each([
    ["HTTP 500", status(500), "exhausted"],
    ["HTTP 401", status(401), "permanent"],
    ["garbage", status(200, "<html>"), "exhausted"],
  ] as const)(
    "answers %s to a few documents only is well, and these die of it",
    async (_, answer, reason) => {
      const press = await open(where, patient);
      const bad = ["text 7", "text 8", "text 9"];
      press.break((request, response) => (bad.includes(request.text) ? answer : well)(request, response));
      await press.engine.accept(manyNotes(40));
      await press.engine.settled();
      expect((await deadLetters(press.engine.database)).map((one) => [one.id, one.reason])).toEqual(
        bad.map((text) => [`note-0000${text.slice(-1)}`, reason]),
      );
      expect(await contentOf(press.engine.database)).toHaveLength(40 + 37);
    },
  );
});

describe("a service that heals in the moment its breaker opens", () => {
  it("costs no document of the failing batch its last attempt", async () => {
    const print: Press["print"] = async (text) => {
      // The outage lasts long enough to be seen when the second document fails alone.
      engine.clock.advance(400);
      if (engine.signals.some(({ kind }) => kind === "breaker.opened")) return text;
      throw Object.assign(new Error("The press refuses."), { status: 500 });
    };
    const engine = await engines.open({
      pipelines: [pipeline("printing", { stages: [printing(lastTry, true)] })] as Pipeline[],
      services: { press: { print } } as never,
    });
    await engine.accept(manyNotes(4));
    await engine.drain();
    const told = engine.signals.filter(({ kind }) => kind.startsWith("breaker."));
    expect(told.map(({ kind }) => kind)).toEqual(["breaker.opened", "breaker.closed"]);
    expect(await deadLetters(engine.database)).toEqual([]);
    expect(await contentOf(engine.database)).toHaveLength(8);
    await expectAllSettled(engine.database);
  });
});

describe("a service that fails every document that is left", () => {
  const openBroken = async (bad: (text: string) => boolean, fault: () => Error) => {
    const calls: string[] = [];
    const print: Press["print"] = async (text) => {
      calls.push(text);
      if (bad(text)) throw fault();
      return text;
    };
    const engine = await engines.open({
      pipelines: [pipeline("printing", { stages: [printing({ attempts: 2 })] })] as Pipeline[],
      services: { press: { print } } as never,
    });
    return { engine, calls };
  };
  const error500 = () => Object.assign(new Error("The press refuses."), { status: 500 });

  it("is believed to be down for a while; then the documents are charged and die, after their slow tail", async () => {
    const { engine } = await openBroken(() => true, error500);
    await engine.accept(manyNotes(3));
    const from = engine.clock.now().getTime();
    await engine.drain({ roundsMax: 10_000 });
    expect((await deadLetters(engine.database)).map((one) => [one.id, one.reason, one.attempts])).toEqual(
      [0, 1, 2].map((index) => [`note-0000${index}`, "exhausted", 3]),
    );
    // Three documents for five minutes each, and the tail of one retry after five minutes.
    expect(engine.clock.now().getTime() - from).toBeGreaterThan(20 * 60_000);
    expect(engine.signals.filter(({ kind }) => kind === "breaker.closed")).toHaveLength(1);
    await expectAllSettled(engine.database);
  });

  it("is tried with all documents in turn: a good one among bad ones is served", async () => {
    const { engine, calls } = await openBroken((text) => text !== "text 6", error500);
    await engine.accept(manyNotes(7));
    await engine.drain({ roundsMax: 10_000 });
    expect(calls).toContain("text 6");
    expect((await deadLetters(engine.database)).map((one) => one.id)).toEqual(
      [0, 1, 2, 3, 4, 5].map((index) => `note-0000${index}`),
    );
    await expectAllSettled(engine.database);
  });

  it("and hangs is no different", async () => {
    const hang = () => Object.assign(new Error("No answer."), { name: "TimeoutError" });
    const { engine } = await openBroken(() => true, hang);
    await engine.accept(manyNotes(2));
    await engine.drain({ roundsMax: 10_000 });
    expect((await deadLetters(engine.database)).map((one) => one.code)).toEqual(["timeout", "timeout"]);
  });
});
