import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { pipeline, stage, transient } from "../../engine/src/index.ts";
import { systemClock } from "../../engine/src/run/clock.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { virtualClock } from "../../engine/src/testing.ts";
import { copies, notes } from "../fixtures/notes.ts";
import { deadLetters, openTasks } from "../support/content.ts";
import { useVirtualEngines } from "../support/virtual-engines.ts";
import { startWorkerProcess, type WorkerProcess } from "../support/worker-processes.ts";

const engines = useVirtualEngines();

const copying = (fails: number) =>
  stage("copying", {
    reads: notes,
    writes: [copies],
    retry: { transient: { attempts: 4, initial: "1h", max: "1h" }, unknown: { attempts: 1 } },
    *run(note, { attempt }) {
      if (attempt <= fails) throw transient("copier.jammed", "Jammed.");
      yield copies.document(note.id, { text: note.text });
    },
  });

describe("clocks that jump", () => {
  it("a clock that was set back leaves nothing waiting for years: the sweep pulls it in", async () => {
    const pipelines = [pipeline("p", { stages: [copying(1)] })];
    const ahead = await engines.open({
      pipelines,
      services: {},
      clock: virtualClock({ start: "2031-01-01T00:00:00Z" }),
    });
    await ahead.accept(notes.document("a", { text: "later" }));
    await ahead.drain({ advance: false });
    const right = await engines.open({
      pipelines,
      services: {},
      clock: virtualClock({ start: "2026-01-01T00:00:00Z" }),
    });
    await right.drain({ advance: false });
    expect(await openTasks(right.database)).toHaveLength(1);
    expect(await right.sweep({ dryRun: true })).toMatchObject({ pulledIn: 1 });
    expect(await right.sweep()).toMatchObject({ pulledIn: 1 });
    await right.drain({ advance: false });
    expect(await right.read(copies, "a")).toMatchObject({ text: "later" });
    expect(await right.sweep()).toMatchObject({ pulledIn: 0 });
  });

  it("a clock that leaps ahead makes tasks due, and none of them is lost or tried too often", async () => {
    const engine = await engines.open({ pipelines: [pipeline("p", { stages: [copying(2)] })], services: {} });
    await engine.accept(notes.document("a", { text: "soon" }));
    await engine.step();
    engine.clock.advance(10 * 365 * 86_400_000);
    await engine.drain();
    expect(await engine.read(copies, "a")).toMatchObject({ text: "soon" });
    expect(await deadLetters(engine.database)).toEqual([]);
  });

  it("the engine's own clock does not see the machine's jump", () => {
    const clock = systemClock();
    const before = clock.now().getTime();
    const jump = vi.spyOn(Date, "now").mockReturnValue(Date.parse("1999-12-31"));
    try {
      expect(clock.now().getTime()).toBeGreaterThanOrEqual(before);
      expect(clock.now().getTime() - before).toBeLessThan(60_000);
    } finally {
      jump.mockRestore();
    }
  });
});

describe("settings that make no sense", () => {
  const nonsense = {
    "no attempts": sql`0, 1000, 60000, 2, 'none', null`,
    "a negative number of attempts": sql`-5, 1000, 60000, 2, 'none', null`,
    "a million attempts": sql`1000000, 1000, 60000, 2, 'none', null`,
    "delays that are no numbers": sql`3, 'NaN', 'NaN', 'NaN', 'none', 'NaN'`,
    "endless delays": sql`3, 'Infinity', 'Infinity', 2, 'none', null`,
    "negative delays": sql`3, -1, -1, 2, 'none', null`,
    "a jitter nobody knows": sql`3, 1000, 60000, 2, 'wild', null`,
    "a multiplier of zero": sql`3, 1000, 60000, 0, 'full', null`,
    "a time to live of nothing": sql`3, 1000, 60000, 2, 'full', 0`,
  };
  for (const [name, values] of Object.entries(nonsense)) {
    it(`a retry policy with ${name}, written past all checks, is reported and the code's own is used`, async () => {
      const engine = await engines.open({
        pipelines: [pipeline("p", { stages: [copying(99)] })],
        services: {},
      });
      await engine.database.query(sql`
        insert into headway.retry_policy (stage, kind, attempts_max, initial_ms, max_ms, multiplier, jitter, ttl_ms,
          changed_at, changed_by)
        select 'copying', k.kind, ${values}, 'infinity', 'nobody'
        from (values ('transient'), ('unknown'), ('a kind nobody knows'), ('')) as k (kind)`);
      await engine.accept(notes.document("a", { text: "" }));
      await engine.drain();
      await engine.sweep();
      expect(await deadLetters(engine.database)).toMatchObject([
        { id: "a", reason: "exhausted", attempts: 4 },
      ]);
      const told = engine.signals.filter((signal) => signal.kind === "policy.refused");
      expect(told).toContainEqual(expect.objectContaining({ stage: "copying", faultKind: "transient" }));
    });
  }
});

describe("two processes on one embedded database", () => {
  const processes: WorkerProcess[] = [];
  afterEach(() => {
    for (const one of processes.splice(0)) one.child.kill("SIGKILL");
  });

  it("the second is refused with one sentence that names the first; after the first's death it may", async () => {
    const folder = await mkdtemp(join(tmpdir(), "headway-folder-"));
    const start = () => {
      const one = startWorkerProcess({ database: { folder } });
      processes.push(one);
      return one;
    };
    try {
      const first = start();
      await first.next(({ kind }) => kind === "worker.started");
      const second = start();
      expect(await second.ended).toBe(1);
      expect(second.errors()).toContain(String(first.child.pid));
      expect(second.errors()).toContain(folder);
      expect(second.errors()).not.toContain("\n");
      first.child.kill("SIGKILL");
      await first.ended;
      const third = start();
      await third.next(({ kind }) => kind === "worker.started");
      expect(await third.stop()).toBe(0);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }, 60_000);
});
