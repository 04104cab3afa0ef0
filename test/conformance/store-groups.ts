import { expect, it } from "vitest";
import { loadMembers } from "../../engine/src/store/groups.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { type Desk, later, now, quietMs } from "./store-desk.ts";

export function describeGroups(desk: () => Desk): void {
  const groups = () =>
    desk().rows<{ key: string; members: string[] }>(sql`
      select g.key, array(select d.id from headway.member m join headway.document d on d.subject = m.document
        where m.grouping = g.subject order by d.id) as members
      from headway.grouping g order by g.key`);
  const due = async () => {
    const rows = await desk().rows<{ key: string; ready_at: Date; generation: number; reason: string }>(sql`
      select g.key, t.ready_at, t.generation, t.reason from headway.task t
      join headway.grouping g on g.subject = t.subject order by g.key`);
    return rows.map(({ key, ready_at, reason }) => `${key} ${ready_at.getTime() - now.getTime()} ${reason}`);
  };
  const atRest = later(quietMs);
  /** Works on all groups that are due; each yields one echo. */
  const gather = (at: Date) =>
    desk().work("gather", (task) => [desk().document("echoes", task.id, `group ${task.id}`)], at);

  it("a document joins the group it names, and the group is owed after its quiet time", async () => {
    await desk().accept([
      desk().line("1", "one", "tea"),
      desk().line("2", "two", "tea"),
      desk().line("3", "x"),
    ]);
    expect(await groups()).toEqual([{ key: "tea", members: ["1", "2"] }]);
    expect(await due()).toEqual([`tea ${quietMs} quiet`]);
  });

  it("a late member, and a changed one, start the quiet time anew", async () => {
    await desk().accept([desk().line("1", "one", "tea")]);
    await desk().accept([desk().line("2", "two", "tea")], { at: later(10_000) });
    expect(await due()).toEqual([`tea ${quietMs + 10_000} quiet`]);
    await desk().accept([desk().line("1", "ONE", "tea")], { at: later(20_000) });
    expect(await due()).toEqual([`tea ${quietMs + 20_000} quiet`]);
    await desk().accept([desk().line("1", "ONE", "tea")], { at: later(30_000) });
    expect(await due()).toEqual([`tea ${quietMs + 20_000} quiet`]);
  });

  it("a group is worked on with its members, in order, as they are now", async () => {
    await desk().accept([desk().line("2", "two", "tea"), desk().line("1", "one", "tea")]);
    const mine = await desk().hold("gather", { now: atRest });
    expect(mine.claim.tasks).toMatchObject([{ id: "tea", hash: null, body: null, gone: false }]);
    const members = await loadMembers(desk().db, [mine.task("tea").subject], []);
    expect(members.map(({ id, body }) => [id, body])).toEqual([
      ["1", { text: "one" }],
      ["2", { text: "two" }],
    ]);
  });

  it("members say whether a stage the group waits for is still ahead of them, or has killed them", async () => {
    await desk().accept(["1", "2", "3"].map((id) => desk().line(id, id, "tea")));
    const shout = await desk().hold("shout");
    await shout.unfinished({ deaths: [shout.death("2")] });
    await shout.commit([shout.finished("3", [])], { remaining: 1 });
    const mine = await desk().hold("gather", { now: atRest });
    const members = await loadMembers(desk().db, [mine.task("tea").subject], [desk().stage("shout")]);
    expect(members.map(({ id, pending, dead }) => ({ id, pending, dead }))).toEqual([
      { id: "1", pending: true, dead: false },
      { id: "2", pending: false, dead: true },
      { id: "3", pending: false, dead: false },
    ]);
  });

  it("a member that passes, or dies in, a stage the group waits for makes it due again", async () => {
    await desk().accept([desk().line("1", "one", "tea"), desk().line("2", "two", "cake")]);
    await gather(atRest);
    expect(await due()).toEqual([]);
    const shout = await desk().hold("shout");
    const at = later(60_000);
    await shout.commit([shout.finished("1", [])], { now: at });
    expect(await due()).toEqual([`tea ${60_000 + quietMs} quiet`]);
    await shout.unfinished({ deaths: [shout.death("2")], now: at });
    expect(await due()).toEqual([`cake ${60_000 + quietMs} quiet`, `tea ${60_000 + quietMs} quiet`]);
  });

  it("a document that names another group moves, and both groups are owed again", async () => {
    await desk().accept([desk().line("1", "one", "tea"), desk().line("2", "two", "tea")]);
    await gather(atRest);
    await desk().accept([desk().line("1", "ONE", "cake")], { at: later(60_000) });
    expect(await groups()).toEqual([
      { key: "cake", members: ["1"] },
      { key: "tea", members: ["2"] },
    ]);
    expect(await due()).toEqual([`cake ${60_000 + quietMs} quiet`, `tea ${60_000 + quietMs} quiet`]);
  });

  it("a document that is removed leaves its group, which is owed again", async () => {
    await desk().accept([desk().line("1", "one", "tea"), desk().line("2", "two", "tea")]);
    await gather(atRest);
    await desk().rows(sql`update headway.document set gone_at = ${now} where id = '1'`);
    await desk().reapAll();
    expect(await groups()).toEqual([{ key: "tea", members: ["2"] }]);
    expect(await due()).toEqual([`tea ${quietMs} quiet`]);
  });

  it("a group that its last member has left is dissolved, with its outputs and its record", async () => {
    await desk().accept([desk().line("1", "one", "tea")]);
    await gather(atRest);
    expect(await desk().visible("echoes")).toEqual(["tea: group tea"]);
    await desk().rows(sql`update headway.document set gone_at = ${now} where id = '1'`);
    await desk().reapAll();
    const mine = await desk().hold("gather", { now: later(2 * quietMs) });
    await mine.commit([mine.finished("tea", [], { dissolve: true })]);
    expect(await groups()).toEqual([]);
    expect(await desk().visible("echoes")).toEqual([]);
    expect(await desk().count("done")).toBe(0);
    expect(await desk().reapAll()).toBe(1);
  });

  it("a group that somebody joins while it is being dissolved stays", async () => {
    await desk().accept([desk().line("1", "one", "tea")]);
    await gather(atRest);
    await desk().rows(sql`update headway.document set gone_at = ${now} where id = '1'`);
    await desk().reapAll();
    const mine = await desk().hold("gather", { now: later(2 * quietMs) });
    await desk().accept([desk().line("2", "two", "tea")]);
    await mine.commit([mine.finished("tea", [], { dissolve: true })]);
    expect(await groups()).toEqual([{ key: "tea", members: ["2"] }]);
    expect(await due()).toEqual([`tea ${quietMs} quiet`]);
  });

  it("a group that changed while it was worked on stays owed", async () => {
    await desk().accept([desk().line("1", "one", "tea")]);
    const mine = await desk().hold("gather", { now: atRest });
    await desk().accept([desk().line("2", "two", "tea")], { at: atRest });
    await mine.commit([mine.finished("tea", [desk().document("echoes", "tea", "one")])]);
    expect(await desk().visible("echoes")).toEqual(["tea: one"]);
    expect(await due()).toEqual([`tea ${2 * quietMs} quiet`]);
  });
}
