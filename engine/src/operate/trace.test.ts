import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openOffice } from "../../../test/support/post-office.ts";
import { hashDatabase } from "../../../test/support/whole-database.ts";
import { openPglite } from "../databases/pglite.ts";
import type { Database } from "../store/database.ts";
import { requestNumber } from "./trace.ts";

let database: Database;
beforeAll(async () => {
  database = await openPglite({ folder: null, inline: true });
});
afterAll(() => database.close());

describe("tracing a request", () => {
  it("tells everything that came of it, retries and deaths included, in order, and changes nothing", async () => {
    const { engine, operator, bring, clock } = await openOffice(database);
    await bring("box", ["fine", "bad one", "sticky two"]);
    await engine.drain();
    await bring("other", ["also fine"], "list-b");
    await engine.drain();
    const before = await hashDatabase(database);
    const [box] = await operator.documents({ collection: "boxes", ids: ["box"] });
    const { lines, counts, cut } = await operator.trace({
      request: `req_${box?.request}.stage_opening.retry_0`,
    });
    expect(cut).toBe(false);
    expect(counts).toEqual({ accepted: 1, made: 5, fault: 4, dead: 2, done: 3, event: 3 });
    expect(lines.map((one) => one.at)).toEqual([...lines.map((one) => one.at)].sort((a, b) => +a - +b));
    expect(lines.some((one) => one.subject.includes("other"))).toBe(false);
    const sticky = lines.filter((one) => one.subject === "letters/box-sticky two");
    expect(sticky.map((one) => [one.kind, one.stage, one.attempts])).toEqual([
      ["made", "opening", null],
      ["fault", "stamping", 1],
      ["fault", "stamping", 2],
      ["fault", "stamping", 3],
      ["dead", "stamping", null],
      ["event", "stamping", null],
    ]);
    expect(lines[0]).toMatchObject({ kind: "accepted", subject: "boxes/box", at: expect.any(Date) });
    expect(lines[0]?.at.getTime()).toBeLessThan(clock.now().getTime());
    expect(await hashDatabase(database)).toBe(before);
  });

  it("is asked for by what stands in a log, and says when it is no request", () => {
    const uuid = "5f1c6f0e-8f55-4f0e-9d53-6f2f4f6f1c11";
    for (const text of [uuid, `req_${uuid}`, `req_${uuid.toUpperCase()}.stage_a-b.retry_12`]) {
      expect(requestNumber(text)).toBe(uuid);
    }
    expect(() => requestNumber("req_1")).toThrow('"req_1" is not a request: expected req_ and a UUID');
  });
});

describe("tracing a document", () => {
  it("tells what it came from and what came of it, and leaves its neighbours out", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["fine", "bad one"]);
    await engine.drain();
    const { lines } = await operator.trace({ collection: "letters", id: "box-fine" });
    expect(lines.map((one) => `${one.kind} ${one.subject}`)).toEqual([
      "accepted boxes/box",
      "done boxes/box",
      "event boxes/box",
      "made letters/box-fine",
      "done letters/box-fine",
      "done bundling/list-a",
      "made stamped/box-fine",
    ]);
  });

  it("tells what operators did about it, and about the stages it goes through", async () => {
    const { engine, operator, bring, post } = await openOffice(database);
    await bring("box", ["bad one"]);
    await engine.drain();
    await operator.pauseStage("stamping", "a bad ribbon");
    await operator.requeueDead({}, { why: "fixed" });
    await operator.pauseStage("opening");
    await operator.resumeStage("stamping");
    post.fixed.add("bad");
    await operator.retryNow({ collection: "letters", id: "box-bad one" }, { why: "again" });
    await engine.drain({ advance: false });
    const letter = { collection: "letters", id: "box-bad one" };
    const { lines } = await operator.trace(letter, { kinds: ["act"] });
    expect(lines.map((one) => [one.word, one.text])).toEqual([
      ["stage.pause", "ann: a bad ribbon"],
      ["dead.requeue", "ann: fixed"],
      ["stage.pause", "ann"],
      ["stage.resume", "ann"],
      ["task.retry", "ann: again"],
    ]);
    const faults = await operator.trace(letter, { stage: "stamping", kinds: ["fault", "done"] });
    expect(faults.lines.map((one) => one.kind)).toEqual(["fault", "done"]);
  });

  it("ends with what it waits for, and says when it was cut", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["sticky one"]);
    await engine.drain({ advance: false });
    const whole = await operator.trace({ collection: "letters", id: "box-sticky one" });
    expect(whole.lines.at(-1)).toMatchObject({ kind: "waiting" });
    const waiting = whole.lines.find((one) => one.kind === "waiting" && one.stage === "stamping");
    expect(waiting).toMatchObject({ attempts: 1, word: "backoff" });
    const short = await operator.trace({ collection: "letters", id: "box-sticky one" }, { limit: 1 });
    expect(short).toMatchObject({ cut: true, lines: [{ kind: "accepted" }], counts: whole.counts });
  });

  it("tells of a group what its members went through", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["one"]);
    await engine.drain();
    const { lines } = await operator.trace({ stage: "bundling", key: "list-a" });
    expect(new Set(lines.map((one) => one.subject))).toEqual(
      new Set(["letters/box-one", "bundling/list-a", "bundles/list-a"]),
    );
  });
});
