import { describe, expect, expectTypeOf, test } from "vitest";
import { correlationId, type Emit, type Signal, type SignalBody, type SignalKind } from "./signal.ts";

test("a correlation id names the request, the stage and the retry", () => {
  const request = "6d4f7c1e-3a52-4d0b-9b7e-0c2f3f1f9a11";
  expect(correlationId(request, "parsing", 2)).toBe(`req_${request}.stage_parsing.retry_2`);
});

describe("a signal", () => {
  test("keeps the fields of its kind when it is emitted without its time", () => {
    const heard: SignalBody[] = [];
    const emit: Emit = (body) => heard.push(body);
    emit({ kind: "events.relayed", events: 3 });
    // @ts-expect-error: this kind has other fields.
    emit({ kind: "events.relayed", tasks: 3 });
    // @ts-expect-error: nobody knows this kind.
    emit({ kind: "events.lost", events: 3 });
    expect(heard).toHaveLength(3);
  });

  test("is told from the others by its kind", () => {
    type Died = Extract<Signal, { kind: "task.died" }>;
    expectTypeOf<Died["at"]>().toEqualTypeOf<Date>();
    expectTypeOf<Died["reason"]>().toExtend<string>();
    expectTypeOf<Extract<SignalBody, { kind: "task.died" }>>().not.toHaveProperty("at");
    expectTypeOf<"task.died">().toExtend<SignalKind>();
  });
});
