import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { retryDefaults } from "../define/retry.ts";
import { explain } from "./explain.ts";
import { type Fault, faultKinds } from "./fault.ts";
import type { Facts, StageState } from "./stage-state.ts";

const now = new Date("2026-01-01T12:00:00Z");
const minutes = (count: number) => new Date(now.getTime() + count * 60_000);
const fault: Fault = { kind: "transient", code: "post.slow", message: "Too slow.", fingerprint: "f" };
const variant = { version: "1", configHash: "aa", model: "" };
const task = {
  readyAt: minutes(-1),
  reason: null,
  owedAt: minutes(-5),
  attempts: 0,
  waits: 0,
  crashes: 0,
  lastAttemptAt: null,
  fault: null,
};
const done = {
  finishedAt: minutes(-9),
  attempts: 1,
  outputs: 2,
  inputHash: "11",
  variant,
  forgotten: false,
  attemptMs: 12,
  batch: 1,
  calls: null,
  finding: null,
};
const dead = {
  id: 7,
  reason: "exhausted",
  fault,
  diedAt: minutes(-3),
  attempts: 5,
  waits: 0,
  crashes: 0,
  variant,
  closed: null,
};

const aStanding = (given: Partial<StageState>): StageState => ({
  stage: "stamping",
  group: null,
  task: null,
  claim: null,
  done: null,
  dead: null,
  opening: { paused: null, dependencies: [] },
  policies: retryDefaults,
  newest: variant,
  inputHash: "11",
  workers: 1,
  members: null,
  ...given,
});

const factsOf = (...stages: StageState[]): Facts => ({
  subject: 1,
  collection: "letters",
  id: "a",
  goneAt: null,
  stages,
});

function check(given: Partial<StageState>) {
  const [stage] = explain(factsOf(aStanding(given)), now).stages;
  if (!stage) throw new Error("there is no stage");
  return stage;
}

const dependency = {
  name: "post",
  open: true,
  since: minutes(-4),
  changedAt: minutes(-4),
  probeAt: minutes(2),
};

describe("explain", () => {
  it("says that a due task waits for a free worker", () => {
    expect(check({ task })).toMatchObject({
      status: "pending",
      attemptCount: 0,
      because: "due",
      next: { at: now, waitsFor: "a free worker" },
    });
  });

  it("says why an attempt failed, how many there may be, and when the next one comes", () => {
    const failed = { ...task, attempts: 2, fault, reason: "backoff", readyAt: minutes(3) };
    expect(check({ task: failed })).toMatchObject({
      status: "failed",
      attemptCount: 2,
      limit: 10,
      because: "backoff",
      sentence: "Attempt 2 of 10 failed with post.slow (transient). Next try at 2026-01-01T12:03:00.000Z.",
      next: { at: minutes(3) },
      fault,
    });
  });

  it("says how far a task is on the slow tail", () => {
    const failed = { ...task, attempts: 6, fault, reason: "backoff", readyAt: minutes(10) };
    expect(check({ task: failed }).sentence).toBe(
      "Attempt 6 of 10 failed with post.slow (transient). Next try at 2026-01-01T12:10:00.000Z (slow tail 2 of 5).",
    );
  });

  it("says who works on it and since when, and counts that attempt", () => {
    const claim = { worker: 3, name: "w on host, process 9", since: minutes(-2) };
    expect(check({ task: { ...task, attempts: 1, waits: 1, crashes: 1 }, claim })).toMatchObject({
      attemptCount: 4,
      lastAttemptTime: minutes(-2),
      because: "running",
      heldBy: claim,
      next: { waitsFor: "worker 3" },
    });
  });

  it("names the person who paused the stage, whatever else holds it back", () => {
    const paused = { at: minutes(-1), by: "ann", reason: "a bad model" };
    expect(
      check({ task: { ...task, readyAt: minutes(9) }, workers: 0, opening: { paused, dependencies: [] } }),
    ).toMatchObject({
      because: "paused",
      sentence: expect.stringContaining("paused by ann at 2026-01-01T11:59:00.000Z: a bad model."),
      next: { waitsFor: "ann" },
    });
  });

  it("says that a dependency is down, since when, and when it is tried again", () => {
    expect(check({ task, opening: { paused: null, dependencies: [dependency] } })).toMatchObject({
      because: "dependency",
      attemptCount: 0,
      next: { at: minutes(2), waitsFor: "post" },
      sentence: expect.stringContaining('"post" is down since 2026-01-01T11:56:00.000Z'),
    });
  });

  it("says that nobody alive has code for a stage", () => {
    expect(check({ task, workers: 0 })).toMatchObject({ because: "no worker" });
  });

  it("names the members that a group waits for", () => {
    const members = { total: 9, pending: 2, dead: 1, first: ["m1", "m2", "m3"] };
    const waiting = { ...task, reason: "after", readyAt: minutes(1) };
    expect(check({ task: waiting, group: "g", members })).toMatchObject({
      because: "members",
      sentence: expect.stringContaining("waits for 2 of 9 members"),
      next: { at: minutes(1), waitsFor: "m1" },
    });
  });

  it("says until when a group has to be quiet", () => {
    expect(check({ task: { ...task, reason: "quiet", readyAt: minutes(1) } })).toMatchObject({
      because: "quiet",
      next: { at: minutes(1) },
    });
  });

  it.each([
    ["input", { inputHash: "22" }],
    ["version", { newest: { ...variant, version: "2" } }],
    ["configuration", { newest: { ...variant, configHash: "bb" } }],
    ["model", { newest: { ...variant, model: "m" } }],
    ["asked for", { done: { ...done, forgotten: true } }],
  ] as const)("says that a result is stale because of its %s", (part, given) => {
    expect(check({ done, ...given })).toMatchObject({ status: "completed", because: "stale", stale: [part] });
  });

  it("says that a result is not what its stage expects, and that a person has to look", () => {
    const finding = "no outputs";
    expect(check({ done: { ...done, outputs: 0, finding } })).toMatchObject({
      status: "completed",
      because: "unexpected",
      sentence: expect.stringContaining(
        "yielded 0 documents. Its stage did not expect this result: no outputs.",
      ),
      next: { waitsFor: "an operator" },
      result: { finding, outputs: 0 },
    });
    const stages = [aStanding({ done: { ...done, finding } })];
    expect(explain(factsOf(...stages), now).sentence).toMatch(/^Everything is done; .* is unexpected: /);
  });

  it("says of what something died, and that newer code may help", () => {
    expect(check({ dead })).toMatchObject({
      status: "failed_max_retries",
      attemptCount: 5,
      deadLetter: 7,
      retrySuggested: false,
      next: { waitsFor: "an operator" },
    });
    expect(check({ dead, newest: { ...variant, version: "2" } })).toMatchObject({ retrySuggested: true });
  });

  it("sums up in one sentence: a stage that needs a person comes before one that goes on by itself", () => {
    const stages = [aStanding({ done }), aStanding({ stage: "b", dead }), aStanding({ stage: "c", task })];
    expect(explain(factsOf(...stages), now).sentence).toMatch(/^b: It died/);
    expect(explain(factsOf(aStanding({ done })), now).sentence).toBe("Everything is done.");
  });

  it("is total: whatever the facts, each task has a reason, and a time or something named to wait for", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        for (const stage of explain(facts, now).stages) {
          expect(stage.sentence.length).toBeGreaterThan(10);
          if (stage.state !== "pending") continue;
          expect(stage.next.at !== null || stage.next.waitsFor !== null).toBe(true);
          if (stage.next.at) expect(stage.next.at.getTime()).toBeGreaterThanOrEqual(now.getTime());
        }
      }),
      { numRuns: 300 },
    );
  });
});

const anyMoment = fc.integer({ min: -1e7, max: 1e7 }).map((ms) => new Date(now.getTime() + ms));
const maybe = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null });
const anyCount = fc.nat({ max: 9 });
const anyFault: fc.Arbitrary<Fault> = fc.record({
  kind: fc.constantFrom(...faultKinds),
  code: fc.string(),
  message: fc.string(),
  fingerprint: fc.string(),
});
const anyVariant = fc.record({ version: fc.string(), configHash: fc.string(), model: fc.string() });
const anyReason = fc.constantFrom(
  "backoff",
  "after",
  "quiet",
  "upstream",
  "scheduled",
  "worker lost",
  "held: post",
  "?",
);
const anyTask = fc.record({
  readyAt: anyMoment,
  reason: maybe(anyReason),
  owedAt: anyMoment,
  attempts: anyCount,
  waits: anyCount,
  crashes: anyCount,
  lastAttemptAt: maybe(anyMoment),
  fault: maybe(anyFault),
});
const anyStanding: fc.Arbitrary<StageState> = fc.record({
  stage: fc.string(),
  group: maybe(fc.string()),
  task: maybe(anyTask),
  claim: maybe(fc.record({ worker: anyCount, name: maybe(fc.string()), since: anyMoment })),
  done: maybe(
    fc.record({
      finishedAt: anyMoment,
      attempts: anyCount,
      outputs: anyCount,
      inputHash: fc.string(),
      variant: maybe(anyVariant),
      forgotten: fc.boolean(),
      attemptMs: maybe(anyCount),
      batch: anyCount,
      calls: fc.constant(null),
      finding: maybe(fc.string()),
    }),
  ),
  dead: maybe(
    fc.record({
      id: anyCount,
      reason: fc.string(),
      fault: anyFault,
      diedAt: anyMoment,
      attempts: anyCount,
      waits: anyCount,
      crashes: anyCount,
      variant: maybe(anyVariant),
      closed: maybe(fc.record({ as: fc.string(), by: fc.string(), at: anyMoment })),
    }),
  ),
  opening: fc.record({
    paused: maybe(fc.record({ at: anyMoment, by: fc.string(), reason: maybe(fc.string()) })),
    dependencies: fc.array(
      fc.record({
        name: fc.string(),
        open: fc.boolean(),
        since: anyMoment,
        changedAt: anyMoment,
        probeAt: anyMoment,
      }),
      { maxLength: 2 },
    ),
  }),
  policies: fc.constant(retryDefaults),
  newest: maybe(anyVariant),
  inputHash: maybe(fc.string()),
  workers: anyCount,
  members: maybe(
    fc.record({ total: anyCount, pending: anyCount, dead: anyCount, first: fc.array(fc.string()) }),
  ),
});
const anyFacts: fc.Arbitrary<Facts> = fc.record({
  subject: anyCount,
  collection: maybe(fc.string()),
  id: fc.string(),
  goneAt: maybe(anyMoment),
  stages: fc.array(anyStanding, { maxLength: 4 }),
});
