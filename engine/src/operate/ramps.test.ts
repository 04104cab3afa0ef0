import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openOffice } from "../../../test/support/post-office.ts";
import { openPglite } from "../databases/pglite.ts";
import type { Database } from "../store/database.ts";

let database: Database;
beforeAll(async () => {
  database = await openPglite({ folder: null, inline: true });
});
afterAll(() => database.close());

const manyBad = (count: number) => Array.from({ length: count }, (_, index) => `bad ${index}`);
const filter = { stage: "stamping", olderThan: "0s" } as const;

describe("a ramp", () => {
  it("is found again by what it is for, until it is finished", async () => {
    const { engine, operator, bring, post, clock } = await openOffice(database);
    await bring("box", manyBad(3));
    await engine.drain();
    clock.advance(1);
    post.fixed.add("bad");
    expect(await operator.openRamp(filter)).toBeNull();
    const { ramp } = await operator.startRamp(filter);
    expect(await operator.openRamp(filter)).toBe(ramp);
    expect(await operator.openRamp({ stage: "stamping" })).toBeNull();
    expect(await operator.openRamp(filter, { limit: 2 })).toBeNull();
    await engine.drain();
    expect((await operator.continueRamp(ramp)).move).toEqual({ kind: "go", size: 2 });
    expect(await operator.openRamp(filter)).toBe(ramp);
    await engine.drain();
    expect((await operator.continueRamp(ramp)).move).toEqual({ kind: "finished" });
    expect(await operator.openRamp(filter)).toBeNull();
  });

  it("that stopped is written down once, and is not on its way any more", async () => {
    const { engine, operator, bring, clock } = await openOffice(database);
    await bring("box", manyBad(3));
    await engine.drain();
    clock.advance(1);
    const { ramp } = await operator.startRamp(filter, { why: "hope" });
    await engine.drain();
    clock.advance(1);
    for (const _ of [1, 2])
      expect((await operator.continueRamp(ramp)).move).toMatchObject({ kind: "stop", returned: 1 });
    expect(await operator.openRamp(filter)).toBeNull();
    expect((await operator.audit()).map(({ act, why }) => [act, why])).toEqual([
      ["dead.ramp", "hope"],
      ["dead.ramp", "hope"],
    ]);
    const second = await operator.startRamp(filter);
    expect(second.move).toEqual({ kind: "go", size: 1 });
    expect(await operator.openRamp(filter)).toBe(second.ramp);
  });

  it("stopped by a person rests until somebody goes on anyway", async () => {
    const { engine, operator, bring, post, clock } = await openOffice(database);
    await bring("box", manyBad(4));
    await engine.drain();
    clock.advance(1);
    post.fixed.add("bad");
    const { ramp } = await operator.startRamp(filter);
    expect(await operator.stopRamp(ramp, { why: "wait for the release" })).toEqual({ changed: true });
    expect(await operator.stopRamp(ramp)).toEqual({ changed: false });
    await engine.drain();
    expect((await operator.continueRamp(ramp)).move.kind).toBe("stop");
    expect(await operator.listDead(filter)).toHaveLength(3);
    expect(await operator.openRamp(filter)).toBeNull();
    expect((await operator.audit({ limit: 1 }))[0]).toMatchObject({ why: "wait for the release" });
    expect((await operator.continueRamp(ramp, { anyway: true })).move).toEqual({ kind: "go", size: 1 });
    await engine.drain();
    expect((await operator.continueRamp(ramp)).move).toEqual({ kind: "go", size: 2 });
  });

  it("sends no more back than it may", async () => {
    const { engine, operator, bring, post } = await openOffice(database);
    await bring("box", manyBad(6));
    await engine.drain();
    post.fixed.add("bad");
    const { ramp } = await operator.startRamp({}, { limit: 4 });
    const sizes = [];
    for (;;) {
      await engine.drain();
      const { move } = await operator.continueRamp(ramp);
      if (move.kind !== "go") break;
      sizes.push(move.size);
    }
    expect(sizes).toEqual([2, 1]);
    expect(await operator.listDead()).toHaveLength(2);
  });
});
