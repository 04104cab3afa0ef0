import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { connect } from "amqplib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { permanent, pipeline, type Signal, stage } from "../../engine/src/index.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { copies, manyNotes, notes } from "../fixtures/notes.ts";
import { expectAllSettled } from "../support/content.ts";
import { openGate } from "../support/gate.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { type Broker, queuesOf, startBroker } from "../support/rabbitmq.ts";
import { until } from "../support/waiting.ts";

const postgres = useOwnSchema("brokerloss");
let broker: Broker;
beforeAll(async () => {
  broker = await startBroker();
}, 120_000);
afterAll(() => broker?.close());

const copying = stage("copying", {
  reads: notes,
  writes: [copies],
  announces: { done: "NoteCopied", failed: "CopyingFailed" },
  *run(note) {
    if (note.text === "torn") throw permanent("note.torn", "The note is torn.");
    yield copies.document(note.id, { text: note.text });
  },
});
const office = pipeline("office", { stages: [copying] });

async function start(schema = postgres.fresh(), url = broker.url) {
  const heard: Signal[] = [];
  const engine = await postgres.start({
    schema,
    pipelines: [office],
    services: {},
    broker: { url },
    config: { pollMs: 60_000 },
    onSignal: (signal) => void heard.push(signal),
  });
  const count = (kind: Signal["kind"]) => heard.filter((one) => one.kind === kind).length;
  const waiting = async () => {
    const [row] = await engine.database.query<{ count: number }>(sql`
      select count(*)::int as count from headway.outbox where relayed_at is null`);
    return row?.count ?? -1;
  };
  return { engine, heard, count, waiting, schema };
}

const torn = (id: string) => notes.document(id, { text: "torn" });
const failedDepth = async () =>
  (await queuesOf(broker.url)).find((one) => one.name === "copying.failed")?.depth ?? 0;

/** Reads a queue to its end: ids of the documents that died. */
async function readFailed(): Promise<string[]> {
  const connection = await connect(broker.url);
  const channel = await connection.createChannel();
  const ids: string[] = [];
  for (;;) {
    const message = await channel.get("copying.failed", { noAck: true });
    if (message === false) break;
    ids.push(JSON.parse(message.content.toString()).data.document_id);
  }
  await connection.close();
  return ids.sort();
}

describe("a broker that goes away", () => {
  it("silent from the start: nobody waits for it for long, and work goes on through the database", async () => {
    const silent = createServer((socket) => socket.on("error", () => undefined));
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const { engine, heard } = await start(postgres.fresh(), `amqp://127.0.0.1:${port}`);
    const lost = heard.flatMap((one) => (one.kind === "broker.lost" ? [one.fault] : []));
    expect(lost).toEqual([
      expect.objectContaining({
        kind: "transient",
        code: "broker.unavailable",
        message: "The broker has not answered yet.",
      }),
    ]);
    await engine.accept(manyNotes(5));
    await engine.settled();
    await engine.stop();
    silent.close();
  });

  it("stopped: work goes on through the database, one warning is given, and news is relayed when it is back", async () => {
    const { engine, count, waiting } = await start();
    await engine.accept(manyNotes(50));
    await engine.settled();
    await broker.stop();
    await until(
      () => count("broker.lost"),
      (lost) => lost === 1,
    );
    // Two processes, so that the news has to travel.
    const clerk = await postgres.start({
      schema: engine.database.schema,
      pipelines: [office],
      services: {},
      work: false,
      broker: { url: broker.url },
      config: { pollMs: 60_000 },
    });
    await clerk.accept([...manyNotes(200), torn("torn-1"), torn("torn-2")]);
    await engine.settled();
    await expectAllSettled(engine.database);
    expect(await waiting()).toBeGreaterThan(0);
    expect(count("broker.lost")).toBe(1);
    expect(count("database.lost")).toBe(0);
    await broker.start();
    await until(waiting, (left) => left === 0, 60_000);
    expect(count("broker.back")).toBe(1);
    expect(await readFailed()).toEqual(["torn-1", "torn-2"]);
    await clerk.stop();
    await engine.stop();
  }, 120_000);

  it("killed and wiped: it is told again of every dead letter that still waits, and loses nothing", async () => {
    const { engine, count, waiting } = await start();
    await engine.accept([...manyNotes(20), torn("torn-1"), torn("torn-2"), torn("torn-3")]);
    await engine.settled();
    await until(failedDepth, (depth) => depth === 3);
    await broker.kill();
    await broker.wipe();
    await engine.accept([torn("torn-4"), ...manyNotes(40)]);
    await engine.settled();
    await broker.start();
    await until(
      () => count("broker.back"),
      (back) => back === 1,
      60_000,
    );
    await until(waiting, (left) => left === 0);
    await until(failedDepth, (depth) => depth === 4);
    expect(await readFailed()).toEqual(["torn-1", "torn-2", "torn-3", "torn-4"]);
    // The queues are there again, and news flows through them.
    await engine.accept(notes.document("late", { text: "late" }));
    await until(
      () => count("task.done"),
      (done) => done === 41,
    );
    await expectAllSettled(engine.database);
    await engine.stop();
  }, 120_000);

  it("cut off in any answer to its greeting: the connection is made again", async () => {
    const { engine, schema } = await start();
    await engine.stop();
    const gate = await openGate(broker.url);
    // What is asked in turn: whether it knows us, that channel's end, the last queue, and (basic.consume) to hear of it.
    for (const word of ["headway", "Goodbye", "copying.failed", "\0\x3c\0\x14"]) {
      gate.cutAnswerTo(word);
      const before = gate.cuts;
      const { engine, count } = await start(schema, gate.url);
      await until(
        () => count("broker.back"),
        (back) => back === 1,
      );
      expect(gate.cuts, word).toBe(before + 1);
      await engine.stop();
    }
    await gate.close();
  }, 60_000);

  it("with a queue that hangs: work and other news go on, and events are told when it moves again", async () => {
    const { engine, heard, count, waiting } = await start();
    await broker.hang("copying.failed");
    await engine.accept([torn("torn-1"), ...manyNotes(3)]);
    await engine.settled();
    await until(
      () => count("broker.lost"),
      (lost) => lost > 0,
      30_000,
    );
    const lost = heard.flatMap((one) => (one.kind === "broker.lost" ? [one.fault] : []));
    expect(lost[0]?.message).toMatch(/^\d of what it was sent it did not take within 10 s$/);
    await engine.accept(manyNotes(6));
    await engine.settled();
    await broker.unhang("copying.failed");
    await until(waiting, (left) => left === 0, 30_000);
    expect(new Set(await readFailed())).toEqual(new Set(["torn-1"]));
    await broker.hang("copying");
    await engine.accept(manyNotes(9));
    await engine.settled();
    // Who starts now is told its name.
    const late = await start();
    await until(
      () => late.count("broker.lost"),
      (lost) => lost === 2,
      30_000,
    );
    expect(late.heard.filter((one) => one.kind === "broker.lost").map((one) => one.fault.message)).toEqual([
      "The broker has not answered yet.",
      'nothing came about the queue "copying" within 10 s',
    ]);
    await broker.unhang("copying");
    await until(
      () => late.count("broker.back"),
      (back) => back === 1,
      30_000,
    );
    await late.engine.stop();
    await expectAllSettled(engine.database);
    await engine.stop();
  }, 120_000);

  it("away from the beginning: the start does not fail, and a stop does not wait for it", async () => {
    await broker.stop();
    const { engine, count } = await start();
    expect(count("broker.lost")).toBe(1);
    await engine.accept(manyNotes(5));
    await engine.settled();
    await engine.stop();
    await broker.start();
  }, 120_000);

  it.each(["http://127.0.0.1", "nonsense", "amqp:"])(
    "an address that cannot be one is refused: %s",
    async (url) => {
      const options = { schema: postgres.fresh(), pipelines: [office], services: {}, broker: { url } };
      await expect(postgres.start(options)).rejects.toThrow("The broker must be an address such as amqp://");
    },
  );
});
