import { expect, it } from "vitest";
import { loadMembers } from "../../engine/src/store/groups.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { countStatements, type Desk, later, now, quietMs } from "./store-desk.ts";

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
  /** Completes all due groups, with one echo each. */
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

  it.each(["accepted", "yielded"])(
    "documents that are %s join by one statement groups new and old",
    async (how) => {
      const { line, accept } = { line: desk().line, accept: desk().accept.bind(desk()) };
      await accept([line("1", "one", "tea")]);
      const tea = await desk().hold("gather", { now: atRest });
      await tea.unfinished({ deaths: [tea.death("tea")] });
      const lines = [
        line("4", "four", "rum"),
        line("2", "two", "tea"),
        line("3", "three", "rum"),
        line("5", "five"),
      ];
      await desk().letters("a");
      const mine = await desk().hold("split");
      const statements = await countStatements(desk().db, async () => {
        if (how === "accepted") await accept(lines, { hopeful: true, at: later(5_000) });
        else await mine.commit([mine.finished("a", lines)], { now: later(5_000) });
      });
      expect(statements).toBe(how === "accepted" ? 2 : 1);
      expect(await groups()).toEqual([
        { key: "rum", members: ["3", "4"] },
        { key: "tea", members: ["1", "2"] },
      ]);
      expect(await due()).toEqual([`rum ${quietMs + 5_000} quiet`, `tea ${quietMs + 5_000} quiet`]);
      expect(await desk().owed("shout")).toEqual(["1", "2", "3", "4", "5"]);
      expect(await desk().count("dead_letter")).toBe(0);
    },
  );

  it("the first result of a group is written by one statement, the next one is compared with it", async () => {
    await desk().accept([desk().line("1", "one", "tea")]);
    await desk().accept([desk().line("2", "two", "tea")]);
    const echo = (id: string) => desk().document("echoes", id, "echo");
    const first = await desk().hold("gather", { now: atRest });
    const result = first.finished("tea", [echo("a"), echo("b")]);
    expect(await countStatements(desk().db, () => first.commit([result]))).toBe(1);
    expect(await desk().owed("gather")).toEqual([]);
    await desk().accept([desk().line("3", "three", "tea")]);
    const second = await desk().hold("gather", { now: atRest });
    await second.commit([second.finished("tea", [echo("b"), echo("c")])]);
    expect(await desk().visible("echoes")).toEqual(["b: echo", "c: echo"]);
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
