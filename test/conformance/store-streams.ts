import { expect, it } from "vitest";
import { sql } from "../../engine/src/store/sql.ts";
import { oweChanged } from "../../engine/src/store/tasks.ts";
import { evictWorker, retireWorker } from "../../engine/src/store/workers.ts";
import { type Desk, type Holding, later, now } from "./store-desk.ts";

export function describeStreams(desk: () => Desk): void {
  const line = (id: string, text: string) => desk().line(id, text);
  const end = (mine: Holding, id: string, ...last: ReturnType<typeof line>[]) =>
    mine.commit([mine.finished(id, last, { streamed: true, first: false })]);
  const redo = async (id: string) => {
    const [row] = await desk().rows<{ subject: number }>(
      sql`select subject from headway.document where id = ${id}`,
    );
    const owed = [{ subject: row?.subject as number, stage: desk().stage("split"), rank: 0 }];
    await desk().db.transaction((tx) => oweChanged(tx, owed, now));
    return await desk().hold("split");
  };

  it("parts are there at once, with what they owe, while the task is still claimed", async () => {
    await desk().letters("a");
    const mine = await desk().hold("split");
    expect(await mine.part("a", [line("1", "one"), line("2", "two")])).toMatchObject({ kind: "committed" });
    expect(await desk().visible("lines")).toEqual(["1: one", "2: two"]);
    expect(await desk().owed("shout")).toEqual(["1", "2"]);
    expect(await desk().count("done")).toBe(0);
    await end(mine, "a", line("3", "three"));
    expect(await desk().visible("lines")).toEqual(["1: one", "2: two", "3: three"]);
    expect(await desk().rows(sql`select outputs from headway.done`)).toEqual([{ outputs: 3 }]);
    expect(await desk().count("claim")).toBe(0);
  });

  it("what a finished stream did not yield this time is removed, and only then", async () => {
    await desk().letters("a");
    const first = await desk().hold("split");
    await first.part("a", [line("1", "one"), line("2", "two"), line("3", "three")]);
    await end(first, "a");
    const second = await redo("a");
    await second.part("a", [line("1", "one"), line("3", "THREE")]);
    expect(await desk().visible("lines")).toEqual(["1: one", "2: two", "3: THREE"]);
    await end(second, "a", line("4", "four"));
    expect(await desk().visible("lines")).toEqual(["1: one", "3: THREE", "4: four"]);
  });

  it("from its first part on, what was done before is not done any more", async () => {
    await desk().letters("a");
    await end(await desk().hold("split"), "a", line("1", "one"));
    expect(await desk().count("done")).toBe(1);
    const second = await redo("a");
    expect(second.task("a").marker).not.toBeNull();
    await second.part("a", [line("1", "ONE")]);
    expect(await desk().count("done")).toBe(0);
    await evictWorker(desk().db, { worker: second.held.worker, because: "a test", crashed: true, now });
    expect((await desk().hold("split")).task("a").marker).toBeNull();
  });

  it.each(["dies", "stops in good order"])(
    "what a stream left behind whose worker %s is compared by the next attempt",
    async (how) => {
      await desk().letters("a");
      const first = await desk().hold("split");
      await first.part("a", [line("1", "one"), line("2", "two")]);
      const { worker } = first.held;
      if (how === "dies") await evictWorker(desk().db, { worker, because: "a test", crashed: true, now });
      else await retireWorker(desk().db, worker, now);
      const second = await desk().hold("split");
      const result = second.finished("a", [line("3", "three")]);
      expect(result.first).toBe(false);
      await second.commit([result]);
      expect(await desk().visible("lines")).toEqual(["3: three"]);
    },
  );

  it.each([
    ["documents", "two"],
    ["a share in a document", "one"],
    ["a conflict", "ONE"],
  ])(
    "%s that a stream left behind, whose input then changed, are compared by the next attempt",
    async (_, text) => {
      const post = text === "two" ? "2" : "1";
      await desk().letters("a", "b");
      const both = await desk().hold("split");
      await both.commit([both.finished("b", [line("1", "one")])], { remaining: 1 });
      await both.part("a", [line(post, text)]);
      await evictWorker(desk().db, { worker: both.held.worker, because: "a test", crashed: true, now });
      const second = await redo("a");
      expect(second.task("a")).toMatchObject({ marker: null, firstAttemptAt: null });
      await second.commit([second.finished("a", [line("3", "three")])]);
      expect(await desk().visible("lines")).toEqual(["1: one", "3: three"]);
      expect(await desk().count("conflict")).toBe(0);
      expect(await desk().rows(sql`select 1 from headway.co_producer`)).toEqual([]);
    },
  );

  it("a stream that has lost its claim writes nothing more", async () => {
    await desk().letters("a");
    const mine = await desk().hold("split");
    await mine.part("a", [line("1", "one")]);
    await evictWorker(desk().db, { worker: mine.held.worker, because: "a test", crashed: true, now });
    expect(await mine.part("a", [line("2", "two")])).toEqual({ kind: "refused" });
    expect(await end(mine, "a", line("3", "three"))).toEqual({ kind: "refused" });
    expect(await desk().visible("lines")).toEqual(["1: one"]);
  });

  it("a stream whose document was deleted writes nothing more", async () => {
    await desk().letters("a");
    const mine = await desk().hold("split");
    await desk().rows(sql`delete from headway.task where subject = ${mine.task("a").subject}`);
    expect(await mine.part("a", [line("1", "one")])).toEqual({ kind: "refused" });
    expect(await desk().visible("lines")).toEqual([]);
  });

  it("one id with two contents in one stream is refused; with the same content it is fine", async () => {
    await desk().letters("a");
    const mine = await desk().hold("split");
    await mine.part("a", [line("1", "one")]);
    await mine.part("a", [line("1", "one"), line("2", "two")]);
    await expect(mine.part("a", [line("1", "ONE"), line("3", "three")])).rejects.toMatchObject({
      kind: "permanent",
      code: "output.twice",
    });
    await expect(end(mine, "a", line("2", "TWO"))).rejects.toMatchObject({ code: "output.twice" });
    expect(await desk().visible("lines")).toEqual(["1: one", "2: two"]);
  });

  it("a document that two streams share stays with the one that still yields it", async () => {
    await desk().letters("a", "b");
    const first = await desk().hold("split", { limit: 1 });
    await first.part("a", [line("x", "one")]);
    await end(first, "a");
    const second = await desk().hold("split", { limit: 1 });
    await second.part("b", [line("x", "one")]);
    await end(second, "b");
    const again = await redo("a");
    await again.part("a", [line("y", "two")]);
    await end(again, "a");
    expect(await desk().visible("lines")).toEqual(["x: one", "y: two"]);
  });

  it("a document inherited in the middle of a stream that has yielded it is not stale at its end", async () => {
    await desk().letters("a", "b");
    const first = await desk().hold("split", { limit: 1 });
    await first.commit([first.finished("a", [line("x", "one")])]);
    const streaming = await desk().hold("split", { limit: 1 });
    await streaming.part("b", [line("x", "one")]);
    const leaving = await redo("a");
    await leaving.commit([leaving.finished("a", [])]);
    await end(streaming, "b", line("z", "last"));
    expect(await desk().visible("lines")).toEqual(["x: one", "z: last"]);
  });

  it("a document inherited by a removal in the middle of a stream is not stale at its end", async () => {
    await desk().letters("a", "b");
    const first = await desk().hold("split", { limit: 1 });
    await first.commit([first.finished("a", [line("x", "one")])]);
    const streaming = await desk().hold("split", { limit: 1 });
    await streaming.part("b", [line("x", "one")]);
    await desk().rows(sql`update headway.document set gone_at = ${now} where id = 'a'`);
    await desk().reapAll();
    await end(streaming, "b");
    expect(await desk().visible("lines")).toEqual(["x: one"]);
  });

  it("an input that changed during a stream stays owed after it", async () => {
    await desk().letters("a");
    const mine = await desk().hold("split");
    await mine.part("a", [line("1", "one")]);
    await desk().accept([desk().document("letters", "a", "another text")], { at: later(1) });
    await mine.part("a", [line("2", "two")]);
    await end(mine, "a");
    expect(await desk().owed("split")).toEqual(["a"]);
    expect(await desk().visible("lines")).toEqual(["1: one", "2: two"]);
  });
}
