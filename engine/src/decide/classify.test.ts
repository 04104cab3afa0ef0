import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectLinear } from "../../../test/support/growth.ts";
import type { ClassifiedAs } from "../define/stage.ts";
import { classify } from "./classify.ts";
import { type Fault, faultKinds, permanent, rateLimited, transient } from "./fault.ts";

const refuse = (): never => {
  throw new Error("no entry");
};
const traps: ProxyHandler<object> = { get: refuse, has: refuse, ownKeys: refuse, getPrototypeOf: refuse };

function revoked(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

function trappedError(...keys: readonly string[]): Error {
  const error = new Error("fine");
  for (const key of keys) Object.defineProperty(error, key, { get: refuse });
  return error;
}

function circular(): Error {
  const [one, other] = [new Error("one"), new Error("other")];
  one.cause = other;
  other.cause = one;
  return one;
}

function nestedAggregate(): AggregateError {
  const error = new AggregateError([], "all of them");
  error.errors = Array.from({ length: 20 }, () => new AggregateError([error, error, new Error("x")]));
  return error;
}

/** `stack` first: to replace it later would read the others. */
const textKeys = [
  "stack",
  "name",
  "message",
  "code",
  "cause",
  "errors",
  "status",
  "headers",
  "issues",
  "kind",
  "constructor",
];
const monsters: readonly unknown[] = [
  new Proxy({}, traps),
  new Proxy(new Error("x"), traps),
  new Proxy({}, { get: () => new Proxy({}, traps) }),
  new Proxy(() => 1, { get: () => refuse }),
  revoked({}),
  revoked([]),
  { errors: revoked([]), issues: revoked([]), headers: { get: refuse }, status: 503 },
  circular(),
  nestedAggregate(),
  Symbol("x"),
  new Error("\0\ud800"),
  Object.assign(new Error("x"), {
    name: "\0\ud800 \n",
    code: "\0".repeat(1_000),
    stack: "\0\n    at \ud800",
  }),
  Object.assign(permanent("\0".repeat(300), "\0"), { dependency: "\ud800", retryAfterMs: Number.NaN }),
  rateLimited("x", "x", Number.POSITIVE_INFINITY),
  rateLimited("x", "x", -5),
];

/** Handed over in functions, because fast-check would look into them. */
const hostile: fc.Arbitrary<() => unknown> = fc.oneof(
  fc
    .anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true })
    .map((any) => () => any),
  fc.dictionary(fc.constantFrom(...textKeys), fc.anything()).map((any) => () => any),
  fc
    .dictionary(fc.constantFrom(...textKeys), fc.anything())
    .map((any) => () => Object.assign(new Error("x"), any)),
  fc.subarray(textKeys).map((keys) => () => trappedError(...keys)),
  fc.string({ unit: "binary" }).map((text) => () => new Error(text)),
  fc.constantFrom(...monsters.map((monster) => () => monster)),
);

/** Everything the store relies on. */
function expectStorable(fault: Fault): void {
  expect(faultKinds).toContain(fault.kind);
  expect(fault.fingerprint).toMatch(/^[0-9a-f]{12}$/);
  expect(fault.code).not.toBe("");
  expect(Buffer.byteLength(fault.code)).toBeLessThanOrEqual(100);
  expect(Buffer.byteLength(fault.message)).toBeLessThanOrEqual(16_384);
  expect(Buffer.byteLength(fault.stack ?? "")).toBeLessThanOrEqual(8_192);
  expect(fault.causes?.length ?? 1).toBeLessThanOrEqual(9);
  for (const cause of fault.causes ?? []) expect(Buffer.byteLength(cause)).toBeLessThanOrEqual(300);
  const delayMs = fault.retryAfterMs ?? 0;
  expect(Number.isInteger(delayMs) && delayMs >= 0 && delayMs <= 24 * 3_600_000).toBe(true);
  const text = [fault.code, fault.message, fault.dependency, fault.stack, ...(fault.causes ?? [])].join("|");
  expect(text.includes("\0")).toBe(false);
  expect(text.isWellFormed()).toBe(true);
  expect(JSON.parse(JSON.stringify(fault))).toEqual(fault);
}

describe("anything thrown", () => {
  test("becomes a fault that can be stored", () => {
    fc.assert(
      fc.property(hostile, (give) => {
        expectStorable(classify(give()));
      }),
      { numRuns: 2_000 },
    );
  });

  test("becomes a fault whatever a stage says about it", () => {
    const words = fc.dictionary(
      fc.constantFrom("kind", "code", "message", "retryAfterMs", "outage"),
      fc.anything(),
    );
    const answers = fc.oneof(
      hostile,
      words.map((said) => () => said),
    );
    fc.assert(
      fc.property(hostile, answers, fc.boolean(), (give, answer, isThrown) => {
        const extend = () => {
          if (isThrown) throw answer();
          return answer() as ClassifiedAs;
        };
        expectStorable(classify(give(), { extend, stage: "parsing", now: new Date(0) }));
      }),
      { numRuns: 2_000 },
    );
  });

  test("has a code, a message and a fingerprint even if nothing of it can be read", () => {
    const fault = classify(new Proxy(new Error("x"), traps));
    expect(fault).toEqual({
      kind: "unknown",
      code: "unknown.thrown",
      message: expect.any(String),
      fingerprint: expect.any(String),
    });
  });

  test.each([
    [new Error("no"), "unknown.error", "no"],
    [new TypeError("x is not a function"), "unknown.typeerror", "x is not a function"],
    [new (class FontError extends Error {})("no"), "unknown.fonterror", "no"],
    [Object.assign(new Error("no"), { name: "My Error!" }), "unknown.my-error-", "no"],
    [new Error(""), "unknown.error", "Error without a message"],
    ["no", "unknown.thrown", "no"],
    [undefined, "unknown.thrown", "undefined was thrown"],
    [{ message: "no" }, "unknown.thrown", "no"],
    [{ reason: 5 }, "unknown.thrown", "Object { reason: 5 } was thrown"],
  ])("that nobody knows is unknown, under its name (%#)", (thrown, code, message) => {
    expect(classify(thrown)).toMatchObject({ kind: "unknown", code, message });
  });

  test("keeps what a stage said itself", () => {
    const fault = classify(transient("llm.down", "The model is away.", { dependency: "llm", outage: true }));
    const said = {
      kind: "transient",
      code: "llm.down",
      message: "The model is away.",
      dependency: "llm",
      outage: true,
    };
    expect(fault).toMatchObject(said);
    expect(classify(permanent("pdf.empty", "no"))).not.toHaveProperty("outage");
  });
});

describe("a huge message", () => {
  test("of 100 MB is cut to 16 KiB and known by its hash, and its stack still shows where it came from", () => {
    const text = "é\n".repeat(35_000_000);
    const error = new Error(text);
    const fault = classify(error);
    expectStorable(fault);
    const sha256 = createHash("sha256").update(text).digest("hex");
    expect(fault.truncated).toEqual({ bytes: 105_000_000 - Buffer.byteLength(fault.message), sha256 });
    expect(Buffer.byteLength(fault.message)).toBeGreaterThan(16_380);
    expect(fault.stack).toContain("classify.test.ts");
  });

  test("of nothing but NUL, and one that looks for itself in its cause, are no trouble", async () => {
    await expectLinear(900_000, (size) => {
      const half = "a".repeat(size / 5);
      expectStorable(classify(new Error("\0".repeat(20 * size))));
      expectStorable(classify(new Error("a".repeat(size), { cause: permanent("x", `${half}b${half}`) })));
    });
  }, 120_000);

  test("is cut where the caller says", () => {
    expect(classify("a".repeat(50), { messageBytesMax: 20 }).message).toBe("a".repeat(20));
    expect(classify("a".repeat(50), { messageBytesMax: Number.NaN }).message).toBe("a".repeat(50));
  });
});

describe("causes", () => {
  const refused = (port = 80) =>
    Object.assign(new Error(`connect ECONNREFUSED ::1:${port}`), { code: "ECONNREFUSED" });

  test("decide for an error that says nothing by itself", () => {
    expect(classify(new TypeError("fetch failed", { cause: refused() }))).toMatchObject({
      kind: "transient",
      code: "connection.refused",
      outage: true,
      message: "fetch failed: connect ECONNREFUSED ::1:80",
    });
    const wrapped = new Error("while parsing", {
      cause: new Error("deeper", { cause: permanent("pdf.empty", "No pages.") }),
    });
    expect(classify(wrapped)).toMatchObject({
      kind: "permanent",
      code: "pdf.empty",
      message: "while parsing: No pages.",
    });
  });

  test("do not decide for an error that is known itself", () => {
    expect(classify(permanent("pdf.empty", "no", { cause: refused() }))).toMatchObject({
      kind: "permanent",
      code: "pdf.empty",
    });
  });

  test("are told shortly, outermost first, each once and at most eight", () => {
    const fault = classify(new Error("top", { cause: new Error("middle", { cause: refused() }) }));
    expect(fault.causes).toEqual(["Error: middle", "Error [ECONNREFUSED]: connect ECONNREFUSED ::1:80"]);
    expect(classify(circular()).causes).toEqual(["Error: other"]);
    let deep = new Error("0");
    for (let level = 1; level < 100; level++) deep = new Error(`${level}`, { cause: deep });
    expect(classify(deep).causes).toEqual(
      ["98", "97", "96", "95", "94", "93", "92", "91"].map((level) => `Error: ${level}`),
    );
    expect(classify(new Error("no", { cause: "tired" })).causes).toEqual(["tired"]);
  });

  test("side by side: the most hopeful decides, and only if all are permanent it is permanent", () => {
    const [dead, open] = [permanent("pdf.empty", "no pages"), new Error("hm")];
    const all = (...errors: readonly unknown[]) => classify(new AggregateError(errors, "all failed"));
    expect(all(dead, open, refused())).toMatchObject({ kind: "transient", code: "connection.refused" });
    expect(all(dead, rateLimited("llm.busy", "slow", 5))).toMatchObject({
      kind: "rate-limited",
      retryAfterMs: 5,
    });
    expect(all(dead, dead, permanent("pdf.broken", "x"))).toMatchObject({
      kind: "permanent",
      code: "pdf.empty",
    });
    expect(all(dead, open)).toMatchObject({ kind: "unknown", code: "unknown.aggregateerror" });
    expect(all()).toMatchObject({ kind: "unknown", code: "unknown.aggregateerror" });
  });

  test("lend their words to an error without any", () => {
    const both = Object.assign(new AggregateError([refused(1), refused(2)]), { code: "ECONNREFUSED" });
    const message = "connect ECONNREFUSED ::1:1; connect ECONNREFUSED ::1:2";
    expect(classify(both)).toMatchObject({ code: "connection.refused", message });
  });
});

describe("a stage's own classify", () => {
  test("wins where it speaks and leaves the rest", () => {
    const extend = () => ({ kind: "not-found-yet", retryAfterMs: 500.2, dependency: "llm" }) as const;
    const fault = classify(Object.assign(new Error("no"), { status: 503 }), { extend });
    expect(fault).toMatchObject({
      kind: "not-found-yet",
      code: "http.503",
      message: "no",
      retryAfterMs: 501,
      dependency: "llm",
    });
    expect(
      classify(Object.assign(new Error("no"), { status: 503 }), { extend: () => ({ outage: false }) }),
    ).not.toHaveProperty("outage");
    expect(classify(new Error("no"), { extend: () => undefined })).toEqual(
      expect.objectContaining({ code: "unknown.error" }),
    );
  });

  test("that throws changes nothing and is told among the causes", () => {
    const fault = classify(permanent("pdf.empty", "no"), { extend: refuse });
    expect(fault).toMatchObject({
      code: "pdf.empty",
      causes: ["the stage's classify threw Error: no entry"],
    });
  });
});

describe("the fingerprint of a fault", () => {
  const fail = (id: number, cause?: unknown) => new Error(`Document ${id} has no pages`, { cause });

  test("is shared by the same failure of different documents", () => {
    expect(classify(fail(1)).fingerprint).toBe(classify(fail(2)).fingerprint);
  });

  test("is another for another stage or another judgement", () => {
    const [one, other] = [classify(fail(1), { stage: "parsing" }), classify(fail(1), { stage: "chunking" })];
    const judged = classify(fail(1), { stage: "parsing", extend: () => ({ code: "pdf.empty" }) });
    expect(new Set([one, other, judged].map(({ fingerprint }) => fingerprint)).size).toBe(3);
  });
});
