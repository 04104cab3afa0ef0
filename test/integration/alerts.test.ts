import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPglite } from "../../engine/src/databases/pglite.ts";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import type { Notice } from "../../engine/src/decide/alert-text.ts";
import { type Channel, Undelivered } from "../../engine/src/dispatch/alert-channel.ts";
import type { Database } from "../../engine/src/store/database.ts";
import { openOffice } from "../support/post-office.ts";

const url = process.env.HEADWAY_TEST_POSTGRES ?? "";
const minute = 60_000;

/** A channel that remembers what it was given, and refuses while told to. */
function aChannel(name: Channel["name"] = "webhook") {
  const taken: Notice[] = [];
  const state = { refuses: null as Undelivered | null };
  const channel: Channel = {
    name,
    targets: ["sink"],
    async send(notice) {
      if (state.refuses) throw state.refuses;
      taken.push(notice);
    },
  };
  return { channel, taken, state, subjects: () => taken.map(({ subject }) => subject) };
}

describe.each(["pglite", "postgres"] as const)("alerts on %s", (kind) => {
  const schema = `alerts_${randomUUID().slice(0, 8)}`;
  let database: Database;
  beforeAll(async () => {
    database =
      kind === "pglite"
        ? await openPglite({ folder: null, inline: true })
        : await openPostgres({ url, schema });
  });
  afterAll(async () => {
    if (kind === "postgres") await database.script(`drop schema if exists "${schema}" cascade`);
    await database.close();
  });
  const bad = (count: number, word = "bad") =>
    Array.from({ length: count }, (_, index) => `${word} ${index}`);
  const openRows = () =>
    database.query({ text: "select 1 from headway.alert_queue where ended_at is null", values: [] });
  async function anOffice() {
    const sink = aChannel();
    const office = await openOffice(database, { channels: [sink.channel] });
    const look = async (afterMs = 0) => {
      office.clock.advance(afterMs);
      return await office.engine.worker.alert();
    };
    return { ...office, ...sink, look };
  }

  it("many deaths of one cause are one notice, and one more when it is over", async () => {
    const { engine, bring, look, taken, subjects } = await anOffice();
    await bring("box", bad(30));
    await engine.drain();
    await look();
    expect(subjects()).toEqual(["[high] stamping: 30 documents died of letter.bad"]);
    expect(taken[0]).toMatchObject({ kind: "opened", rule: "deaths", count: 30, severity: "high" });
    expect(taken[0]?.text).toContain("headway failed groups");
    await look(5 * minute);
    await look(20 * minute);
    await look(20 * minute);
    expect(subjects().slice(1)).toEqual(["[resolved] stamping: 30 documents died of letter.bad"]);
    expect(await openRows()).toEqual([]);
  });

  it("a storm in many commits is one alert and two notices", async () => {
    const { engine, bring, look, taken, operator } = await anOffice();
    for (let round = 0; round < 10; round++) {
      await bring(`box-${round}`, bad(20, `bad ${round}`));
      await engine.drain();
      await look(1_000);
    }
    expect(taken.filter(({ rule }) => rule === "deaths").map((one) => one.kind)).toEqual(["opened", "worse"]);
    expect(await operator.listAlerts({ state: "open" })).toMatchObject([{ rule: "deaths", count: 200 }]);
    const rows = await database.query({ text: "select id from headway.alert_queue", values: [] });
    expect(rows.length).toBeLessThanOrEqual(20);
  });

  it("a single death of a new kind is told, the next of that kind waits for the digest", async () => {
    const { engine, bring, look, subjects } = await anOffice();
    await bring("box", ["bad one"]);
    await engine.drain();
    await look();
    expect(subjects()).toEqual(["[medium] stamping: a new fault, letter.bad"]);
    await look(3 * 60 * minute);
    await bring("other", ["bad two"], "list-b");
    await engine.drain();
    await look(minute);
    expect(await openRows()).toHaveLength(1);
    for (let hours = 0; hours < 26; hours++) await look(60 * minute);
    expect(subjects().slice(1)).toEqual([
      "[resolved] stamping: a new fault, letter.bad",
      "[low] digest: 1 documents died below every threshold",
    ]);
    expect(await openRows()).toEqual([]);
  });

  it("deaths that an outage explains are counted in the alert of the outage", async () => {
    const { engine, bring, look, taken, post } = await anOffice();
    await bring("box", bad(8, "down"));
    await engine.drain({ advance: false });
    await look();
    await look(3 * minute);
    expect(taken.map(({ subject }) => subject)).toEqual(["[critical] post is down"]);
    post.fixed.add("down");
    await engine.drain();
    await look(minute);
    await look(10 * minute);
    expect(taken.map(({ kind: what }) => what)).toEqual(["opened", "resolved"]);
  });

  it("deliveries set aside, returned errors and stages without a worker are told, and their end", async () => {
    const { look, subjects, operator, clock } = await anOffice();
    const query = (text: string) => database.query({ text, values: [] });
    await query(`insert into headway.quarantine (queue, reason, detail, body, body_hash, properties, first_at, last_at)
      values ('stamping', 'not-json', 'x', 'x', 'x', '{}', '${clock.now().toISOString()}', '${clock.now().toISOString()}')`);
    const report = { service: "shop", error_type: "KeyError", message: "no such key" };
    const { groups } = await operator.reportErrors([{ ...report, release: "1.0.0" }]);
    await operator.setErrorGroup(groups[0] as string, { state: "resolved", release: "1.1.0" });
    await look();
    expect(subjects()).toEqual(["[medium] stamping: 1 deliveries in quarantine"]);
    await operator.reportErrors([{ ...report, release: "1.0.9" }]);
    await look(minute);
    expect(subjects()).toHaveLength(1);
    await operator.reportErrors([{ ...report, release: "1.2.0" }]);
    await look(minute);
    expect(subjects()[1]).toBe(`[high] an error came back: ${groups[0]}`);
    await query("delete from headway.quarantine");
    await operator.setErrorGroup(groups[0] as string, { state: "resolved", release: "1.3.0" });
    await look(5 * minute);
    await look(5 * minute);
    expect(subjects().slice(2).sort()).toEqual([
      `[resolved] an error came back: ${groups[0]}`,
      "[resolved] stamping: 1 deliveries in quarantine",
    ]);
  });

  it("a channel that fails is tried again, in order, with the same id; another channel does not wait", async () => {
    const mail = aChannel("mail");
    const hook = aChannel("webhook");
    const office = await openOffice(database, { channels: [mail.channel, hook.channel] });
    mail.state.refuses = new Undelivered("the mail server answered 451");
    await office.bring("box", bad(6));
    await office.engine.drain();
    await office.engine.worker.alert();
    office.clock.advance(40 * minute);
    await office.engine.worker.alert();
    expect([mail.taken, hook.taken.map((one) => one.kind)]).toEqual([[], ["opened", "resolved"]]);
    mail.state.refuses = null;
    for (let looks = 0; looks < 4; looks++) {
      office.clock.advance(60 * minute);
      await office.engine.worker.alert();
    }
    expect(mail.taken.map((one) => one.kind)).toEqual(["opened", "resolved"]);
    expect(mail.taken[0]?.id).toBe(hook.taken[0]?.id);
    const [alert] = await office.operator.listAlerts({ state: "all" });
    const { deliveries } = await office.operator.showAlert(alert?.id ?? 0);
    expect(deliveries.every(({ sentAt }) => sentAt !== null)).toBe(true);
  });

  it("a channel that refuses for good is given up, and the others are told", async () => {
    const mail = aChannel("mail");
    const hook = aChannel("webhook");
    mail.state.refuses = new Undelivered("the mail server answered 550", { final: true });
    const office = await openOffice(database, { channels: [mail.channel, hook.channel] });
    await office.bring("box", bad(6));
    await office.engine.drain();
    await office.engine.worker.alert();
    await office.engine.worker.alert();
    expect(hook.taken.map(({ subject }) => subject)).toContain(
      "[critical] alerts cannot be delivered by mail",
    );
  });

  it("two alerters at once make one alert and send each notice once", async () => {
    const sink = aChannel();
    const first = await openOffice(database, { channels: [sink.channel] });
    const second = await openOffice(database, { channels: [sink.channel], keep: true, clock: first.clock });
    await first.bring("box", bad(7));
    await first.engine.drain();
    await Promise.allSettled([first.engine.worker.alert(), second.engine.worker.alert()]);
    await first.engine.worker.alert();
    expect(sink.taken).toHaveLength(1);
    expect(await first.operator.listAlerts({ state: "open" })).toHaveLength(1);
  });

  it("without a channel alerts are listed; a channel set up later tells them", async () => {
    const silent = await openOffice(database);
    await silent.bring("box", bad(6));
    await silent.engine.drain();
    await silent.engine.worker.alert();
    expect(await silent.operator.listAlerts({ state: "open" })).toMatchObject([
      { rule: "deaths", toldAt: null },
    ]);
    const sink = aChannel();
    const later = await openOffice(database, { channels: [sink.channel], keep: true, clock: silent.clock });
    await later.engine.worker.alert();
    expect(sink.subjects()).toEqual(["[high] stamping: 6 documents died of letter.bad"]);
  });

  it("rules are changed with a history, an acknowledged alert stops reminding, a muted one is silent", async () => {
    const { engine, bring, look, taken, operator } = await anOffice();
    await operator.setAlertRule({
      name: "deaths",
      change: { threshold: 2, severity: "critical" },
      why: "a trial",
    });
    await expect(operator.setAlertRule({ name: "deaths", change: { threshold: 0 } })).rejects.toThrow(
      "threshold",
    );
    await bring("box", bad(2));
    await engine.drain();
    await look();
    expect(taken.map(({ severity }) => severity)).toEqual(["critical"]);
    const [alert] = await operator.listAlerts({ state: "open" });
    expect(await operator.ackAlert(alert?.id ?? 0, { why: "on it" })).toEqual({ changed: true });
    expect(await operator.muteAlert(alert?.id ?? 0, { for: "2h" })).toMatchObject({ changed: true });
    expect((await operator.alertRuleHistory())[0]).toMatchObject({ name: "deaths", why: "a trial" });
    expect((await operator.audit()).map(({ act }) => act)).toEqual(
      expect.arrayContaining(["alert.rule-set", "alert.ack", "alert.mute"]),
    );
    expect(await operator.resetAlertRule({ name: "deaths" })).toEqual({ changed: true });
    expect((await operator.listAlertRules()).find(({ name }) => name === "deaths")?.threshold).toBe(5);
    await look(60 * minute);
    expect(taken).toHaveLength(1);
  });

  it("hundreds of causes at once are at most twenty notices and one that says how many more", async () => {
    const { look, taken, operator } = await anOffice();
    await database.query({
      text: `insert into headway.alert_queue (stage, fingerprint, reason, code, count, facts, at)
        select (select id from headway.stage where name = 'stamping'), 'f' || n, 'permanent', 'letter.bad', 9,
          '{"stage":"stamping","code":"letter.bad"}', $1 from generate_series(1, 200) n`,
      values: [new Date((await operator.now()).getTime() - 1_000)],
    });
    for (let looks = 0; looks < 4; looks++) await look();
    expect(taken.length).toBeLessThanOrEqual(21);
    expect(taken.map(({ subject }) => subject)).toContain("[high] and 180 more alerts");
  });

  it("what a fault says is masked: no secret, no control characters, no second header", async () => {
    const { engine, bring, look, taken } = await anOffice();
    const poison =
      "bad password=hunter2 postgres://me:s3cret@db/x\r\nBcc: all@example.com \u001b[31m <!channel>";
    await bring("box", [poison]);
    await engine.drain();
    await look();
    const said = JSON.stringify(taken);
    expect(said).not.toMatch(/hunter2|s3cret|\\r|\\u001b/);
    expect(taken[0]?.subject).toMatch(/^[ -~]+$/);
  });
});
