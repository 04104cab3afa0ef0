import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { shippedRules } from "../../engine/src/decide/alert-rules.ts";
import { type Notice, noticeOf } from "../../engine/src/decide/alert-text.ts";
import type { Channel, Undelivered } from "../../engine/src/dispatch/alert-channel.ts";
import { openChannels } from "../../engine/src/dispatch/alert-channels.ts";
import { startMailServer } from "../support/mail-server.ts";

vi.setConfig({ testTimeout: 60_000 });

const now = new Date("2026-11-16T14:31:07Z");
const alert = {
  id: 12,
  key: "parsing/00aa",
  count: 4_120,
  folded: 0,
  firstAt: new Date("2026-11-16T14:02:11Z"),
  lastAt: now,
  times: 3,
  facts: { stage: "parsing", code: "http.503", message: "<!channel> & ``` busy", document: "mails/1" },
};
const deaths = shippedRules.find(({ name }) => name === "deaths") as (typeof shippedRules)[number];
const opened = noticeOf(deaths, alert, "opened", { number: 1, now });
const resolved = noticeOf(deaths, alert, "resolved", { number: 2, now });

interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}
type Mood = "fine" | "broken" | "busy" | "gone" | "moved" | "resets" | "garbage" | "huge";

const asked: Asked[] = [];
let mood: Mood = "fine";
let server: Server;
const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
beforeAll(async () => {
  server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const text = Buffer.concat(pieces).toString();
      asked.push({ path: request.url ?? "", headers: request.headers, text });
      if (mood === "resets") return request.socket.destroy();
      if (mood === "garbage") return request.socket.end("\0\0 this is no HTTP\r\n\r\n");
      const status = { fine: 202, broken: 500, busy: 429, gone: 410, moved: 302, huge: 200 }[mood];
      const moved = mood === "moved" && { location: `${url()}/elsewhere` };
      response.writeHead(status, { ...(mood === "busy" && { "retry-after": "120" }), ...moved });
      response.end(mood === "huge" ? Buffer.alloc(10_000_000) : "");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  asked.length = 0;
  mood = "fine";
});
afterAll(() => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});

const only = (variables: Record<string, string>): Channel => {
  const [channel] = openChannels(variables);
  if (!channel) throw new Error("No channel is set up.");
  return channel;
};
const problemOf = (channel: Channel, notice: Notice = opened): Promise<Undelivered | null> =>
  channel.send(notice, channel.targets[0] ?? "", { now, signal: new AbortController().signal }).then(
    () => null,
    (error: Undelivered) => error,
  );
const bodyOf = (at = 0) => JSON.parse(asked[at]?.text ?? "null");

describe("a webhook", () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  const webhook = () =>
    only({ HEADWAY_ALERT_WEBHOOK_URL: `${url()}/hook`, HEADWAY_ALERT_WEBHOOK_SECRET: secret });

  it("is signed as Standard Webhooks are, with an id that stays the same", async () => {
    expect(await problemOf(webhook())).toBeNull();
    expect(await problemOf(webhook())).toBeNull();
    const [{ headers, text } = asked[0] as Asked, again] = asked;
    const content = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`;
    const signed = createHmac("sha256", Buffer.alloc(32, 7)).update(content).digest("base64");
    expect(headers["webhook-signature"]).toBe(`v1,${signed}`);
    expect(again?.headers["webhook-id"]).toBe("alert-12-opened-1");
    expect(JSON.parse(text)).toMatchObject({
      type: "alert.opened",
      data: { count: 4_120, severity: "high" },
    });
  });

  it.each([
    ["broken", { message: /answered 500/, final: false }],
    ["busy", { message: /answered 429/, final: false, retryAfterMs: 120_000 }],
    ["gone", { message: /answered 410/, final: true }],
    ["moved", { message: /answered 302/, final: false }],
    ["resets", { message: /127\.0\.0\.1/, final: false }],
    ["garbage", { message: /127\.0\.0\.1/, final: false }],
  ] as const)(
    "a receiver that is %s leaves the notice undelivered",
    async (bad, { message, ...expected }) => {
      mood = bad;
      const problem = await problemOf(webhook());
      expect(problem?.message).toMatch(message);
      expect(problem).toMatchObject(expected);
      expect(asked.some(({ path }) => path === "/elsewhere")).toBe(false);
    },
  );

  it("an answer of ten megabytes is not read", async () => {
    mood = "huge";
    expect(await problemOf(webhook())).toBeNull();
  });

  it("a weak secret and an address that is none are refused at the start, without repeating them", () => {
    const weak = { HEADWAY_ALERT_WEBHOOK_URL: url(), HEADWAY_ALERT_WEBHOOK_SECRET: "whsec_c2hvcnQ=" };
    expect(() => openChannels(weak)).toThrow("at least 24 bytes");
    expect(() => openChannels({ HEADWAY_ALERT_SLACK_URL: "hooks.example" })).toThrow("begins with http");
    expect(() => openChannels({ HEADWAY_ALERT_MAIL_TO: "a@example.com" })).toThrow("HEADWAY_SMTP_URL");
  });
});

describe("chat and pagers", () => {
  it("Slack gets blocks in which no text can call a channel", async () => {
    expect(await problemOf(only({ HEADWAY_ALERT_SLACK_URL: `${url()}/slack` }))).toBeNull();
    expect(bodyOf().text).toBe("[high] parsing: 4,120 documents died of http.503");
    expect(asked[0]?.text).not.toContain("<!channel>");
  });

  it("PagerDuty gets a trigger and its end under one key", async () => {
    const pager = only({
      HEADWAY_ALERT_PAGERDUTY_KEY: "a-key",
      HEADWAY_ALERT_PAGERDUTY_URL: `${url()}/v2/enqueue`,
    });
    await problemOf(pager);
    await problemOf(pager, resolved);
    expect(bodyOf(0)).toMatchObject({ event_action: "trigger", dedup_key: "alert-12", routing_key: "a-key" });
    expect(bodyOf(0).payload).toMatchObject({ severity: "error", source: "headway" });
    expect(bodyOf(1)).toMatchObject({ event_action: "resolve", dedup_key: "alert-12" });
    expect(pager.targets.join()).not.toContain("a-key");
  });

  it("Alertmanager gets an alert, and its end with the same labels", async () => {
    const manager = only({ HEADWAY_ALERT_ALERTMANAGER_URL: `${url()}/` });
    await problemOf(manager);
    await problemOf(manager, resolved);
    expect(asked[0]?.path).toBe("/api/v2/alerts");
    expect(bodyOf(1)[0].labels).toEqual(bodyOf(0)[0].labels);
    expect([bodyOf(0)[0].startsAt, bodyOf(1)[0].endsAt]).toEqual([now.toISOString(), now.toISOString()]);
  });
});

describe("mail", () => {
  let mail: Awaited<ReturnType<typeof startMailServer>>;
  beforeAll(async () => {
    mail = await startMailServer();
  });
  afterAll(() => mail.close());
  const channel = () =>
    only({ HEADWAY_ALERT_MAIL_TO: "ann@example.com, bo@example.com", HEADWAY_SMTP_URL: mail.url });

  it("is text under an ASCII subject; a follow-up is a reply", async () => {
    expect(channel().targets).toEqual(["ann@example.com", "bo@example.com"]);
    expect([await problemOf(channel()), await problemOf(channel(), resolved)]).toEqual([null, null]);
    const [first, second] = mail.taken;
    expect(first?.to).toBe("ann@example.com");
    expect(first?.text).toContain("Subject: [high] parsing: 4,120 documents died of http.503\n");
    expect(first?.text).toMatch(/^Message-ID: <alert-12@localhost>$/m);
    expect(first?.text).toMatch(/^What +documents die at parsing: http\.503/m);
    expect(first?.text).toContain("headway alerts show 12");
    expect(second?.text).toMatch(/^In-Reply-To: <alert-12@localhost>$/m);
  });

  it.each([
    ["greylists", { message: "the mail server answered 451", final: false }],
    ["refuses", { message: "the mail server answered 550", final: true }],
    ["drops", { final: false }],
    ["hangs", { final: false }],
  ] as const)("a server that %s leaves the mail undelivered", async (bad, expected) => {
    mail.state.mood = bad;
    expect(await problemOf(channel())).toMatchObject(expected);
    mail.state.mood = "fine";
  });

  it("an address with more in it than an address is refused", () => {
    const bad = {
      HEADWAY_ALERT_MAIL_TO: "ann@example.com\r\nBcc: all@example.com",
      HEADWAY_SMTP_URL: mail.url,
    };
    expect(() => openChannels(bad)).toThrow("no mail address");
  });
});
