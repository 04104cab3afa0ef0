import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { openSpanExport } from "../../engine/src/dispatch/export-spans.ts";
import {
  collection,
  groupStage,
  permanent,
  pipeline,
  type Signal,
  stage,
  startEngine,
  transient,
} from "../../engine/src/index.ts";
import { systemClock } from "../../engine/src/run/clock.ts";
import type { Span } from "../../engine/src/watch/spans.ts";
import { until } from "../support/waiting.ts";

vi.setConfig({ testTimeout: 60_000 });

type Mood = "fine" | "hangs" | "broken" | "busy" | "garbage" | "huge" | "refuses" | "partial";

const bodies: unknown[] = [];
const hanging: ServerResponse[] = [];
let asked = 0;
let mood: Mood = "fine";
let collector: Server;
const url = () => `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;

beforeAll(async () => {
  collector = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      asked++;
      if (mood === "hangs") return void hanging.push(response);
      if (mood === "garbage") return request.socket.end("\0\0 no HTTP\r\n\r\n");
      const status = { fine: 200, broken: 500, busy: 429, huge: 200, refuses: 400, partial: 200 }[mood];
      if (status === 200) bodies.push(JSON.parse(Buffer.concat(pieces).toString()));
      response.writeHead(status, { "content-type": "application/json" });
      if (mood === "huge") response.end(Buffer.alloc(10_000_000));
      else if (mood === "partial")
        response.end('{"partialSuccess":{"rejectedSpans":"3","errorMessage":"no"}}');
      else response.end("{}");
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  mood = "fine";
  asked = 0;
  bodies.length = 0;
  for (const one of hanging.splice(0)) one.destroy();
  for (const name of ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_TRACES_SAMPLER_ARG"]) delete process.env[name];
});
afterAll(() => {
  collector.closeAllConnections();
  collector.close();
});

interface Body {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly unknown[] };
    readonly scopeSpans: readonly { readonly scope: object; readonly spans: readonly Span[] }[];
  }[];
}
const spansOf = (all: readonly unknown[]): Span[] =>
  (all as Body[]).flatMap((body) =>
    body.resourceSpans.flatMap((one) => one.scopeSpans.flatMap((each) => each.spans)),
  );
const attributeOf = (span: Span | undefined, key: string) => {
  const value = span?.attributes.find((one) => one.key === key)?.value as
    | { stringValue?: string; intValue?: string }
    | undefined;
  return value?.stringValue ?? value?.intValue;
};

const archives = collection("archives", z.object({ list: z.string(), lines: z.array(z.string()) }));
const lines = collection("lines", z.object({ list: z.string(), text: z.string() }));
const checked = collection("checked", z.object({}));
const summaries = collection("summaries", z.object({ lines: z.number() }));

/** An archive is split, its lines are summarized by list; a line may fail once or for ever. */
const seenTraceparents: string[] = [];
const failedOnce = new Set<string>();
const splitting = stage("splitting", {
  reads: archives,
  writes: [lines],
  *run(archive, { traceparent }) {
    seenTraceparents.push(traceparent);
    for (const [at, text] of archive.lines.entries())
      yield lines.document(`${archive.id}/${at}`, { list: archive.list, text });
  },
});
const checking = stage("checking", {
  reads: lines,
  writes: [checked],
  *run(line) {
    if (line.text === "bad") throw permanent("line.bad", `The line says ${line.text}`);
    if (line.text === "shaky" && !failedOnce.has(line.id)) {
      failedOnce.add(line.id);
      throw transient("line.shaky", "Not yet");
    }
    yield checked.document(line.id, {});
  },
});
const summing = groupStage("summing", {
  reads: lines,
  per: (line) => line.list,
  quiet: "50ms",
  writes: [summaries],
  *run(group) {
    yield summaries.document(group.key, { lines: group.documents.length });
  },
});
const post = pipeline("post", { stages: [splitting, checking, summing] });

const open = (onSignal?: (signal: Signal) => void) =>
  startEngine({
    pipelines: [post],
    services: {},
    database: { memory: true },
    ...(onSignal && { onSignal }),
  });

describe("traces", () => {
  it("show an archive as one trace from its acceptance to its summary, with every attempt", async () => {
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `${url()}/`;
    const outside = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
    const engine = await open();
    const { request } = await engine.accept(
      archives.document("june", { list: "dev", lines: ["good", "bad", "shaky"] }),
      { traceparent: outside },
    );
    await engine.settled();
    await engine.stop();
    const spans = spansOf(bodies);
    const trace = request.replaceAll("-", "");
    expect(new Set(spans.map((one) => one.traceId))).toEqual(new Set([trace]));
    const root = spans.find((one) => one.name === "accept archives");
    expect(root?.parentSpanId).toBeUndefined();
    expect(root?.links).toEqual([{ traceId: "a".repeat(32), spanId: "b".repeat(16) }]);
    expect(attributeOf(root, "headway.origin_trace")).toBe("a".repeat(32));
    const attempts = spans.filter((one) => one !== root);
    for (const one of attempts) expect(one.parentSpanId).toBe(root?.spanId);
    expect(new Set(spans.map((one) => one.spanId)).size).toBe(spans.length);
    const named = (name: string) => attempts.filter((one) => one.name === name);
    expect(named("process splitting")).toHaveLength(1);
    // Good, bad, and shaky twice.
    expect(
      named("process checking")
        .map((one) => attributeOf(one, "headway.outcome"))
        .sort(),
    ).toEqual(["died", "done", "done", "retried"]);
    expect(named("process summing").length).toBeGreaterThan(0);
    const failed = named("process checking").filter((one) => one.status);
    expect(failed.map((one) => attributeOf(one, "error.type")).sort()).toEqual(["line.bad", "line.shaky"]);
    expect(JSON.stringify(bodies)).not.toContain("The line says");
    expect(seenTraceparents).toEqual([`00-${trace}-${named("process splitting")[0]?.spanId}-01`]);
  });

  it("have the fields of the OpenTelemetry protocol, with nanoseconds as text", async () => {
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = url();
    const engine = await open();
    await engine.accept(archives.document("june", { list: "dev", lines: ["good"] }));
    await engine.settled();
    await engine.stop();
    const [first] = bodies as Body[];
    expect(Object.keys(first ?? {})).toEqual(["resourceSpans"]);
    expect(JSON.stringify(first?.resourceSpans[0]?.resource)).toContain('"service.name"');
    for (const span of spansOf(bodies)) {
      const allowed =
        /^(traceId|spanId|parentSpanId|name|kind|startTimeUnixNano|endTimeUnixNano|attributes|links|droppedLinksCount|status)$/;
      for (const field of Object.keys(span)) expect(field).toMatch(allowed);
      expect(span.startTimeUnixNano).toMatch(/^\d{19}$/);
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
      expect([4, 5]).toContain(span.kind);
    }
  });

  it("link a group to the requests of its other members", async () => {
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = url();
    const engine = await open();
    const june = await engine.accept(archives.document("june", { list: "dev", lines: ["a", "b"] }));
    await engine.settled();
    const july = await engine.accept(archives.document("july", { list: "dev", lines: ["c"] }));
    await engine.settled();
    await engine.stop();
    const spans = spansOf(bodies);
    const rootOf = ({ request }: { request: string }) =>
      spans.find((one) => one.name === "accept archives" && one.traceId === request.replaceAll("-", ""));
    const last = spans.filter((one) => one.name === "process summing").at(-1);
    expect(last?.traceId).toBe(rootOf(july)?.traceId);
    expect(last?.links).toEqual([{ traceId: rootOf(june)?.traceId, spanId: rootOf(june)?.spanId }]);
  });

  it("are sampled by request, and faults always", async () => {
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = url();
    process.env.OTEL_TRACES_SAMPLER_ARG = "0";
    const engine = await open();
    await engine.accept(archives.document("june", { list: "dev", lines: ["good", "bad"] }));
    await engine.settled();
    await engine.stop();
    expect(spansOf(bodies).map((one) => attributeOf(one, "headway.outcome"))).toEqual(["died"]);
  });

  it.each(["hangs", "broken", "busy", "garbage", "huge", "refuses"] as const)(
    "a collector that %s costs the work nothing: all is done, and the engine stops",
    async (how) => {
      mood = how;
      process.env.OTEL_EXPORTER_OTLP_ENDPOINT = url();
      const dropped: number[] = [];
      const engine = await open((signal) => {
        if (signal.kind === "spans.dropped") dropped.push(signal.spans);
      });
      const many = Array.from({ length: 900 }, (_, at) => `line ${at}`);
      await engine.accept(archives.document("june", { list: "dev", lines: many }));
      await engine.settled();
      await until(() => asked > 0, Boolean);
      await engine.stop();
      expect(await Promise.resolve(dropped.length > 0)).toBe(how !== "huge");
    },
  );

  it("an address that is none is refused at start", async () => {
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = "127.0.0.1:4318";
    await expect(open()).rejects.toThrow("OTEL_EXPORTER_OTLP_ENDPOINT is no address");
  });
});

describe("the queue of spans", () => {
  const opened = (queueMax: number) => {
    const lost: [number, string][] = [];
    const spans = openSpanExport<number>({
      settings: { url: `${url()}/v1/traces`, headers: {} },
      encode: (some) => JSON.stringify(some),
      timers: systemClock(),
      dropped: (count, problem) => lost.push([count, problem]),
      queueMax,
      everyMs: 10,
    });
    return { spans, lost };
  };

  it("is bounded while a collector hangs; later spans are dropped and counted", async () => {
    mood = "hangs";
    const { spans, lost } = opened(600);
    for (let one = 0; one < 512; one++) spans.take(one);
    await until(() => hanging.length, Boolean);
    for (let one = 0; one < 1_000; one++) spans.take(one);
    mood = "fine";
    for (const one of hanging.splice(0)) one.end("{}");
    await until(
      () => bodies.length,
      (count) => count >= 2,
    );
    await spans.close();
    expect(lost).toEqual([[400, "the queue of 600 was full"]]);
    expect((bodies as number[][]).flat()).toHaveLength(600);
  });

  it("sends a batch again that the collector could not take, whole and once", async () => {
    mood = "busy";
    const { spans, lost } = opened(600);
    spans.take(1);
    spans.take(2);
    await until(
      () => asked,
      (times) => times >= 2,
    );
    mood = "fine";
    await until(() => bodies.length, Boolean);
    await spans.close();
    expect(bodies).toEqual([[1, 2]]);
    expect(lost).toEqual([]);
  });

  it("counts what the collector rejects, and does not send a refused batch again", async () => {
    mood = "partial";
    const { spans, lost } = opened(600);
    spans.take(1);
    await until(() => lost.length, Boolean);
    mood = "refuses";
    spans.take(2);
    await until(
      () => lost.length,
      (count) => count === 2,
    );
    await spans.close();
    expect(asked).toBe(2);
    expect(lost.map(([count]) => count)).toEqual([3, 1]);
  });
});
