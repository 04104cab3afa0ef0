import { describe, expect, it } from "vitest";
import type { ClaimedTask } from "../../engine/src/store/claims.ts";
import { sql } from "../../engine/src/store/sql.ts";
import type { Prepared } from "../../engine/src/store/stage-graph.ts";
import { oweChanged } from "../../engine/src/store/tasks.ts";
import { type Desk, later, now } from "./store-desk.ts";

export function describeOutputs(desk: () => Desk): void {
  /** Owes letters their stage again and completes the named letters with the given outputs. */
  async function redo(yields: Record<string, readonly Prepared[]>): Promise<void> {
    const rows = await desk().rows<{ subject: number; id: string }>(sql`
      select subject, id from headway.document where collection = ${desk().collection("letters")} order by subject`);
    const owed = rows
      .filter(({ id }) => id in yields)
      .map(({ subject }) => ({ subject, stage: desk().stage("split"), rank: 0 }));
    await desk().db.transaction((tx) => oweChanged(tx, owed, now));
    await desk().work("split", (task: ClaimedTask) => yields[task.id] ?? []);
  }
  const producers = async (id: string) => {
    const rows = await desk().rows<{ producer: string; named: boolean }>(sql`
      select l.id as producer, true as named from headway.document d join headway.document l on l.subject = d.producer
      where d.id = ${id}
      union all
      select l.id, false from headway.co_producer c join headway.document d on d.subject = c.document
      join headway.document l on l.subject = c.producer where d.id = ${id}
      order by 2 desc, 1`);
    return rows.map(({ producer, named }) => (named ? `${producer}!` : producer));
  };
  const line = (id: string, text: string) => desk().line(id, text);

  it("an output that changed is updated in place and owes its stages again", async () => {
    await desk().letters("a");
    await redo({ a: [line("x", "one"), line("y", "two")] });
    await desk().work("shout");
    const before = await desk().rows(sql`select subject from headway.document where id = 'x'`);
    await redo({ a: [line("x", "ONE"), line("y", "two")] });
    expect(await desk().visible("lines")).toEqual(["x: ONE", "y: two"]);
    expect(await desk().rows(sql`select subject from headway.document where id = 'x'`)).toEqual(before);
    expect(await desk().owed("shout")).toEqual(["x"]);
  });

  it("an output that is no longer yielded goes at once for readers, with its tasks", async () => {
    await desk().letters("a");
    await redo({ a: [line("x", "one"), line("y", "two")] });
    await redo({ a: [line("y", "two")] });
    expect(await desk().visible("lines")).toEqual(["y: two"]);
    expect(await desk().owed("shout")).toEqual(["y"]);
    expect(await desk().rows(sql`select id from headway.document where gone_at is not null`)).toEqual([
      { id: "x" },
    ]);
  });

  it("an output that comes back before it was erased is there again, and owes its stages", async () => {
    await desk().letters("a", "b");
    await redo({ a: [line("x", "one")] });
    await redo({ a: [] });
    await redo({ b: [line("x", "other")] });
    expect(await desk().visible("lines")).toEqual(["x: other"]);
    expect(await desk().owed("shout")).toEqual(["x"]);
    expect(await producers("x")).toEqual(["b!"]);
    expect(await desk().reap()).toBe(0);
  });

  describe("a document of several producers", () => {
    const share = async () => {
      await desk().letters("a", "b", "c");
      await redo({ a: [line("x", "one")], b: [line("x", "one")], c: [line("x", "one")] });
      expect(await producers("x")).toEqual(["a!", "b", "c"]);
    };

    it("stays until its last one leaves", async () => {
      await share();
      await redo({ b: [] });
      expect(await producers("x")).toEqual(["a!", "c"]);
      await redo({ a: [] });
      expect(await producers("x")).toEqual(["c!"]);
      expect(await desk().visible("lines")).toEqual(["x: one"]);
      await redo({ c: [] });
      expect(await desk().visible("lines")).toEqual([]);
    });

    it("stays with the last one when two of three leave at once, in whatever order", async () => {
      await share();
      await redo({ a: [], b: [] });
      expect(await producers("x")).toEqual(["c!"]);
      await redo({ a: [line("x", "one")], b: [line("x", "one")] });
      expect(await producers("x")).toEqual(["c!", "a", "b"]);
      await redo({ a: [], c: [] });
      expect(await producers("x")).toEqual(["b!"]);
    });

    it("goes when all of them leave at once", async () => {
      await share();
      await redo({ a: [], b: [], c: [] });
      expect(await desk().visible("lines")).toEqual([]);
      expect(await desk().owed("shout")).toEqual([]);
    });

    it("follows when all of them change their minds alike, at once or one after the other", async () => {
      await share();
      await redo({ a: [line("x", "two")], b: [line("x", "two")], c: [line("x", "two")] });
      expect(await desk().visible("lines")).toEqual(["x: two"]);
      for (const id of ["a", "b", "c"]) await redo({ [id]: [line("x", "three")] });
      expect(await desk().visible("lines")).toEqual(["x: three"]);
    });

    it("keeps its content as long as one of them yields that, and what the others want is recorded", async () => {
      await share();
      await redo({ a: [line("x", "two")] });
      expect(await desk().visible("lines")).toEqual(["x: one"]);
      expect(await producers("x")).toEqual(["b!", "c"]);
      expect(await desk().count("conflict")).toBe(1);
    });
  });

  it("a document that moves from one producer to another in one commit stays", async () => {
    await desk().letters("a", "b");
    await redo({ a: [line("x", "one")], b: [] });
    await redo({ a: [], b: [line("x", "one")] });
    expect(await desk().visible("lines")).toEqual(["x: one"]);
    expect(await producers("x")).toEqual(["b!"]);
  });

  it("a document whose producer leaves in the commit that was refused its id goes, and the refused one gets it", async () => {
    await desk().letters("a", "b");
    await redo({ b: [line("x", "one")], a: [] });
    await redo({ a: [line("x", "two")], b: [] });
    expect(await desk().visible("lines")).toEqual([]);
    await desk().reapAll();
    expect(await desk().owed("split")).toEqual(["a"]);
    await desk().work("split", () => [line("x", "two")]);
    expect(await desk().visible("lines")).toEqual(["x: two"]);
  });

  it("an accepted document of the same content changes nothing; of other content it is new", async () => {
    const letter = (text: string) => desk().document("letters", "a", text);
    expect(await desk().accept([letter("one")])).toMatchObject({ inserted: 1, updated: 0, kept: 0 });
    await desk().work("split");
    expect(await desk().accept([letter("one")])).toMatchObject({ inserted: 0, updated: 0, kept: 1 });
    expect(await desk().owed("split")).toEqual([]);
    expect(await desk().accept([letter("two")], { at: later(5) })).toMatchObject({
      updated: 1,
      conflicts: [],
    });
    expect(await desk().owed("split")).toEqual(["a"]);
  });

  it("other content from another source is a conflict, never an overwriting", async () => {
    const letter = (text: string) => desk().document("letters", "a", text);
    await desk().accept([letter("one")], { source: "post" });
    const written = await desk().accept([letter("two")], { source: "courier" });
    expect(written).toMatchObject({
      updated: 0,
      conflicts: [{ collection: desk().collection("letters"), id: "a" }],
    });
    expect(await desk().visible("letters")).toEqual(["a: one"]);
    const kept = await desk().rows(sql`select body ->> 'text' as text from headway.conflict`);
    expect(kept).toEqual([{ text: "two" }]);
  });
}
