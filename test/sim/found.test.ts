import { describe, expect, it, vi } from "vitest";
import { type Pipeline, permanent, pipeline, service, stage } from "../../engine/src/index.ts";
import { makeOperator } from "../../engine/src/operate/operator.ts";
import { joinWorkers, type MembershipParts } from "../../engine/src/run/membership.ts";
import type { Claim } from "../../engine/src/store/claims.ts";
import type { Session } from "../../engine/src/store/database.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { store } from "../../engine/src/store/store.ts";
import { virtualClock } from "../../engine/src/testing.ts";
import { copies, notes } from "../fixtures/notes.ts";
import { expectAllSettled, openTasks } from "../support/content.ts";
import { useVirtualEngines } from "../support/virtual-engines.ts";

const engines = useVirtualEngines();

/** Bugs found by the simulation, each as the smallest story. */
describe("found by the simulation", () => {
  /** Two copies of each note, committed one by one, with a hook between the two. */
  async function openStream() {
    const halfway = service("halfway").as<() => Promise<void>>();
    const copying = stage("copying", {
      reads: notes,
      writes: [copies],
      needs: [halfway],
      async *run(note, { halfway }) {
        yield copies.document(`${note.id}/1`, { text: note.text });
        await halfway();
        yield copies.document(`${note.id}/2`, { text: note.text });
      },
    });
    const between = { act: async (): Promise<void> => undefined };
    const engine = await engines.open({
      pipelines: [pipeline("p", { stages: [copying] })] as Pipeline[],
      services: { halfway: () => between.act() },
      settings: { streamDocuments: 1 },
    });
    const copied = async () => (await engine.all(copies)).map((copy) => copy.text);
    return { engine, between, copied };
  }

  it("a document that is deleted in the middle of its stream leaves no claim behind", async () => {
    const { engine, between, copied } = await openStream();
    const { database, clock } = engine;
    const operator = makeOperator({ database, clock, actor: "ann", environment: {} });
    between.act = async () => void (await operator.deleteDocument({ collection: "notes", id: "a" }));
    await engine.accept(notes.document("a", { text: "old" }));
    await engine.drain();
    await expectAllSettled(database);

    between.act = async () => undefined;
    await engine.accept(notes.document("a", { text: "new" }));
    await engine.drain();
    expect(await copied()).toEqual(["new", "new"]);
  });

  it("a document that changes back is done again, if half of a stream was made of what it was meanwhile", async () => {
    const { engine, between, copied } = await openStream();
    await engine.accept(notes.document("a", { text: "old" }));
    await engine.drain();
    between.act = async () => {
      throw permanent("note.torn", "The second half cannot be read.");
    };
    await engine.accept(notes.document("a", { text: "new" }));
    await engine.drain();
    expect(await copied()).toEqual(["new", "old"]);
    between.act = async () => undefined;
    await engine.accept(notes.document("a", { text: "old" }));
    await engine.drain();
    expect(await copied()).toEqual(["old", "old"]);
  });

  it("a stream whose database breaks while its worker stops is given back: it has not failed", async () => {
    let stopping = () => {};
    const cut = vi.spyOn(store, "commitPart").mockImplementationOnce(async () => {
      stopping();
      throw Object.assign(new Error("Connection terminated unexpectedly"), { code: "08006" });
    });
    const { engine, copied } = await openStream();
    stopping = engine.worker.stopping;
    await engine.accept(notes.document("a", { text: "one" }));
    const [lane] = engine.worker.lanes;
    await lane?.process((await lane.take()) as Claim);
    cut.mockRestore();
    expect(await copied()).toEqual([]);
    expect(await openTasks(engine.database)).toMatchObject([{ attempts: 0, fault: null }]);
    const [faults] = await engine.database.query(sql`select count(*)::int as count from headway.fault`);
    expect(faults).toEqual({ count: 0 });
  });

  /** A worker starting on a server with lost sessions, or with locks still held, under the test's control. */
  async function join(
    locks: boolean[],
    onInsert: (lose: () => void) => void,
    more: Partial<MembershipParts> = {},
  ) {
    const clock = virtualClock();
    const locked: bigint[] = [];
    let lose: () => void = () => undefined;
    const session = async (): Promise<Session> => ({
      alive: true,
      async lock(key) {
        locked.push(key);
        return locks.shift() ?? true;
      },
      onLost: (tell) => {
        lose = tell;
      },
      close: async () => undefined,
    });
    const membership = await joinWorkers({
      db: { ...engines.database, kind: "postgres", session },
      store: {
        ...store,
        async insertWorker() {
          onInsert(() => lose());
        },
      },
      clock,
      emit: () => undefined,
      name: "w",
      stages: [],
      silenceMs: 20_000,
      alone: false,
      freed: () => undefined,
      ended: () => undefined,
      ...more,
    });
    return { clock, locked, lose: () => lose(), membership };
  }

  it("a session that is lost while its worker starts is opened again, for the same number", async () => {
    const { locked } = await join([], (lose) => lose());
    await expect.poll(() => locked.length).toBe(2);
    expect(locked[1]).toBe(locked[0]);
  });

  it("a worker that was declared dead sets its clock before it says again that it lives", async () => {
    const story: string[] = [];
    const setClock = async () => void story.push("sets its clock");
    const { membership } = await join([], () => void story.push("joins"), { setClock });
    await membership.renew("it slept");
    expect(story).toEqual(["joins", "sets its clock", "joins"]);
  });

  it("a lock that the server has not let go yet is asked for until it is free", async () => {
    const { clock, locked, lose } = await join([true, false, false], () => undefined);
    lose();
    await expect
      .poll(() => {
        clock.advance(100);
        return locked.length;
      })
      .toBe(4);
    clock.advance(60_000);
    expect(locked).toHaveLength(4);
  });
});
