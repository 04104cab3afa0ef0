import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { type ChannelModel, type ConfirmChannel, connect, type GetMessage } from "amqplib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Engine,
  permanent,
  pipeline,
  type Receiver,
  type Signal,
  stage,
} from "../../engine/src/index.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { copies, manyNotes, notes, reports } from "../fixtures/notes.ts";
import { expectAllSettled } from "../support/content.ts";
import { type Gate, openGate } from "../support/gate.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { freshVhost, type Vhost } from "../support/rabbitmq.ts";
import { until } from "../support/waiting.ts";

const postgres = useOwnSchema("broker");
const poison = new URL("../../../shared/corpora/poison-json/", import.meta.url);

/** No polling: everything happens because of a delivery. */
const deaf = { pollMs: 60_000, relayMs: 50 } as const;

/** A stage with runs that end when released. */
function makeOffice() {
  const gates: (() => void)[] = [];
  const held = { on: false, runs: 0 };
  const copying = stage("copying", {
    reads: notes,
    writes: [copies],
    announces: { done: "NoteCopied", failed: "CopyingFailed" },
    retry: { "not-found-yet": { attempts: 20, initial: "100ms", max: "100ms" } },
    async *run(note) {
      held.runs++;
      if (note.text === "torn") throw permanent("note.torn", "The note is torn.");
      if (held.on) await new Promise<void>((resolve) => gates.push(resolve));
      yield copies.document(note.id, { text: note.text });
    },
  });
  /** Has the same event type for failures as another stage. */
  const filing = stage("filing", {
    reads: copies,
    writes: [reports],
    announces: { failed: "CopyingFailed" },
    *run(copy) {
      if (copy.text === "lost") throw permanent("copy.lost", "The copy is lost.");
      yield reports.document(copy.id, { text: copy.text });
    },
  });
  const letGo = () => {
    held.on = false;
    for (const open of gates.splice(0)) open();
  };
  return { pipelines: [pipeline("office", { stages: [copying, filing] })], held, letGo };
}

let vhost: Vhost;
/** What our engine reaches the broker through. */
let gate: Gate;
let connection: ChannelModel;
let channel: ConfirmChannel;
let engine: Engine;
let heard: Signal[];
let office: ReturnType<typeof makeOffice>;

async function start(options: { receives?: readonly Receiver[]; graceMs?: number } = {}): Promise<void> {
  office = makeOffice();
  heard = [];
  engine = await postgres.start({
    schema: postgres.fresh(),
    pipelines: office.pipelines,
    services: {},
    broker: { url: gate.url },
    config: { ...deaf, ...(options.graceMs !== undefined && { graceMs: options.graceMs }) },
    onSignal: (signal) => void heard.push(signal),
    ...(options.receives && { receives: options.receives }),
  });
}

beforeEach(async () => {
  vhost = await freshVhost();
  gate = await openGate(vhost.url);
  connection = await connect(vhost.url);
  channel = await connection.createConfirmChannel();
});
afterEach(async () => {
  office.letGo();
  await connection.close().catch(() => undefined);
  await gate.close();
  await vhost.close();
});

const kinds = (kind: Signal["kind"]) => heard.filter((one) => one.kind === kind);
const done = () => kinds("task.done").filter((one) => "stage" in one && one.stage === "copying").length;
/** Notifications for the first stage without a claim. */
const staleNews = () =>
  heard.reduce(
    (sum, one) => sum + (one.kind === "news.stale" && one.stage === "copying" ? one.notices : 0),
    0,
  );
const quarantined = () =>
  engine.database.query<{ queue: string; reason: string; times: number; body: Uint8Array }>(sql`
    select queue, reason, times, body from headway.quarantine order by id`);
const queueOf = async (name: string) => (await vhost.queues()).find((one) => one.name === name);
/** Unacknowledged deliveries are in their queue again after we are gone; only our own last notifications may be. */
async function expectAllAcknowledged(name: string): Promise<void> {
  await until(
    async () => (await channel.checkQueue(name)).messageCount,
    (waiting) => waiting === 0,
  );
  await engine.stop();
  for (;;) {
    const left = await channel.get(name, { noAck: true });
    if (left === false) return;
    expect(left.properties.appId).toBe("headway");
  }
}

interface Post {
  readonly to?: string;
  readonly encoding?: string;
}
/** Sends bytes as a stranger would; resolves after the broker's confirm. */
async function post(body: Buffer | object, { to = "work.copying", encoding }: Post = {}) {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  channel.publish("headway.events", to, bytes, {
    contentType: "application/json",
    ...(encoding && { contentEncoding: encoding }),
  });
  await channel.waitForConfirms();
}
const event = (event_type: string, data: object, more: object = {}) => ({
  event_type,
  event_id: randomUUID(),
  timestamp: new Date().toISOString(),
  version: "1.0",
  data,
  ...more,
});
const work = (document_ids?: readonly string[]) =>
  event("WorkOwed", { stage: "copying", ...(document_ids && { document_ids }) });

/** Another process accepts documents, so notifications are the worker's only source. */
async function handIn(count: number): Promise<void> {
  const clerk = await postgres.start({
    schema: engine.database.schema,
    pipelines: office.pipelines,
    services: {},
    work: false,
    broker: { url: vhost.url },
    config: deaf,
  });
  await clerk.accept(manyNotes(count));
  await until(
    () => office.held.runs,
    (runs) => runs > 0,
  );
  await clerk.stop();
}

describe("deliveries that are no news", () => {
  it("31, 36: whatever does not parse or fit is set aside with its bytes and a reason, and acknowledged", async () => {
    await start();
    const strange: [string, Buffer | object, Post?][] = [
      ["not-json", Buffer.from("{")],
      ["not-json", Buffer.alloc(0)],
      ["not-utf8", Buffer.from([0x7b, 0xff, 0xfe])],
      ["encoded", Buffer.from("1f8b08", "hex"), { encoding: "gzip" }],
      ["bad-envelope", [] as object],
      ["bad-envelope", { event_type: "WorkOwed" }],
      ["unknown-type", event("NobodyKnows", {})],
      ["unknown-version", { ...work(), version: "7.0" }],
      ["bad-data", event("WorkOwed", { stage: 7 })],
      ["unknown-stage", event("WorkOwed", { stage: "elsewhere" })],
      ["unknown-document", work(["nobody-has-it"])],
      ["too-large", Buffer.alloc(50 * 1_048_576, 0x20)],
    ];
    for (const [, body, how] of strange) await post(body, how);
    const rows = await until(quarantined, (found) => found.length === strange.length);
    const wanted = strange.map(([reason]) => reason).sort();
    expect(rows.map((row) => row.reason).sort()).toEqual(wanted);
    const [first] = rows.filter(({ reason }) => reason === "not-utf8");
    expect(Buffer.from(first?.body ?? []).toString("hex")).toBe("7bfffe");
    expect(rows.find(({ reason }) => reason === "too-large")?.body.length).toBe(50 * 1_048_576);
    await expectAllAcknowledged("copying");
    expect(kinds("delivery.quarantined")).toHaveLength(strange.length);
  });

  it.skipIf(!existsSync(poison))(
    "31: all of the poison JSON is set aside, and its neighbours are done",
    async () => {
      await start();
      const files = readdirSync(poison, { recursive: true, encoding: "utf8" })
        .map((name) => new URL(encodeURI(name).replace(/[#?]/g, encodeURIComponent), poison))
        .filter((file) => statSync(file).isFile());
      expect(files.length).toBeGreaterThan(300);
      const different = new Set<string>();
      for (const file of files) {
        const body = readFileSync(file);
        different.add(body.toString("hex"));
        await post(body);
      }
      await engine.accept(manyNotes(5));
      await engine.settled();
      const rows = await until(quarantined, (found) => found.length === different.size);
      expect(rows.reduce((sum, row) => sum + row.times, 0)).toBe(files.length);
      expect(done()).toBe(5);
      await expectAllAcknowledged("copying");
    },
  );

  it("32, 28, 33: the same poison a thousand times is one row and a count, and holds nobody up", async () => {
    await start();
    for (let sent = 0; sent < 1_000; sent++)
      channel.publish("headway.events", "work.copying", Buffer.from("poison"));
    await channel.waitForConfirms();
    await engine.accept(manyNotes(3));
    await engine.settled();
    const rows = await until(quarantined, ([row]) => row?.times === 1_000, 60_000);
    expect(rows).toHaveLength(1);
    expect(done()).toBe(3);
    await expectAllAcknowledged("copying");
  });
});

describe("deliveries that are late, early or many", () => {
  it("news of what is done already has no effect but a count", async () => {
    await start();
    await engine.accept(manyNotes(3));
    await engine.settled();
    const runs = office.held.runs;
    const again = work(["note-00000", "note-00002"]);
    for (let sent = 0; sent < 200; sent++)
      channel.publish("headway.events", "work.copying", Buffer.from(JSON.stringify(again)));
    await channel.waitForConfirms();
    await until(staleNews, (stale) => stale >= 200);
    expect(office.held.runs).toBe(runs);
    expect(await quarantined()).toEqual([]);
    await expectAllSettled(engine.database);
    await expectAllAcknowledged("copying");
  });

  it("14: news of a document that is not visible yet waits for it, and burns no attempt", async () => {
    await start();
    await post(work(["note-00000"]));
    await pause(60);
    await handIn(1);
    await until(done, (count) => count === 1);
    // Of the two notifications, one led to nothing.
    await until(staleNews, (stale) => stale === 1);
    expect(await quarantined()).toEqual([]);
    await expectAllAcknowledged("copying");
    expect((kinds("task.done")[0] as { attempt: number }).attempt).toBe(1);
  });

  it("an event from outside is taken in once, however often it comes", async () => {
    const told: string[] = [];
    const receiver: Receiver = {
      type: "NoteWritten",
      collection: "notes",
      data: { type: "object", required: ["id", "text"], properties: { id: { type: "string" } } },
      async accept(data, { request }) {
        const { id, text } = data as { id: string; text: string };
        if (text === "no") throw permanent("note.refused", "We do not take this note.");
        told.push(request);
        return await engine.accept(notes.document(id, { text }), { request });
      },
    };
    await start({ receives: [receiver] });
    const one = event("NoteWritten", { id: "n1", text: "hello" });
    for (let sent = 0; sent < 3; sent++) await post(one, { to: "note.written" });
    await post(event("NoteWritten", { id: "n2", text: "no" }), { to: "note.written" });
    await post(event("NoteWritten", { id: 7 }), { to: "note.written" });
    await until(done, (count) => count === 1);
    await until(
      () => kinds("event.received").map((signal) => (signal as { effect: string }).effect),
      (effects) => effects.length === 3,
    );
    const effects = kinds("event.received").map((signal) => (signal as { effect: string }).effect);
    expect(effects.sort()).toEqual(["accepted", "known", "known"]);
    expect(new Set(told)).toEqual(new Set([one.event_id]));
    const rows = await until(quarantined, (found) => found.length === 2);
    expect(rows.map((row) => `${row.queue} ${row.reason}`).sort()).toEqual([
      "headway.inbox bad-data",
      "headway.inbox note.refused",
    ]);
    await expectAllAcknowledged("headway.inbox");
    expect(office.held.runs).toBe(1);
  });
});

describe("acknowledging", () => {
  async function cut(): Promise<void> {
    const before = kinds("broker.back").length;
    gate.cutAll();
    await until(
      () => kinds("broker.back").length,
      (back) => back > before,
    );
  }

  it("95, 41: news is not acknowledged before the commit it led to: without it, it comes again", async () => {
    await start();
    office.held.on = true;
    await handIn(1);
    await cut();
    await until(staleNews, (stale) => stale === 1);
    expect(office.held.runs).toBe(1);
    office.letGo();
    await until(done, (count) => count === 1);
    await expectAllAcknowledged("copying");
  });

  // The cut may swallow the acknowledgement in transit: then the delivery rightly comes again.
  it("95: after the commit it is acknowledged: it does not come again", { retry: 3 }, async () => {
    await start();
    await handIn(1);
    await until(done, (count) => count === 1);
    await cut();
    await post(work());
    await until(staleNews, (stale) => stale > 0);
    expect(staleNews()).toBe(1);
    await expectAllAcknowledged("copying");
  });

  it("57: no more news is in hand than there may be claims", async () => {
    await start();
    office.held.on = true;
    const clerk = manyNotes(200);
    await engine.accept(clerk);
    await until(
      () => office.held.runs,
      (runs) => runs === 32,
    );
    // All slots are taken: what comes now can only wait, here or with the broker.
    for (let sent = 0; sent < 50; sent++)
      channel.publish("headway.events", "work.copying", Buffer.from(JSON.stringify(work())));
    await channel.waitForConfirms();
    const queue = await until(
      () => queueOf("copying"),
      (view) => (view?.depth ?? 0) >= 45,
    );
    expect(queue?.depth).toBeLessThanOrEqual(58);
    office.letGo();
    await engine.settled();
    await until(
      () => queueOf("copying"),
      (view) => view?.depth === 0,
    );
    expect(done()).toBe(200);
  });
});

describe("what others see", () => {
  const get = async (queue: string): Promise<GetMessage> =>
    (await until(
      () => channel.get(queue, { noAck: true }),
      (message) => message !== false,
    )) as GetMessage;

  it("29: events arrive with their correlation, causation and trace, and fit their envelope", async () => {
    await start();
    await channel.assertQueue("mine", { durable: true });
    await channel.bindQueue("mine", "headway.events", "note.copied");
    const { request } = await engine.accept(manyNotes(1));
    const { properties, content } = await get("mine");
    const envelope = JSON.parse(content.toString());
    expect(envelope).toMatchObject({
      event_type: "NoteCopied",
      version: "1.0",
      causation_id: request,
      correlation_id: `req_${request}.stage_copying.retry_0`,
      data: { stage: "copying", document_id: "note-00000", outputs: 1 },
    });
    expect(properties).toMatchObject({
      messageId: envelope.event_id,
      type: "NoteCopied",
      appId: "headway",
      correlationId: envelope.correlation_id,
      deliveryMode: 2,
    });
    expect(properties.headers?.traceparent).toContain(request.replaceAll("-", ""));
  });

  it("30: dead letters are in the queue for them, also if somebody had deleted it", async () => {
    await start();
    await channel.deleteQueue("copying.failed");
    await engine.accept(notes.document("torn", { text: "torn" }));
    await until(
      () => queueOf("copying.failed"),
      (queue) => queue?.depth === 1,
    );
    const { content } = await get("copying.failed");
    expect(JSON.parse(content.toString())).toMatchObject({
      event_type: "CopyingFailed",
      data: {
        document_id: "torn",
        error_code: "note.torn",
        reason: "permanent",
        note_ids: ["torn"],
        error_type: "note.torn",
        retry_count: 1,
        failed_at: expect.stringMatching(/^\d{4}-.*Z$/),
        idempotency_key: "copying-torn",
      },
    });
    expect((await queueOf("copying.failed"))?.type).toBe("quorum");
  });

  it("each stage has its own dead letters, whatever it calls them", async () => {
    await start();
    await engine.accept([notes.document("one", { text: "torn" }), notes.document("two", { text: "lost" })]);
    for (const [queue, id] of [
      ["copying.failed", "one"],
      ["filing.failed", "two"],
    ] as const) {
      const { content } = await get(queue);
      expect(JSON.parse(content.toString()).data.document_id).toBe(id);
      expect(await channel.get(queue)).toBe(false);
    }
  });

  it("events that nobody asked for are handed on all the same, and counted", async () => {
    await start();
    await engine.accept(manyNotes(2));
    await until(
      () => kinds("events.unrouted").reduce((sum, one) => sum + (one as { events: number }).events, 0),
      (count) => count === 2,
    );
    expect(kinds("broker.lost")).toEqual([]);
  });
});

describe("a connection that does not last", () => {
  it("97: after a cut the subscriptions are there again, and nothing is lost", async () => {
    await start();
    for (let round = 1; round <= 2; round++) {
      gate.cutAll();
      await until(
        () => kinds("broker.back").length,
        (back) => back >= round,
      );
      await engine.accept(manyNotes(round * 10));
      await engine.settled();
    }
    expect(done()).toBe(20);
    expect(kinds("broker.lost").length).toBe(kinds("broker.back").length);
    await until(
      () => queueOf("copying"),
      (queue) => queue?.consumers === 1,
    );
  });

  it("96: a queue that was deleted under us is declared again, and news flows", async () => {
    await start();
    await channel.deleteQueue("copying");
    await until(
      () => queueOf("copying"),
      (queue) => queue?.consumers === 1,
    );
    await engine.accept(manyNotes(2));
    await until(done, (count) => count === 2);
  });

  it("a queue of the same name with other properties does not stop the work", async () => {
    await channel.assertQueue("copying", { durable: true });
    await start();
    await engine.accept(manyNotes(2));
    await engine.settled();
    const [lost] = kinds("broker.lost") as { fault: { message: string } }[];
    expect(lost?.fault.message).toContain("copying");
    expect(done()).toBe(2);
  });
});
