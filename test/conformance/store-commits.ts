import { expect, it } from "vitest";
import type { Finished } from "../../engine/src/store/commit.ts";
import type { OutboxEvent } from "../../engine/src/store/outbox.ts";
import { relayEvents } from "../../engine/src/store/outbox.ts";
import { sql } from "../../engine/src/store/sql.ts";
import type { Prepared } from "../../engine/src/store/stage-graph.ts";
import { evictWorker } from "../../engine/src/store/workers.ts";
import { aFault, type Desk, type Holding, later, now, request } from "./store-desk.ts";

export function describeCommits(desk: () => Desk): void {
  const event = (subject: number, key = `Split/${subject}`): OutboxEvent => ({
    key,
    type: "LetterSplit",
    subject,
    stage: desk().stage("split"),
    data: { document_id: "a" },
    request,
    correlationId: "req_1.stage_split.retry_0",
  });
  const faults = (subject: number) => [
    { subject, attempt: 1, fault: aFault, request, correlationId: "req_1.stage_split.retry_0", at: now },
  ];
  const done = () =>
    desk().rows<{ subject: number; outputs: number; marker: Buffer }>(
      sql`select subject, outputs, marker from headway.done order by subject`,
    );
  const twoLines = (mine: Holding, id: string, more: Partial<Finished> = {}) =>
    mine.finished(id, [desk().line(`${id}/1`, "one"), desk().line(`${id}/2`, "two")], more);
  const nothingWritten = async () => {
    expect(await desk().visible("lines")).toEqual([]);
    expect(await desk().owed("shout")).toEqual([]);
    expect([await done(), await desk().count("outbox"), await desk().count("fault")]).toEqual([[], 0, 0]);
  };

  it("a result is written with all that follows from it", async () => {
    await desk().letters("a");
    const mine = await desk().hold("split");
    const { subject } = mine.task("a");
    const result = twoLines(mine, "a", { event: event(subject), faults: faults(subject) });
    expect(await mine.commit([result])).toMatchObject({ kind: "committed", conflicts: [], removed: 0 });
    expect(await desk().visible("lines")).toEqual(["a/1: one", "a/2: two"]);
    expect(await desk().owed("shout")).toEqual(["a/1", "a/2"]);
    expect(await desk().owed("split")).toEqual([]);
    expect(await done()).toEqual([{ subject, outputs: 2, marker: result.marker }]);
    expect(await desk().count("outbox")).toBe(1);
    expect(await desk().count("fault")).toBe(1);
    expect(await desk().count("claim")).toBe(0);
  });

  /** Of two lines, `shout` ran ahead on the first before the commit, and failed on the second. */
  async function aheadOf(result: Finished) {
    const [first, second] = result.outputs as [Prepared, Prepared];
    const next = await desk().numbers.take(desk().db, 2);
    const [one, two] = [next(), next()];
    const stage = desk().stage("shout");
    const outputs = [desk().document("echoes", "a/1!", "ONE")];
    const done = { ...result, subject: one, outputs, event: null, faults: [], marker: Buffer.alloc(32, 7) };
    return {
      numbered: new Map([
        [first, one],
        [second, two],
      ]),
      finished: [{ ...done, stage, variant: desk().variant }],
      held: [{ stage, subject: two }],
    };
  }

  it("what was done ahead is written as if it had been done after it, and what failed ahead is in our hands", async () => {
    await desk().letters("a");
    const mine = await desk().hold("split");
    const result = twoLines(mine, "a");
    const ahead = await aheadOf(result);
    const committed = await mine.commit([result], { ahead });
    expect(await desk().visible("echoes")).toEqual(["a/1!: ONE"]);
    expect(await desk().owed("shout")).toEqual(["a/2"]);
    expect((await done()).map((row) => row.outputs)).toEqual([2, 1]);
    const claims = await desk().rows(sql`select id, stage, worker, subjects from headway.claim`);
    const [claim] = (committed.kind === "committed" && committed.ahead && [...committed.ahead]) || [];
    const { worker } = mine.held;
    expect(claims).toEqual([
      { id: claim?.[1], stage: claim?.[0], worker, subjects: [ahead.held[0]?.subject] },
    ]);
  });

  it("what was done ahead is forgotten when something was there already, or its stage is paused", async () => {
    await desk().letters("a", "b");
    const mine = await desk().hold("split");
    await desk().rows(sql`update headway.stage set paused_at = ${now} where name = 'shout'`);
    const result = twoLines(mine, "a");
    const ahead = await aheadOf(result);
    expect(await mine.commit([result], { ahead })).toEqual({ kind: "committed", conflicts: [], removed: 0 });
    expect(await desk().visible("lines")).toEqual(["a/1: one", "a/2: two"]);
    expect(await desk().visible("echoes")).toEqual([]);
    expect(await desk().owed("shout")).toEqual(["a/1", "a/2"]);
  });

  it("outputs inherit the request and the rank of their input", async () => {
    await desk().accept([desk().document("letters", "a", "x")], { rank: -7 });
    await desk().work("split", () => [desk().line("a/1", "one")]);
    const { claim } = await desk().hold("shout");
    expect(claim.tasks).toMatchObject([{ id: "a/1", rank: -7, request }]);
  });

  it("the rest of a claim stays claimed until the last of it is done", async () => {
    await desk().letters("a", "b", "c");
    const mine = await desk().hold("split");
    await mine.commit([mine.finished("a", []), mine.finished("c", [])]);
    expect(await desk().owed("split")).toEqual(["b"]);
    expect(await desk().take("split", await desk().worker())).toBeNull();
    await mine.commit([mine.finished("b", [])], { remaining: 0 });
    expect(await desk().count("claim")).toBe(0);
  });

  it("a result whose claim is gone is refused and leaves no trace", async () => {
    await desk().letters("a");
    const mine = await desk().hold("split");
    const { subject } = mine.task("a");
    await evictWorker(desk().db, { worker: mine.held.worker, because: "a test", crashed: true, now });
    const result = twoLines(mine, "a", { event: event(subject), faults: faults(subject) });
    expect(await mine.commit([result])).toEqual({ kind: "refused" });
    expect(await mine.commit([{ ...result, first: false }])).toEqual({ kind: "refused" });
    expect(await mine.part("a", result.outputs)).toEqual({ kind: "refused" });
    expect(await mine.unfinished({ deaths: [mine.death("a")], faults: faults(subject) })).toEqual({
      kind: "refused",
    });
    await nothingWritten();
    expect(await desk().owed("split")).toEqual(["a"]);
  });

  it("a result under the claim of another worker is refused", async () => {
    await desk().letters("a");
    const mine = await desk().hold("split");
    const stranger = await desk().worker();
    expect(await mine.commit([twoLines(mine, "a")], { worker: stranger })).toEqual({ kind: "refused" });
    await nothingWritten();
    expect((await mine.commit([twoLines(mine, "a")])).kind).toBe("committed");
  });

  it("a poison value makes the whole commit fail, and nothing of it is written", async () => {
    await desk().letters("a", "b");
    const mine = await desk().hold("split");
    const poison = { ...desk().line("b/1", "x"), json: '{"text":"\\u0000"}' };
    const finished = [twoLines(mine, "a", { event: event(1) }), mine.finished("b", [poison])];
    await expect(mine.commit(finished)).rejects.toMatchObject({ code: "22P05" });
    await expect(mine.commit(finished.map((one) => ({ ...one, first: false })))).rejects.toThrow();
    await nothingWritten();
    expect(await desk().count("claim")).toBe(1);
    expect(await mine.commit([twoLines(mine, "a")])).toMatchObject({ kind: "committed" });
  });

  it("an output whose id exists with the same content is shared, and the rest is written as ever", async () => {
    await desk().accept([desk().line("a/1", "one")]);
    await desk().letters("a");
    const mine = await desk().hold("split");
    expect(await mine.commit([twoLines(mine, "a")])).toMatchObject({ kind: "committed", conflicts: [] });
    expect(await desk().visible("lines")).toEqual(["a/1: one", "a/2: two"]);
    expect(await done()).toMatchObject([{ outputs: 2 }]);
  });

  it("an output whose id exists with other content is a conflict: the first one stands", async () => {
    await desk().accept([desk().line("a/1", "mine")]);
    await desk().letters("a");
    const mine = await desk().hold("split");
    const conflicts = [{ collection: desk().collection("lines"), id: "a/1" }];
    expect(await mine.commit([twoLines(mine, "a")])).toEqual({ kind: "committed", conflicts, removed: 0 });
    expect(await desk().visible("lines")).toEqual(["a/1: mine", "a/2: two"]);
    expect(await desk().count("conflict")).toBe(1);
  });

  it("two results of one commit may yield the same document", async () => {
    await desk().letters("a", "b");
    await desk().work("split", () => [desk().line("shared", "one")]);
    expect(await desk().visible("lines")).toEqual(["shared: one"]);
    expect(await desk().owed("shout")).toEqual(["shared"]);
  });

  it("an input that changed while it was worked on stays owed, and the result of the old one counts as that", async () => {
    await desk().letters("a");
    const mine = await desk().hold("split");
    await desk().accept([desk().document("letters", "a", "another text")]);
    expect((await mine.commit([twoLines(mine, "a")])).kind).toBe("committed");
    expect(await desk().visible("lines")).toEqual(["a/1: one", "a/2: two"]);
    const again = await desk().hold("split");
    const [task] = again.claim.tasks;
    expect(task).toMatchObject({ id: "a", body: { text: "another text" } });
    expect(task?.generation).not.toBe(mine.task("a").generation);
    expect(task?.marker).not.toBeNull();
    await again.commit([again.finished("a", [desk().line("a/1", "new")])]);
    expect(await desk().visible("lines")).toEqual(["a/1: new"]);
    expect(await desk().owed("split")).toEqual([]);
  });

  it("a document that was deleted while it was worked on gets no result", async () => {
    await desk().letters("a", "b");
    const mine = await desk().hold("split");
    await desk().rows(sql`delete from headway.task where subject = ${mine.task("a").subject}`);
    expect((await mine.commit([twoLines(mine, "a"), twoLines(mine, "b")])).kind).toBe("committed");
    expect(await desk().visible("lines")).toEqual(["b/1: one", "b/2: two"]);
    expect(await desk().count("done")).toBe(1);
    expect(await desk().count("claim")).toBe(0);
  });

  it("a commit that is repeated because its answer was lost changes nothing", async () => {
    await desk().letters("a", "b");
    const mine = await desk().hold("split");
    const commit = () => mine.commit([twoLines(mine, "a", { event: event(1) })]);
    await commit();
    const before = await done();
    expect((await commit()).kind).toBe("committed");
    expect(await done()).toEqual(before);
    expect(await desk().visible("lines")).toEqual(["a/1: one", "a/2: two"]);
    expect(await desk().count("outbox")).toBe(1);
  });

  it("a repeated commit has no right to a task that was owed anew in between", async () => {
    await desk().letters("a", "b");
    const mine = await desk().hold("split");
    await mine.commit([twoLines(mine, "a")]);
    await desk().accept([desk().document("letters", "a", "another text")]);
    await mine.commit([twoLines(mine, "a")]);
    expect(await desk().owed("split")).toEqual(["a", "b"]);
    await mine.unfinished({ deaths: [mine.death("a")] });
    await mine.part("a", [desk().line("a/3", "three")]);
    expect(await desk().owed("split")).toEqual(["a", "b"]);
    expect(await desk().visible("lines")).toEqual(["a/1: one", "a/2: two"]);
    const other = await desk().hold("split");
    await other.commit([other.finished("a", [desk().line("a/1", "newer")])]);
    await desk().accept([desk().document("letters", "a", "a third text")]);
    await mine.commit([twoLines(mine, "a")]);
    expect(await desk().visible("lines")).toEqual(["a/1: newer"]);
  });

  it("what turns out unchanged keeps its outputs and counts as done with the new marker", async () => {
    await desk().letters("a");
    await desk().work("split", () => [desk().line("a/1", "one")]);
    await desk().accept([desk().document("letters", "a", "another text")]);
    const mine = await desk().hold("split");
    const result = mine.finished("a", [], { unchanged: true });
    await mine.commit([result]);
    expect(await desk().visible("lines")).toEqual(["a/1: one"]);
    expect(await done()).toEqual([{ subject: result.subject, outputs: 1, marker: result.marker }]);
  });

  it("an event is told once however often it is announced before it was handed on, and again when it is later", async () => {
    await desk().letters("a");
    const announce = async (at: Date) => {
      const mine = await desk().hold("split", { now: at });
      await mine.commit([mine.finished("a", [], { event: event(mine.task("a").subject, "same") })]);
      await desk().accept([desk().document("letters", "a", String(at.getTime()))], { at });
    };
    const told: string[] = [];
    const relay = () =>
      relayEvents(
        desk().db,
        10,
        async (events) => void told.push(...events.map((one) => one.key)),
        () => now,
      );
    await announce(now);
    await announce(later(1));
    expect([await relay(), await relay(), told]).toEqual([1, 0, ["same"]]);
    await announce(later(2));
    expect([await relay(), told]).toEqual([1, ["same", "same"]]);
  });

  it("an event that could not be handed on is handed on the next time", async () => {
    await desk().letters("a");
    const mine = await desk().hold("split");
    await mine.commit([mine.finished("a", [], { event: event(1) })]);
    const failing = relayEvents(
      desk().db,
      10,
      () => Promise.reject(new Error("the broker is away")),
      () => now,
    );
    await expect(failing).rejects.toThrow("the broker is away");
    const relayed = await relayEvents(
      desk().db,
      10,
      async () => {},
      () => now,
    );
    expect(relayed).toBe(1);
  });
}
