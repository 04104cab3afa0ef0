import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type MembershipEffect,
  type MembershipEvent,
  type MembershipState,
  type MissingFacts,
  stepMembership,
  stranger,
} from "./step-membership.ts";

const at = (ms: number) => new Date(1_000_000 + ms);
const listed: MembershipState = { ...stranger, number: 1, vouched: 1 };

function walk(events: readonly MembershipEvent[], from = listed) {
  let state = from;
  const effects: MembershipEffect[] = [];
  for (const event of events) {
    const step = stepMembership(state, event);
    state = step.state;
    effects.push(...step.effects);
  }
  return { state, effects };
}

const someMissing: fc.Arbitrary<MissingFacts[]> = fc.uniqueArray(
  fc.record({ id: fc.integer({ min: 2, max: 6 }), silent: fc.boolean(), gone: fc.boolean() }),
  { selector: ({ id }) => id },
);
const someEvent: fc.Arbitrary<MembershipEvent> = fc.oneof(
  fc.record({ kind: fc.constant("beaten" as const), living: fc.boolean() }),
  fc.record({ kind: fc.constant("gave-up" as const), because: fc.constantFrom("a", "b") }),
  fc.record({ kind: fc.constant("numbered" as const), number: fc.integer({ min: 2, max: 9 }) }),
  fc.record({ kind: fc.constant("enlisted" as const), number: fc.integer({ min: 2, max: 9 }) }),
  fc.record({
    kind: fc.constant("looked" as const),
    ended: fc.uniqueArray(fc.integer({ min: 2, max: 6 })),
    listed: fc.integer({ min: 1, max: 4 }),
  }),
  fc.record({ kind: fc.constant("missed" as const), missing: someMissing, now: fc.nat(2_000).map(at) }),
  fc.record({ kind: fc.constant("session-lost" as const), worker: fc.integer({ min: 1, max: 9 }) }),
  fc.record({
    kind: fc.constant("evicted" as const),
    worker: fc.integer({ min: 2, max: 6 }),
    because: fc.constant("x"),
    freed: fc.nat(3),
  }),
  fc.constant<MembershipEvent>({ kind: "left" }),
);

describe("a worker among workers", () => {
  test("starts again exactly when it was declared dead, or gave up, and forgets neither before it is listed", () => {
    fc.assert(
      fc.property(fc.array(someEvent, { maxLength: 40 }), (events) => {
        let state = listed;
        let doomed = false;
        for (const event of events) {
          const step = stepMembership(state, event);
          if (event.kind === "gave-up") doomed = true;
          if (event.kind === "enlisted") doomed = false;
          if (event.kind === "beaten") {
            doomed ||= !event.living;
            expect(step.effects.some((one) => one.kind === "renew")).toBe(doomed);
          }
          expect(step.state.doomed !== null).toBe(doomed);
          state = step.state;
        }
      }),
    );
  });

  test("takes the lock of its own number only, and none after it has left", () => {
    fc.assert(
      fc.property(
        fc.array(someEvent, { maxLength: 40 }),
        fc.integer({ min: 1, max: 9 }),
        (events, worker) => {
          const { state } = walk(events);
          const { effects } = stepMembership(state, { kind: "session-lost", worker });
          const may = !events.some((one) => one.kind === "left") && worker === state.vouched;
          expect(effects).toEqual(may ? [{ kind: "relock", worker }] : []);
        },
      ),
    );
  });

  test("evicts a worker that is silent, gone, or missing for half a second without a break", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(someMissing, fc.integer({ min: 1, max: 400 })), { minLength: 1, maxLength: 12 }),
        (looks) => {
          let state = listed;
          let now = 0;
          const since = new Map<number, number>();
          for (const [missing, laterMs] of looks) {
            now += laterMs;
            for (const id of since.keys()) if (!missing.some((one) => one.id === id)) since.delete(id);
            for (const { id } of missing) if (!since.has(id)) since.set(id, now);
            const due = missing.filter(
              ({ id, silent, gone }) => silent || gone || now - (since.get(id) ?? now) >= 500,
            );
            const step = stepMembership(state, { kind: "missed", missing, now: at(now) });
            state = step.state;
            const evicted = step.effects.flatMap((one) => (one.kind === "evict" ? [one] : []));
            expect(evicted.map((one) => one.worker).sort()).toEqual(due.map((one) => one.id).sort());
            expect(evicted.every((one) => one.together === due.length > 1 && one.skip)).toBe(true);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test("ends frozen sessions before hung workers, and evicts those last", () => {
    fc.assert(
      fc.property(someMissing, (missing) => {
        const { effects } = stepMembership(listed, { kind: "missed", missing, now: at(0) });
        const kinds = effects.map((one) => (one.kind === "evict" ? one.because : one.kind));
        const order = ["its session ended", "end-frozen", "its heartbeat stopped"];
        const places = kinds.map((kind) => order.indexOf(kind));
        expect(places).toEqual([...places].sort());
        expect(kinds.includes("end-frozen")).toBe(missing.some((one) => one.silent));
      }),
    );
    expect(stepMembership(listed, { kind: "eviction-blocked" }).effects).toEqual([{ kind: "end-frozen" }]);
  });

  test("looks for dead workers only beside others, and tells each end once", () => {
    const look = (ended: number[], count: number): MembershipEvent => ({
      kind: "looked",
      ended,
      listed: count,
    });
    const kinds = (events: MembershipEvent[]) => walk(events).effects.map((one) => one.kind);
    expect(kinds([look([], 1)])).toEqual([]);
    expect(kinds([look([2], 1), look([2], 1)])).toEqual(["tell-ended"]);
    expect(kinds([look([2], 3), look([2, 3], 1)])).toEqual(["tell-ended", "find-dead", "tell-ended"]);
    expect(walk([look([], 1)]).state.onlyOne).toBe(true);
  });

  test("evicts every other worker of a database of one process, and tells what was freed", () => {
    const { effects } = stepMembership(listed, { kind: "found-alone", others: [2, 3] });
    expect(effects).toMatchObject([
      { kind: "evict", worker: 2, together: true, skip: false },
      { kind: "evict", worker: 3, because: "its process ended" },
    ]);
    const evicted = { kind: "evicted", worker: 2, because: "x", freed: 4 } as const;
    const missing = { ...listed, missingSince: new Map([[2, at(0)]]) };
    expect(stepMembership(missing, evicted)).toEqual({
      state: listed,
      effects: [{ ...evicted, kind: "tell-evicted" }],
    });
  });
});
