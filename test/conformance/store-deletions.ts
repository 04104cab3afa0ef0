import { expect, it } from "vitest";
import { deleteDocument, leaveSource } from "../../engine/src/store/deletions.ts";
import { registerSource } from "../../engine/src/store/registry.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { type Desk, later, now, quietMs } from "./store-desk.ts";

export function describeDeletions(desk: () => Desk): void {
  const hiding = { now, quietMsOf: () => quietMs };
  const remove = async (id: string) => {
    const [row] = await desk().rows<{ subject: number }>(
      sql`select subject from headway.document where id = ${id}`,
    );
    await desk().db.transaction((tx) => deleteDocument(tx, row?.subject as number, hiding));
  };
  const removeSource = async (name: string) => {
    const source = await registerSource(desk().db, name, now);
    return await desk().db.transaction((tx) => leaveSource(tx, { source, limit: 1_000, ...hiding }));
  };
  const line = (id: string, topic?: string) => desk().line(id, `text of ${id}`, topic);
  const echo = (id: string, text = "echo") => desk().document("echoes", id, text);
  const visible = async () => [
    ...(await desk().visible("letters")),
    ...(await desk().visible("lines")),
    ...(await desk().visible("echoes")),
  ];
  const made = async (madeOf: string) =>
    await desk().rows(sql`update headway.stage set made_of = ${madeOf} where name = 'gather'`);
  const rest = later(2 * quietMs);

  it("a source is invisible in the transaction of its deletion, with all that came from it", async () => {
    await desk().accept([desk().document("letters", "a", "one")], { source: "attic" });
    await desk().accept([desk().document("letters", "b", "two")], { source: "cellar" });
    await desk().work("split", ({ id }) => [line(`${id}1`, id), line(`${id}2`, id)]);
    await desk().work("shout", ({ id }) => [echo(`${id}!`)]);
    await desk().work("gather", ({ id }) => [echo(`group ${id}`)], rest);
    expect(await removeSource("attic")).toEqual({ gone: 1, passedOn: 0 });
    expect(await visible()).toEqual([
      "b: two",
      "b1: text of b1",
      "b2: text of b2",
      "b1!: echo",
      "b2!: echo",
      "group b: echo",
    ]);
    expect(await desk().owed("gather")).toEqual(["a"]);
    await desk().reapAll();
    expect(await desk().count("document")).toBe(6);
  });

  it("what another producer yields as well stays, and belongs to that one", async () => {
    await desk().letters("a", "b");
    await desk().work("split", ({ id }) => [desk().line("shared", "same"), line(id + id)]);
    await desk().work("shout", ({ id }) => [echo(`${id}!`)]);
    await remove("a");
    expect(await desk().visible("lines")).toEqual(["bb: text of bb", "shared: same"]);
    expect(await desk().visible("echoes")).toEqual(["bb!: echo", "shared!: echo"]);
    await remove("b");
    expect(await visible()).toEqual([]);
  });

  it("a group that goes on with fewer members shows nothing until it is made again", async () => {
    await desk().accept([line("1", "tea"), line("2", "tea"), line("3", "rum")]);
    await desk().work("shout", () => []);
    await desk().work("gather", ({ id }) => [echo(`group ${id}`)], rest);
    await remove("1");
    expect(await desk().visible("echoes")).toEqual(["group rum: echo"]);
    await desk().work("gather", ({ id }) => [echo(`group ${id}`)], later(4 * quietMs));
    expect(await desk().visible("echoes")).toEqual(["group rum: echo", "group tea: echo"]);
  });

  it("a group of copies shows its result while a member is left", async () => {
    await made("any");
    await desk().accept([line("1", "tea"), line("2", "tea")]);
    await desk().work("shout", () => []);
    await desk().work("gather", ({ id }) => [echo(`group ${id}`)], rest);
    await remove("1");
    expect(await desk().visible("echoes")).toEqual(["group tea: echo"]);
    await remove("2");
    expect(await desk().visible("echoes")).toEqual([]);
  });

  it("results that say which members they are made of are hidden with these only", async () => {
    await made("$.text");
    await desk().accept([line("1", "tea"), line("2", "tea")]);
    await desk().work("shout", () => []);
    await desk().work("gather", () => [echo("of one", "1"), echo("of two", "2")], rest);
    await remove("1");
    expect(await desk().visible("echoes")).toEqual(["of two: 2"]);
  });

  it("an attempt under way on a group brings nothing deleted back", async () => {
    await desk().accept([line("1", "tea"), line("2", "tea")]);
    await desk().work("shout", () => []);
    const mine = await desk().hold("gather", { now: rest });
    await remove("1");
    await mine.commit([mine.finished("tea", [echo("old")])], { now: rest });
    expect(await desk().visible("echoes")).toEqual([]);
    expect(await desk().owed("gather")).toEqual(["tea"]);
    expect(await desk().count("claim")).toBe(0);
  });

  it("a document that comes back before its space is freed is worked on again, and so is its group", async () => {
    const bring = async () => {
      await desk().accept([line("1", "tea")]);
      await desk().work("shout", ({ id }) => [echo(`${id}!`)]);
      await desk().work("gather", ({ id }) => [echo(`group ${id}`)], rest);
    };
    await bring();
    const before = await visible();
    await remove("1");
    expect(await visible()).toEqual([]);
    await desk().accept([line("1", "tea")]);
    const shout = await desk().hold("shout");
    expect(shout.claim.tasks).toMatchObject([{ id: "1", marker: null }]);
    await shout.commit([shout.finished("1", [echo("1!")])]);
    const gather = await desk().hold("gather", { now: rest });
    expect(gather.claim.tasks).toMatchObject([{ id: "tea", marker: Buffer.alloc(0) }]);
    await gather.commit([gather.finished("tea", [echo("group tea")])], { now: rest });
    expect(await visible()).toEqual(before);
    expect(await desk().reapAll()).toBe(0);
  });
}
