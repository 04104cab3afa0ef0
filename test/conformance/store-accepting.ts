import fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalJson, contentHash } from "../../engine/src/decide/hash.ts";
import { storableJson } from "../../engine/src/decide/text.ts";
import { sql } from "../../engine/src/store/sql.ts";
import type { Prepared } from "../../engine/src/store/stage-graph.ts";
import { evictWorker } from "../../engine/src/store/workers.ts";
import { type Desk, now } from "./store-desk.ts";

export function describeAccepting(desk: () => Desk): void {
  const letter = (id: string, text = `text of ${id}`) => desk().document("letters", id, text);
  const written = () =>
    desk().rows(sql`
      select d.id, d.body, d.hash, d.producer_stage, d.rank, t.stage, t.ready_at, t.attempts
      from headway.document d left join headway.task t using (subject) order by d.id`);

  it("without looking first, new documents become what they become otherwise", async () => {
    const accepted = await desk().accept([letter("a"), letter("b")], { hopeful: true });
    expect(accepted).toEqual({
      inserted: 2,
      updated: 0,
      kept: 0,
      removed: 0,
      conflicts: [],
      claim: null,
    });
    const hopefully = await written();
    await desk().rows(sql`delete from headway.task`);
    await desk().rows(sql`delete from headway.document`);
    expect(await desk().accept([letter("a"), letter("b")])).toMatchObject({ inserted: 2 });
    expect(await written()).toEqual(hopefully);
  });

  it("without looking first, a document that is there is compared all the same, and so are its neighbours", async () => {
    await desk().letters("a");
    const accepted = await desk().accept([letter("new"), letter("a"), letter("a2")], { hopeful: true });
    expect(accepted).toMatchObject({ inserted: 2, kept: 1, conflicts: [] });
    expect(await desk().accept([letter("a", "changed")], { hopeful: true })).toMatchObject({ updated: 1 });
    const other = { hopeful: true, source: "courier" };
    expect(await desk().accept([letter("a", "theirs")], other)).toMatchObject({
      conflicts: [{ collection: desk().collection("letters"), id: "a" }],
    });
    expect(await written()).toMatchObject([{ id: "a" }, { id: "a2" }, { id: "new" }]);
  });

  it("who is keen on them has them in hand with the commit, as if they had been taken", async () => {
    const worker = await desk().worker();
    const keen = { worker, stage: desk().stage("split") };
    const { claim } = await desk().accept([letter("a"), letter("b")], { hopeful: true, keen });
    expect(await desk().take("split", await desk().worker())).toBeNull();
    await desk().rows(sql`delete from headway.claim where id = ${claim?.id ?? 0}`);
    const taken = await desk().take("split", worker);
    expect(taken?.tasks).toMatchObject(claim?.tasks as object[]);
    expect(claim?.tasks).toHaveLength(2);
  });

  it("who was declared dead, or works where work is paused, gets nothing, and the documents wait", async () => {
    const [dead, living] = [await desk().worker(), await desk().worker()];
    await evictWorker(desk().db, { worker: dead, because: "a test", crashed: true, now });
    const stage = desk().stage("split");
    const hand = (id: string, worker: number) =>
      desk().accept([letter(id)], { hopeful: true, keen: { worker, stage } });
    expect(await hand("a", dead)).toMatchObject({ inserted: 1, claim: null });
    await desk().rows(sql`update headway.stage set paused_at = ${now} where id = ${stage}`);
    expect(await hand("b", living)).toMatchObject({ inserted: 1, claim: null });
    await desk().rows(sql`update headway.stage set paused_at = null`);
    expect((await desk().take("split", living))?.tasks.map((task) => task.id)).toEqual(["a", "b"]);
  });

  it("a document that did not come from the database looks as if it had, down to the order of its keys", async () => {
    let count = 0;
    const worker = await desk().worker();
    const keen = { worker, stage: desk().stage("split") };
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (body) => {
        const json = canonicalJson(storableJson(body).value);
        const document: Prepared = {
          collection: desk().collection("letters"),
          id: `d${count++}`,
          hash: contentHash(json),
          json,
          groups: [],
        };
        const { claim } = await desk().accept([document], { hopeful: true, keen });
        await desk().rows(sql`delete from headway.claim`);
        const taken = await desk().take("split", worker);
        expect(JSON.stringify(claim?.tasks[0]?.body)).toBe(JSON.stringify(taken?.tasks[0]?.body));
        await desk().rows(sql`delete from headway.claim`);
        await desk().rows(sql`delete from headway.task`);
      }),
      { numRuns: 60 },
    );
  });
}
