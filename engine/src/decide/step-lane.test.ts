import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Opening } from "./eligible.ts";
import {
  idleLane,
  isInDoubt,
  type LaneEffect,
  type LaneEvent,
  type LaneRules,
  type LaneState,
  mayReserve,
  roomOf,
  stepLane,
  theStart,
} from "./step-lane.ts";

const open: Opening = { kind: "open", limit: null, probe: null };
const shut: Opening = { kind: "shut", because: "paused", name: "ann", until: null };
const rules: LaneRules = { slots: 4, unitSize: 1, batchMax: 100, plain: true };
const at = (ms: number) => new Date(1_000_000 + ms);

/** A lane with the answers of a made-up database: each move is whole, as in a pump. */
class Model {
  state: LaneState = idleLane;
  now = 0;
  readonly open = new Map<number, number>();
  readonly strays = new Set<number>();
  reserved = 0;
  lastId = 0;
  readonly asked: LaneEffect[] = [];
  readonly rules: LaneRules;
  constructor(given: LaneRules) {
    this.rules = given;
  }
  step(event: LaneEvent): LaneEffect | null {
    const { state, effect } = stepLane(this.state, event, this.rules);
    this.state = state;
    if (effect) this.asked.push(effect);
    return effect;
  }
  /** A whole look: `found` tasks wait, and the answer to the claim may be lost. */
  look(opening: Opening, found: number, lost: boolean, granted: boolean): void {
    const before = roomOf(this.state, this.rules);
    const doubted = isInDoubt(this.state, at(this.now));
    this.asked.length = 0;
    let effect = this.step({ kind: "look", opening, now: at(this.now) });
    while (effect) {
      if (effect.kind === "ask-to-probe") effect = this.step({ kind: "probing", granted, now: at(this.now) });
      else if (effect.kind === "release-strays") {
        expect([...effect.held].sort()).toEqual([...this.open.keys()].sort());
        this.strays.clear();
        effect = this.step({ kind: "strays-released", asking: effect.asking, now: at(this.now) });
      } else if (effect.kind === "claim") {
        const { asking } = effect;
        expect(asking.most).toBeGreaterThan(0);
        expect(asking.most).toBeLessThanOrEqual(Math.min(before, this.rules.batchMax));
        if (opening.kind === "open" && opening.limit !== null)
          expect(asking.most).toBeLessThanOrEqual(opening.limit);
        // An unknown claim of ours is released before the next claim.
        if (doubted) expect(this.asked.map((one) => one.kind)).toContain("release-strays");
        effect = this.answer(asking, asking.from === theStart ? found : 0, lost);
      } else throw new Error(effect.kind);
    }
    expect(this.asked.filter((one) => one.kind === "claim").length).toBeLessThanOrEqual(2);
  }
  answer(asked: Extract<LaneEffect, { kind: "claim" }>["asking"], found: number, lost: boolean) {
    const tasks = Math.min(found, asked.most);
    const id = ++this.lastId;
    if (lost) {
      if (tasks > 0) this.strays.add(id);
      this.step({ kind: "answer-lost" });
      return null;
    }
    if (tasks === 0) return this.step({ kind: "found-nothing", asked, now: at(this.now) });
    this.open.set(id, tasks);
    const last = { rank: 0, readyAt: at(0), subject: id };
    return this.step({ kind: "claimed", asked, claim: { id, tasks, last }, now: at(this.now) });
  }
}

const someOpening: fc.Arbitrary<Opening> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(open) },
  fc.constant(shut),
  fc.record({
    kind: fc.constant("open" as const),
    limit: fc.integer({ min: 1, max: 8 }),
    probe: fc.constant(null),
  }),
  fc.constant<Opening>({ kind: "open", limit: 1, probe: "llm" }),
);

type Move = (model: Model) => void;
const someMove: fc.Arbitrary<Move> = fc.oneof(
  fc.tuple(someOpening, fc.nat(200), fc.boolean(), fc.boolean()).map(
    ([opening, found, lost, granted]): Move =>
      (model) =>
        model.look(opening, found, lost, granted),
  ),
  fc.nat(100_000).map(
    (ms): Move =>
      (model) => {
        model.now += ms;
      },
  ),
  fc.constant<Move>((model) => {
    for (const [id, tasks] of model.open) {
      model.step({ kind: "ran", units: tasks, elapsedMs: tasks });
      expect(model.step({ kind: "committed", tasks })).toEqual({ kind: "tell-room" });
      model.step({ kind: "ended", claim: id, left: 0 });
      model.open.delete(id);
      return;
    }
  }),
  // A claim failed to end.
  fc.constant<Move>((model) => {
    for (const [id, tasks] of model.open) {
      model.step({ kind: "ended", claim: id, left: tasks });
      model.open.delete(id);
      return;
    }
  }),
  fc.tuple(fc.integer({ min: 1, max: 6 }), fc.boolean()).map(
    ([tasks, claimed]): Move =>
      (model) => {
        if (!mayReserve(model.state, tasks, () => open, model.rules)) return;
        model.step({ kind: "reserved", tasks });
        const id = ++model.lastId;
        model.step({ kind: "redeemed", tasks, claim: claimed ? id : null });
        if (claimed) model.open.set(id, tasks);
      },
  ),
  fc.constant<Move>((model) => {
    model.strays.add(++model.lastId);
    expect(model.step({ kind: "doubted" })).toEqual({ kind: "tell-room" });
  }),
);

const someRules: fc.Arbitrary<LaneRules> = fc.record({
  slots: fc.integer({ min: 1, max: 16 }),
  unitSize: fc.integer({ min: 1, max: 20 }),
  batchMax: fc.integer({ min: 1, max: 200 }),
  plain: fc.boolean(),
});

describe("a lane", () => {
  test("counts every task exactly as long as its claim is open, whatever happens", () => {
    fc.assert(
      fc.property(someRules, fc.array(someMove, { maxLength: 60 }), (given, moves) => {
        const model = new Model(given);
        for (const move of moves) {
          move(model);
          const counted = [...model.open.values()].reduce((sum, tasks) => sum + tasks, 0);
          expect(model.state.tasks).toBe(counted);
          expect([...model.state.claims].sort()).toEqual([...model.open.keys()].sort());
          expect(roomOf(model.state, given)).toBeGreaterThanOrEqual(0);
          // A stray exists only while the lane doubts, within the minute after the last release.
          if (model.strays.size > 0) expect(model.state.doubtUntil).toBe(Number.POSITIVE_INFINITY);
        }
      }),
      { numRuns: 400 },
    );
  });

  test("is not blocked: with all claims ended and the stage open, the next look claims", () => {
    fc.assert(
      fc.property(someRules, fc.array(someMove, { maxLength: 40 }), (given, moves) => {
        const model = new Model(given);
        for (const move of moves) move(model);
        for (const [id, tasks] of model.open) model.step({ kind: "ended", claim: id, left: tasks });
        model.open.clear();
        model.look(open, 5, false, true);
        expect(model.open.size).toBe(1);
      }),
    );
  });

  test("claims nothing at a stage that is shut, and asks for the turn before a probe", () => {
    expect(stepLane(idleLane, { kind: "look", opening: shut, now: at(0) }, rules).effect).toBeNull();
    const probing: Opening = { kind: "open", limit: 1, probe: "llm" };
    const { effect, state } = stepLane(idleLane, { kind: "look", opening: probing, now: at(0) }, rules);
    expect(effect).toEqual({ kind: "ask-to-probe", dependency: "llm" });
    expect(stepLane(state, { kind: "probing", granted: false, now: at(0) }, rules).effect).toBeNull();
    expect(stepLane(state, { kind: "probing", granted: true, now: at(5) }, rules).effect).toMatchObject({
      kind: "claim",
      asking: { most: 1, probe: true, now: at(5) },
    });
  });

  test("goes on behind its last claim, and reads from the start when nothing is behind, or after a while", () => {
    const model = new Model(rules);
    model.look(open, 1, false, true);
    const froms = (ms: number) => {
      model.now = ms;
      model.look(open, 0, false, true);
      return model.asked.flatMap((one) => (one.kind === "claim" ? [one.asking.from.subject] : []));
    };
    expect(froms(10)).toEqual([1, 0]);
    model.look(open, 1, false, true);
    expect(froms(210)).toEqual([0]);
  });

  test("learns from a fast stage to claim whole batches, and from a slow stage what runs at once", () => {
    const ranFor = (elapsedMs: number) =>
      stepLane(idleLane, { kind: "ran", units: 100, elapsedMs }, rules).state;
    expect(roomOf(idleLane, rules)).toBe(4);
    expect(roomOf(ranFor(1), rules)).toBe(400);
    expect(roomOf(ranFor(1_000_000), rules)).toBe(4);
    // Less than a batch is free.
    expect(roomOf({ ...ranFor(1), tasks: 301 }, rules)).toBe(0);
    expect(stepLane(idleLane, { kind: "ran", units: 0, elapsedMs: 5 }, rules).state.taskMs).toBeNull();
  });

  test("has room again while its tasks wait for their retry in place", () => {
    const full = { ...idleLane, tasks: 4 };
    expect(roomOf(full, rules)).toBe(0);
    expect(roomOf(stepLane(full, { kind: "rested", tasks: 1 }, rules).state, rules)).toBe(1);
  });

  test("starts accepted documents at once only if it is plain, empty and unlimited", () => {
    const may = (state: LaneState, opening: Opening, given: LaneRules) =>
      mayReserve(state, 2, () => opening, given);
    expect(may(idleLane, open, rules)).toBe(true);
    expect(may({ ...idleLane, tasks: 1 }, open, rules)).toBe(false);
    expect(may(idleLane, shut, rules)).toBe(false);
    expect(may(idleLane, { kind: "open", limit: 5, probe: null }, rules)).toBe(false);
    expect(may(idleLane, open, { ...rules, plain: false })).toBe(false);
    expect(may(idleLane, open, { ...rules, slots: 1 })).toBe(false);
  });
});
