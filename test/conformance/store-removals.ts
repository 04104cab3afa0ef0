import { expect, it } from "vitest";
import { markGone } from "../../engine/src/store/outputs.ts";
import { countGone } from "../../engine/src/store/reaper.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { type Desk, now } from "./store-desk.ts";

export function describeRemovals(desk: () => Desk): void {
  const remove = async (...ids: string[]) => {
    for (const id of ids) {
      const [row] = await desk().rows<{ subject: number }>(
        sql`select subject from headway.document where id = ${id}`,
      );
      await markGone(desk().db, [row?.subject as number], now);
    }
  };
  const line = (id: string, text: string) => desk().line(id, text);
  const echo = (id: string) => desk().document("echoes", id, `echo of ${id}`);
  /** Letters with two lines each, and an echo of each line. */
  const threeGenerations = async (...letters: string[]) => {
    await desk().letters(...letters);
    await desk().work("split", ({ id }) => [line(`${id}1`, "one"), line(`${id}2`, "two")]);
    await desk().work("shout", ({ id }) => [echo(`${id}!`)]);
  };
  const ids = async () => {
    const rows = await desk().rows<{ id: string }>(sql`select id from headway.document order by id`);
    return rows.map(({ id }) => id).join(" ");
  };
  const recordsOf = () =>
    desk().rows(sql`
      select subject from headway.done union select subject from headway.task union
      select subject from headway.dead_letter union select subject from headway.fault
      except select subject from headway.document`);

  it("everything that came from a document goes with it, generation by generation", async () => {
    await threeGenerations("a", "b");
    await remove("a");
    expect(await ids()).toBe("a a1 a1! a2 a2! b b1 b1! b2 b2!");
    expect(await desk().reap()).toBe(1);
    expect(await ids()).toBe("a1 a1! a2 a2! b b1 b1! b2 b2!");
    expect(await desk().visible("lines")).toEqual(["b1: one", "b2: two"]);
    expect([await desk().reap(), await desk().reap(), await desk().reap()]).toEqual([2, 2, 0]);
    expect(await ids()).toBe("b b1 b1! b2 b2!");
    expect(await recordsOf()).toEqual([]);
  });

  it("a removal that is interrupted goes on where it stopped, in pages of any size", async () => {
    await threeGenerations("a", "b", "c");
    await remove("a", "b");
    expect(await desk().reap(1)).toBe(1);
    expect(await countGone(desk().db)).toBeGreaterThan(0);
    expect(await desk().reapAll(1)).toBe(9);
    expect(await ids()).toBe("c c1 c1! c2 c2!");
    expect(await countGone(desk().db)).toBe(0);
  });

  it("what was removed is counted, so that accepted = there + deleted", async () => {
    await threeGenerations("a", "b");
    await remove("a");
    await desk().reapAll();
    const counted = await desk().rows(sql`
      select c.name, d.documents from headway.deleted d join headway.collection c on c.id = d.collection order by 1`);
    expect(counted).toEqual([
      { name: "echoes", documents: 2 },
      { name: "letters", documents: 1 },
      { name: "lines", documents: 2 },
    ]);
  });

  it("what others yield as well stays with them", async () => {
    await desk().letters("a", "b");
    await desk().work("split", ({ id }) => [line("shared", "one"), line(id + id, "two")]);
    await desk().work("shout", ({ id }) => [echo(`${id}!`)]);
    await remove("a");
    await desk().reapAll();
    expect(await ids()).toBe("b bb bb! shared shared!");
    await remove("b");
    await desk().reapAll();
    expect(await ids()).toBe("");
    expect(await desk().rows(sql`select * from headway.co_producer`)).toEqual([]);
  });

  it("a removed document is invisible at once: nobody reads it, works on it or commits for it", async () => {
    await desk().letters("a");
    const mine = await desk().hold("split");
    await remove("a");
    expect(await desk().visible("letters")).toEqual([]);
    expect((await mine.commit([mine.finished("a", [line("x", "one")])])).kind).toBe("committed");
    expect(await desk().visible("lines")).toEqual([]);
    expect(await desk().take("split", await desk().worker())).toBeNull();
  });

  it("whoever was refused for the sake of a removed document is owed again and gets the id", async () => {
    await desk().letters("a", "b");
    const first = await desk().hold("split", { limit: 1 });
    await first.commit([first.finished("a", [line("x", "of a")])]);
    await desk().work("split", () => [line("x", "of b")]);
    expect(await desk().count("conflict")).toBe(1);
    await remove("a");
    await desk().reapAll();
    expect(await desk().count("conflict")).toBe(0);
    const again = await desk().hold("split");
    expect(again.claim.tasks).toMatchObject([{ id: "b", marker: Buffer.alloc(0) }]);
    await again.commit([again.finished("b", [line("x", "of b")])]);
    expect(await desk().visible("lines")).toEqual(["x: of b"]);
  });

  it("the dead letters, faults and conflicts of what is removed go with it", async () => {
    await desk().accept([line("x", "first")]);
    await desk().letters("a", "b");
    const mine = await desk().hold("split");
    const record = { attempt: 1, request: mine.task("b").request, correlationId: "c", at: now };
    const death = mine.death("b");
    await mine.unfinished({
      deaths: [death],
      faults: [{ ...record, subject: death.subject, fault: death.fault }],
    });
    await mine.commit([mine.finished("a", [line("x", "second")])], { remaining: 0 });
    expect(await desk().count("conflict")).toBe(1);
    await remove("a", "b");
    await desk().reapAll();
    expect(await ids()).toBe("x");
    expect([
      await desk().count("conflict"),
      await desk().count("dead_letter"),
      await desk().count("fault"),
    ]).toEqual([0, 0, 0]);
  });

  it("a document that came back before it was reached is left alone, with what came from it", async () => {
    await threeGenerations("a");
    await remove("a");
    await desk().letters("a");
    expect(await desk().reapAll()).toBe(0);
    expect(await desk().visible("echoes")).toHaveLength(2);
    expect(await desk().owed("split")).toEqual(["a"]);
  });
}
