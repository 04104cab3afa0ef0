import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anySignalOf, everySignalKind } from "../../../test/support/any-signal.ts";
import { classify } from "../decide/classify.ts";
import type { Signal, SignalBody } from "../decide/signal.ts";
import { type LogLine, type LogOptions, logSignals } from "./logs.ts";

const at = new Date("2026-01-02T03:04:05.678Z");
const aTask = {
  stage: "parsing",
  documentId: "letters/1",
  subject: 1,
  correlationId: "req_7c4f3b6e-0000-4000-8000-000000000001.stage_parsing.retry_1",
  attempt: 2,
};

function linesOf(signals: readonly unknown[], options: LogOptions = {}): string[] {
  let written = "";
  const destination = { write: (line: string) => (written += line) };
  const heard = logSignals({ level: "debug", ...options, destination });
  for (const signal of signals) heard(signal as Signal);
  return written.split("\n").slice(0, -1);
}

const lineOf = (body: SignalBody): LogLine => JSON.parse(linesOf([{ at, ...body }])[0] as string);

describe("logs", () => {
  it.each(everySignalKind)("%s gives exactly one line of JSON with every field of a line", (kind) => {
    fc.assert(
      fc.property(anySignalOf(kind), (signal) => {
        const lines = linesOf([signal]);
        expect(lines).toHaveLength(1);
        const line: LogLine = JSON.parse(lines[0] as string);
        expect(Object.keys(line).sort()).toEqual([
          "correlation_id",
          "document_id",
          "level",
          "message",
          "metadata",
          "processor",
          "timestamp",
        ]);
        expect(line.timestamp).toBe(signal.at.toISOString());
        expect(line.message).toMatch(/\.$/);
        expect(line.metadata.kind).toBe(kind);
      }),
      { numRuns: 30 },
    );
  });

  it("a line about a task carries its correlation id, stage and document", () => {
    expect(lineOf({ kind: "task.done", outputs: 2, durationMs: 7, sinceFirstMs: 900, ...aTask })).toEqual({
      level: "info",
      timestamp: "2026-01-02T03:04:05.678Z",
      correlation_id: aTask.correlationId,
      processor: "parsing",
      document_id: "letters/1",
      metadata: { kind: "task.done", outputs: 2, durationMs: 7, sinceFirstMs: 900, subject: 1, attempt: 2 },
      message:
        '"letters/1" in parsing is done after 7 ms with 2 outputs, at attempt 2, 900 ms after the first.',
    });
  });

  it("a retry is info, the last one a warning, a death an error, a first success debug", () => {
    const fault = classify(new Error("no"));
    const retried = {
      kind: "task.retried",
      durationMs: 12,
      fault,
      nextAt: at,
      inPlace: false,
      ...aTask,
    } as const;
    expect(lineOf({ ...retried, left: 2 }).level).toBe("info");
    expect(lineOf({ ...retried, left: 1 })).toMatchObject({
      level: "warn",
      message: expect.stringContaining("attempt 3, the last one, follows at"),
    });
    const died = {
      kind: "task.died",
      durationMs: 12,
      reason: "exhausted",
      fault,
      collection: "letters",
      ...aTask,
    } as const;
    expect(lineOf(died).level).toBe("error");
    const done = { kind: "task.done", outputs: 1, durationMs: 7, ...aTask } as const;
    expect(lineOf({ ...done, attempt: 1 }).level).toBe("debug");
  });

  it("a line without a task carries the request or the worker instead", () => {
    const accepted = { collection: "letters", inserted: 1, changed: 0, unchanged: 0, conflicts: 0 };
    expect(
      lineOf({ kind: "documents.accepted", durationMs: 1, request: "abc", ...accepted }).correlation_id,
    ).toBe("req_abc");
    expect(lineOf({ kind: "worker.stopped", worker: 4, released: 0 })).toMatchObject({
      correlation_id: "worker_4",
      processor: "worker",
      document_id: null,
    });
    expect(lineOf({ kind: "events.relayed", events: 1 }).correlation_id).toBeNull();
  });

  it("what is quieter than the level is not written", () => {
    const signals = [
      { at, kind: "task.skipped", ...aTask },
      { at, kind: "events.relayed", events: 3 },
      { at, kind: "database.back", downMs: 3 },
    ];
    expect(linesOf(signals, { level: "info" })).toHaveLength(1);
    expect(linesOf(signals, { level: "warn" })).toHaveLength(0);
  });

  it.each([
    ["in an address", "connect postgres://admin:hunter2@db.example:5432/headway failed"],
    ["with signs of their own", "connect postgres://admin:p@ss/hunter2@db.example failed"],
    ["without a user", "fetch https://hunter2-token@api.example/v1 failed"],
    ["in JSON", 'config { "password": "hunter2" } refused'],
    ["in a query", "password=hunter2&user=admin refused"],
    ["in a header", "Authorization: Bearer hunter2hunter2 refused"],
    ["cut in two", `${"x".repeat(7_965)} postgres://admin:hunter2hunter2@db.example`],
  ])("credentials are never written: %s", (_, message) => {
    const fault = classify(new Error(message, { cause: new Error(message) }));
    for (const pretty of [false, true]) {
      const [line] = linesOf(
        [
          {
            at,
            kind: "task.died",
            durationMs: 12,
            reason: "exhausted",
            fault,
            collection: "mails",
            ...aTask,
          },
        ],
        { pretty },
      );
      expect(line).not.toContain("hunter2");
    }
  });

  it("an address without credentials is written as it is", () => {
    const fault = classify(new Error("GET https://api.example:8080/v1/items failed"));
    expect(
      lineOf({ kind: "task.died", durationMs: 12, reason: "exhausted", fault, collection: "mails", ...aTask })
        .message,
    ).toContain("https://api.example:8080/v1/items");
  });

  it("a huge fault gives a line of bounded size", () => {
    const fault = { ...classify(new Error("x")), message: "m".repeat(1e6), stack: "s".repeat(1e6) };
    const [line] = linesOf([
      { at, kind: "task.died", durationMs: 12, reason: "exhausted", fault, collection: "mails", ...aTask },
    ]);
    expect((line as string).length).toBeLessThan(20_000);
  });

  it("whatever it is given it writes one line and never throws", () => {
    const circle: Record<string, unknown> = { kind: "task.died", durationMs: 12, at, ...aTask };
    circle.fault = circle;
    const fail = () => expect.fail("it cannot be read");
    const trap = new Proxy({}, { get: fail, ownKeys: fail });
    const strange = [circle, trap, null, undefined, 7, "text", { kind: "brand.new", at }, { kind: {} }];
    const unreadable = {
      kind: "task.retried",
      durationMs: 12,
      at: new Date(Number.NaN),
      nextAt: 1n,
      fault: trap,
    };
    for (const line of linesOf([...strange, unreadable, { kind: "toString" }])) JSON.parse(line);
    expect(linesOf([...strange, unreadable])).toHaveLength(strange.length + 1);
  });

  it("a destination that fails does not fail the work", () => {
    const broken = { write: () => expect.fail("the disk is full") };
    expect(() => logSignals({ destination: broken })({ at, kind: "database.back", downMs: 1 })).not.toThrow();
  });

  it("pretty lines are one line each and read like a sentence", () => {
    const fault = classify(new Error("first\nsecond"));
    const [line, ...rest] = linesOf(
      [{ at, kind: "task.retried", durationMs: 12, fault, nextAt: at, inPlace: false, left: 2, ...aTask }],
      { pretty: true },
    );
    expect(rest).toEqual([]);
    expect(line).toMatch(/^2026-01-02T03:04:05\.678Z info {2}parsing letters\/1: .*first second/);
  });
});
