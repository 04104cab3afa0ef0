import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sql } from "../../engine/src/index.ts";
import { openMailbox } from "../../intake/src/source/imap-mailbox.ts";
import { type Dovecot, openDovecot } from "../support/dovecot.ts";
import { type Gate, openGate } from "../support/gate.ts";
import { mail } from "./mails.ts";
import { addSource, type Office, openOffice } from "./office.ts";

const goodToken = "ya29.good-token";
let [office, dovecot, bare, gate] = [{} as Office, {} as Dovecot, {} as Dovecot, {} as Gate];
const tokens = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (piece: string) => (body += piece));
  request.on("end", () => {
    const active = `${request.url}${body}`.includes(goodToken);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(active ? { active: true, username: "ann" } : { active: false }));
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => tokens.listen(0, "127.0.0.1", resolve));
  const { port } = tokens.address() as AddressInfo;
  dovecot = await openDovecot({ introspection: `http://127.0.0.1:${port}/introspect` });
  bare = await openDovecot({ tls: false });
  gate = await openGate(`imap://127.0.0.1:${bare.plainPort}`);
  office = await openOffice();
});
afterAll(async () => {
  await office.close();
  await gate.close();
  await dovecot.close();
  await bare.close();
  tokens.close();
});

const subjects = (name: string) => office.subjects(name);
/** A mailbox with mails, read as the list of the same name. */
async function addBox(name: string, count: number): Promise<void> {
  for (let at = 1; at <= count; at++) await dovecot.deliver(mail(`${name} ${at}`), name);
  await addSource(office, name, { place: dovecot.place(name), list: name }, dovecot.password);
}

/** The same behind the gate, in plain text. */
async function addFarBox(name: string, count: number): Promise<void> {
  for (let at = 1; at <= count; at++) await bare.deliver(mail(`${name} ${at}`), name);
  const place = bare.place(name, Number(new URL(gate.url).port));
  await addSource(office, name, { place, list: name }, bare.password);
}

describe("a mailbox of Dovecot", () => {
  it("brings each mail once, and only mails above the last number in the next run", async () => {
    await addBox("plain", 3);
    expect(await office.run("plain")).toMatchObject({ state: "done", result: { new: 3, unchanged: 0 } });
    expect(await office.run("plain")).toMatchObject({ state: "done", result: { new: 0, unchanged: 0 } });
    await dovecot.deliver(mail("plain 4"), "plain");
    expect(await office.run("plain")).toMatchObject({ state: "done", result: { new: 1, unchanged: 0 } });
    expect(await subjects("plain")).toEqual(["plain 1", "plain 2", "plain 3", "plain 4"]);
  });

  it("is one mail each, whatever its lines begin with, and with bytes of any kind", async () => {
    const odd = Buffer.concat([
      Buffer.from(mail("odd 1").replace("This is", "From here on\nFrom ann Mon Jan  3 10:00:00 2005\n")),
      Buffer.from([0xff, 0xfe, 0x80, 0x0a]),
    ]);
    await dovecot.deliver(odd, "odd");
    await dovecot.deliver(mail("odd 2").replaceAll("\n", "\r\n"), "odd");
    await addBox("odd", 0);
    expect(await office.run("odd")).toMatchObject({ state: "done", result: { new: 2 } });
    expect(await subjects("odd")).toEqual(["odd 1", "odd 2"]);
  });

  it("goes on after mails that were deleted, and takes at most as many as its limit in a run", async () => {
    for (let at = 1; at <= 7; at++) await dovecot.deliver(mail(`limit ${at}`), "limit");
    await dovecot.expunge("limit", "2:3");
    const place = dovecot.place("limit");
    await addSource(office, "limit", { place, list: "limit", documentsMax: 2 }, dovecot.password);
    expect(await office.run("limit")).toMatchObject({ result: { new: 2, more: true } });
    // The next runs follow at once, without a request.
    await office.until("limit", ({ state, result }) => state === "done" && result?.more === false);
    await office.settle();
    expect(await subjects("limit")).toEqual([1, 4, 5, 6, 7].map((at) => `limit ${at}`));
  });

  it("is read anew when the server forgot its numbers, and no mail is there twice", async () => {
    await addBox("renumbered", 3);
    await office.run("renumbered");
    await dovecot.renumber("renumbered");
    await dovecot.deliver(mail("renumbered 4"), "renumbered");
    expect(await office.run("renumbered")).toMatchObject({ state: "done", result: { new: 4 } });
    expect(await subjects("renumbered")).toEqual([1, 2, 3, 4].map((at) => `renumbered ${at}`));
    expect(await office.run("renumbered")).toMatchObject({ state: "done", result: { new: 0 } });
  });

  it("takes a token in place of a password, and a refused login is a dead letter at once", async () => {
    await dovecot.deliver(mail("token 1"), "token");
    const declared = { place: dovecot.place("token"), list: "token" };
    await addSource(office, "token", declared, `oauth:${goodToken}`);
    expect(await office.run("token")).toMatchObject({ state: "done", result: { new: 1 } });
    for (const secret of ["oauth:expired", "wrong password"]) {
      await addSource(office, "token", declared, secret);
      const run = await office.run("token");
      expect(run).toMatchObject({ state: "dead", attempts: 1, fault: { code: "imap.login" } });
      expect(JSON.stringify(run)).not.toContain(secret.replace("oauth:", ""));
    }
    expect(await office.deadRuns("token")).toBe(1);
  });

  it("changes nothing in the mailbox: mails stay unread", async () => {
    await addBox("unread", 2);
    expect(await office.run("unread")).toMatchObject({ state: "done", result: { new: 2 } });
    expect(await dovecot.countUnseen("unread")).toBe(2);
  });

  it("without the mailbox is a dead letter that names it", async () => {
    await addSource(office, "nowhere", { place: dovecot.place("nowhere"), list: "n" }, dovecot.password);
    const run = await office.run("nowhere");
    expect(run).toMatchObject({ state: "dead", fault: { code: "imap.mailbox" } });
    expect(run.fault?.message).toContain("nowhere");
  });

  it("is read when a mail arrives, long before its schedule (IDLE)", async () => {
    await dovecot.deliver(mail("idle 1"), "idle");
    await addSource(
      office,
      "idle",
      { place: dovecot.place("idle"), list: "idle", every: "1d" },
      dovecot.password,
    );
    await office.until("idle", ({ state }) => state === "done");
    // The ears of a new source open within ten seconds; an earlier mail waits for the schedule.
    for (let at = 2; (await newestRun("idle")) < 2; at++) {
      await dovecot.deliver(mail(`idle ${at}`), "idle");
      await new Promise((resolve) => setTimeout(resolve, 2_000));
    }
    const run = await office.until("idle", ({ run, state }) => run > 1 && state === "done");
    expect(run).toMatchObject({ asked: "change" });
    expect(run.result?.new).toBeGreaterThan(0);
  });
});

const newestRun = async (name: string): Promise<number> =>
  (
    await office.database.query<{ run: number }>(
      sql`select run from headway.scheduled_source where name = ${name}`,
    )
  )[0]?.run ?? 0;

describe("TLS of a mailbox", () => {
  const login = (mailbox: string, tls: boolean) => ({
    host: "localhost",
    port: tls ? dovecot.tlsPort : dovecot.plainPort,
    tls,
    allowPrivate: true,
    ca: dovecot.ca,
    user: "ann",
    secret: dovecot.password,
    mailbox,
  });

  it("is spoken from the beginning, or after STARTTLS, and IDLE outlasts the usual patience in both", async () => {
    for (const tls of [true, false]) {
      const name = `tls-${tls}`;
      await dovecot.deliver(mail(`${name} 1`), name);
      const box = await openMailbox(login(name, tls), AbortSignal.timeout(60_000));
      const waiting = box.wait(50_000);
      await dovecot.deliver(mail(`${name} 2`), name);
      await waiting;
      expect(await box.uidsAfter(0, 10)).toEqual([1, 2]);
      const got: string[] = [];
      await box.fetch([1, 2], async ({ bytes }) => void got.push(bytes.toString()));
      expect(got.map((one) => /^Subject: (.*?)\r?$/m.exec(one)?.[1])).toEqual([`${name} 1`, `${name} 2`]);
      await box.close();
    }
  });

  it("with a certificate that nobody vouches for is retried, and says how to trust it", async () => {
    const place = `imaps://ann@localhost:${dovecot.tlsPort}/plain`;
    await addSource(office, "untrusted", { place, list: "untrusted" }, dovecot.password);
    const run = await office.run("untrusted");
    expect(run).toMatchObject({ state: "waiting", fault: { code: "imap.certificate" } });
    expect(run.fault?.message).toContain("NODE_EXTRA_CA_CERTS");
  });

  it("that breaks off is a fault of the host, not of the login", async () => {
    const place = `imaps://ann@127.0.0.1:${dovecot.plainPort}/plain`;
    await addSource(office, "no-tls", { place, list: "no-tls" }, dovecot.password);
    expect(await office.run("no-tls")).toMatchObject({
      state: "waiting",
      fault: { code: "imap.unreachable" },
    });
  });
});

describe("a mailbox behind a bad network", () => {
  it("that is cut within a mail goes on there: every mail once", async () => {
    await addFarBox("cut", 120);
    // After about half of the mails; the second run goes on above the last accepted batch.
    gate.cutAnswerTo("UID FETCH 51:100 (UID BODY");
    const first = await office.run("cut");
    expect(first).toMatchObject({ state: "waiting", fault: { code: "imap.broken" } });
    await office.retry("cut");
    const done = await office.until("cut", ({ state }) => state === "done");
    expect(done.result).toMatchObject({ new: 70, unchanged: 0 });
    await office.settle();
    expect(await subjects("cut")).toHaveLength(120);
  });

  it("that is slow is read all the same", async () => {
    await addFarBox("slow", 5);
    gate.delay(150);
    expect(await office.run("slow")).toMatchObject({ state: "done", result: { new: 5 } });
    gate.delay(0);
  });

  it("that is away is waited for without further attempts, and read when it is back", async () => {
    await addFarBox("away", 2);
    await bare.kill();
    await office.run("away");
    for (let tries = 0; tries < 2; tries++) await office.retry("away");
    const held = await office.until("away", ({ fault }) => fault?.code === "host.down");
    // A failed probe is no dead letter either.
    for (let probes = 0; probes < 3; probes++) {
      await office.database.query(sql`update headway.source_host set probe_at = '2000-01-01'`);
      await office.retry("away");
      expect(await office.until("away", () => true)).toMatchObject({ state: "waiting" });
    }
    expect(held.fault?.message).toContain("127.0.0.1");
    await bare.start();
    await office.database.query(sql`update headway.source_host set probe_at = '2000-01-01'`);
    await office.retry("away");
    const done = await office.until("away", ({ state }) => state === "done");
    expect(done.result).toMatchObject({ new: 2 });
    await office.settle();
    expect(await subjects("away")).toEqual(["away 1", "away 2"]);
  });
});
