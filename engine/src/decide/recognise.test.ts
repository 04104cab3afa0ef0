import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { notFoundYet, permanent, rateLimited, StageFault, transient } from "./fault.ts";
import { recognise } from "./recognise.ts";

const now = new Date("2024-05-06T10:00:00Z");
const http = (status: number, headers: unknown = {}) => Object.assign(new Error("no"), { status, headers });
const coded = (code: string, more: object = {}) => Object.assign(new Error("no"), { code, ...more });

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

describe("a stage's own fault", () => {
  test("keeps its kind and code", () => {
    expect(recognise(permanent("pdf.encrypted", "no"))).toMatchObject({
      kind: "permanent",
      code: "pdf.encrypted",
    });
    expect(recognise(notFoundYet("thread.missing", "no"))).toMatchObject({ kind: "not-found-yet" });
    const down = transient("llm.down", "no", { dependency: "llm", outage: true });
    expect(recognise(down)).toMatchObject({ kind: "transient", dependency: "llm", outage: true });
    expect(recognise(rateLimited("llm.busy", "no", 5))).toMatchObject({
      kind: "rate-limited",
      retryAfterMs: 5,
    });
  });

  test("is known from a second copy of the package, and under another name", () => {
    const copy = Object.assign(new Error("no"), { name: "StageFault", kind: "permanent", code: "pdf.empty" });
    expect(recognise(copy)).toMatchObject({ kind: "permanent", code: "pdf.empty" });
    class PdfFault extends StageFault {
      override name = "PdfFault";
    }
    expect(recognise(new PdfFault("permanent", "pdf.empty", "no"))).toMatchObject({ code: "pdf.empty" });
  });

  test("of a kind that does not exist is not believed", () => {
    expect(
      recognise(Object.assign(new Error("no"), { name: "StageFault", kind: "fatal", code: "x" })),
    ).toBeUndefined();
  });
});

describe("an HTTP answer", () => {
  test.each([
    [400, "permanent"],
    [401, "permanent"],
    [403, "permanent"],
    [404, "permanent"],
    [408, "transient"],
    [409, "permanent"],
    [422, "permanent"],
    [425, "transient"],
    [429, "rate-limited"],
    [500, "transient"],
    [501, "permanent"],
    [505, "permanent"],
    [529, "transient"],
  ])("%i is %s", (status, kind) => {
    expect(recognise(http(status))).toMatchObject({ kind, code: `http.${status}`, outage: false });
  });

  test.each([502, 503, 504])("%i is an outage", (status) => {
    expect(recognise(http(status))).toMatchObject({ kind: "transient", outage: true });
  });

  test("is found wherever clients put it", () => {
    const thrown = [
      { status: 503 },
      { statusCode: 503 },
      { response: { status: 503 } },
      { response: { statusCode: 503 } },
      { $metadata: { httpStatusCode: 503 } },
      new Response("", { status: 503 }),
      Object.assign(coded("ERR_BAD_RESPONSE"), { response: { status: 503, headers: {} } }),
    ];
    for (const each of thrown) expect(recognise(each)).toMatchObject({ kind: "transient", code: "http.503" });
  });

  test("without words of its own says its status", () => {
    const response = new Response("", { status: 503, statusText: "Service Unavailable" });
    expect(recognise(response)?.message).toBe("HTTP 503 Service Unavailable");
  });

  test("is not seen in other numbers", () => {
    for (const status of [0, 1, 200, 304, 600, 404.5, Number.NaN, "404"])
      expect(recognise({ status })).toBeUndefined();
  });
});

describe("a Retry-After header", () => {
  test.each([
    [new Headers({ "Retry-After": "7" }), 7_000],
    [{ "retry-after": "7" }, 7_000],
    [{ "Retry-After": 7 }, 7_000],
    [{ "retry-after": ["7", "9"] }, 7_000],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "1.5" }, 1_500],
    [new Headers({ "retry-after-ms": "250", "retry-after": "7" }), 250],
    [new Map([["retry-after", "7"]]), 7_000],
    [{ "retry-after": "Mon, 06 May 2024 10:00:30 GMT" }, 30_000],
    [{ "retry-after": "Monday, 06-May-24 10:00:30 GMT" }, 30_000],
  ])("is understood in the form %#", (headers, retryAfterMs) => {
    expect(recognise(http(429, headers), now)).toMatchObject({ kind: "rate-limited", retryAfterMs });
    expect(recognise({ response: { status: 429, headers } }, now)).toMatchObject({ retryAfterMs });
  });

  test("makes any status a wish to slow down", () => {
    const busy = { kind: "rate-limited", code: "http.503", retryAfterMs: 7_000, outage: true };
    expect(recognise(http(503, { "retry-after": "7" }))).toMatchObject(busy);
    expect(recognise(http(413, { "retry-after": "7" }))).toMatchObject({
      kind: "rate-limited",
      code: "http.413",
    });
  });

  test("that holds a date is no delay while nobody says what time it is", () => {
    const judged = recognise(http(503, { "retry-after": "Mon, 06 May 2024 10:00:30 GMT" }));
    expect(judged).toMatchObject({ kind: "rate-limited" });
    expect(judged).not.toHaveProperty("retryAfterMs");
  });

  test.each(["soon", "-5", "", "NaN", "1e9", "foo 12", "9".repeat(1_000), {}, null])(
    "is ignored when it says %j",
    (value) => {
      expect(recognise(http(503, { "retry-after": value }), now)).toMatchObject({ kind: "transient" });
    },
  );
});

describe("a system error", () => {
  test.each([
    ["ECONNREFUSED", "connection.refused"],
    ["ECONNRESET", "connection.reset"],
    ["EPIPE", "connection.closed"],
    ["ETIMEDOUT", "connection.timeout"],
    ["ENOTFOUND", "connection.unknown-host"],
    ["EAI_AGAIN", "connection.name-lookup"],
    ["EHOSTUNREACH", "connection.unreachable"],
    ["ENETUNREACH", "connection.unreachable"],
    ["UND_ERR_CONNECT_TIMEOUT", "connection.timeout"],
    ["UND_ERR_SOCKET", "connection.closed"],
    ["UND_ERR_SOMETHING_NEW", "connection.failed"],
  ])("%s is an outage: %s", (code, expected) => {
    expect(recognise(coded(code))).toEqual({ kind: "transient", code: expected, outage: true });
  });

  test.each([
    ["ENOSPC", "transient", "disk.full"],
    ["EMFILE", "transient", "file.too-many-open"],
    ["EBUSY", "transient", "file.busy"],
    ["ENOENT", "permanent", "file.missing"],
    ["EACCES", "permanent", "file.forbidden"],
    ["EISDIR", "permanent", "file.is-folder"],
    ["ENOTDIR", "permanent", "file.not-folder"],
    ["ERR_STRING_TOO_LONG", "permanent", "input.too-large"],
    ["ERR_WORKER_OUT_OF_MEMORY", "permanent", "memory.exhausted"],
  ])("%s is %s: %s", (code, kind, expected) => {
    expect(recognise(coded(code))).toEqual({ kind, code: expected });
  });

  test("says that a server is down when its socket file is missing", async () => {
    const thrown = await new Promise((resolve) => connect("/nowhere/.s.PGSQL.5432").once("error", resolve));
    expect(recognise(thrown)).toMatchObject({ kind: "transient", code: "connection.refused", outage: true });
  });

  test("that is a wrong call of ours is no outage, since that would be tried for ever", () => {
    expect(recognise(coded("UND_ERR_INVALID_ARG"))).toBeUndefined();
  });

  test.each(["__proto__", "constructor", "toString", "EUNHEARDOF", ""])(
    "with the code %j is not known",
    (code) => {
      expect(recognise(coded(code))).toBeUndefined();
    },
  );
});

describe("a database error", () => {
  test.each([
    ["08006", "transient", true],
    ["40001", "transient", false],
    ["40P01", "transient", false],
    ["53300", "transient", true],
    ["55P03", "transient", false],
    ["57014", "transient", false],
    ["57P01", "transient", true],
    ["58030", "transient", true],
    ["25006", "transient", true],
    ["22P02", "permanent", false],
    ["23505", "permanent", false],
    ["42P01", "permanent", false],
    ["28P01", "permanent", false],
  ])("%s is %s (outage: %s)", (state, kind, outage) => {
    const judged = recognise(coded(state));
    expect(judged).toMatchObject({ kind, code: `database.${state}` });
    expect(judged?.outage ?? false).toBe(outage);
  });

  test("of another class is unknown, under its own code, when it surely is one", () => {
    expect(recognise(coded("XX000", { severity: "ERROR" }))).toEqual({
      kind: "unknown",
      code: "database.XX000",
    });
    expect(recognise(coded("HELLO"))).toBeUndefined();
  });

  test("that the driver only puts into words is an outage", () => {
    const judged = recognise(new Error("Connection terminated unexpectedly"));
    expect(judged).toEqual({ kind: "transient", code: "connection.closed", outage: true });
  });
});

describe("an error of the language", () => {
  test("that gave up waiting is transient", () => {
    expect(recognise(new DOMException("late", "TimeoutError"))).toEqual({
      kind: "transient",
      code: "timeout",
    });
    expect(recognise(new DOMException("stop", "AbortError"))).toEqual({ kind: "transient", code: "aborted" });
    expect(recognise(thrownBy(() => AbortSignal.abort().throwIfAborted()))).toMatchObject({
      code: "aborted",
    });
  });

  test.each(["", "{", "[1,]", '{"a":1}x', "undefined", '"\n"', "<html>", '{"a" 1}'])(
    "for the JSON %j is malformed input",
    (text) => {
      const malformed = { kind: "permanent", code: "input.malformed" };
      expect(recognise(thrownBy(() => JSON.parse(text)))).toEqual(malformed);
    },
  );

  test("for a broken regular expression is not malformed input", () => {
    expect(recognise(thrownBy(() => new RegExp("(".repeat(3))))).toBeUndefined();
  });

  test("for a text or list too large will not get better", () => {
    const large = { kind: "permanent", code: "input.too-large" };
    expect(recognise(thrownBy(() => "x".repeat(2 ** 30)))).toEqual(large);
    expect(recognise(thrownBy(() => new Array(-1)))).toEqual(large);
    const exhausted = { kind: "permanent", code: "memory.exhausted" };
    expect(recognise(new RangeError("Array buffer allocation failed"))).toEqual(exhausted);
  });

  test("that could be anything is left open", () => {
    for (const thrown of [
      new Error("no"),
      new TypeError("x is not a function"),
      "no",
      undefined,
      null,
      0,
      {},
      [],
    ]) {
      expect(recognise(thrown)).toBeUndefined();
    }
  });
});

describe("a schema's refusal", () => {
  test("says where and what, not the whole list", () => {
    const schema = z.object({
      pages: z.array(z.object({ title: z.string() })),
      a: z.int(),
      b: z.int(),
      c: z.int(),
    });
    const thrown = thrownBy(() => schema.parse({ pages: [{ title: "x" }, { title: 5 }] }));
    const judged = recognise(thrown);
    expect(judged).toMatchObject({ kind: "permanent", code: "input.invalid" });
    expect(judged?.message).toMatch(/^pages\.1\.title: Invalid input: .*; a: .*; b: .*; and 1 more$/);
  });

  test("is understood in the Standard Schema form", () => {
    const issues = [
      { message: "is missing", path: [{ key: "list" }, 0, Symbol("x")] },
      { message: "is empty" },
    ];
    expect(recognise({ issues })?.message).toBe("list.0.?: is missing; is empty");
  });

  test("needs issues that say something", () => {
    for (const issues of [[], "x", [1], [{ path: [] }], {}]) expect(recognise({ issues })).toBeUndefined();
  });
});
