import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Parser } from "htmlparser2";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { sql } from "../../engine/src/index.ts";
import { openOperator } from "../../engine/src/operate.ts";
import { openVault } from "../../intake/src/index.ts";
import {
  askForReport,
  type DeliveryLine,
  editionState,
  keepBaseline,
  orderReports,
  readDeliveries,
  readSubscription,
  readSubscriptionRow,
  type SubscriptionDeclaration,
  versionsOf,
  writeSubscription,
} from "../../pipelines/consensus/src/index.ts";
import { addSource, type Office, openOffice } from "../sources/office.ts";
import { startMailServer } from "../support/mail-server.ts";
import { until } from "../support/waiting.ts";

const signing = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const asked: { headers: IncomingHttpHeaders; text: string; path: string }[] = [];
let mood: { status: number; headers?: Record<string, string> } | "reset" | "hang" = { status: 200 };
const sink = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", () => {
    asked.push({ headers: request.headers, text: Buffer.concat(pieces).toString(), path: request.url ?? "" });
    if (mood === "hang") return;
    if (mood === "reset") return void request.socket.destroy();
    response.writeHead(mood.status, mood.headers ?? {}).end();
  });
});
let [office, post, url] = [{} as Office, {} as Awaited<ReturnType<typeof startMailServer>>, ""];

beforeAll(async () => {
  await new Promise<void>((resolve) => sink.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(sink.address() as AddressInfo).port}`;
  post = await startMailServer();
  vi.stubEnv("HEADWAY_SMTP_URL", post.url);
  vi.stubEnv("HEADWAY_ALERT_MAIL_FROM", "reports@lists.example.org");
  vi.stubEnv("HEADWAY_LIST_QUIET", "100ms");
  vi.stubEnv("HEADWAY_THREAD_QUIET", "100ms");
  office = await openOffice();
});
beforeEach(() => {
  mood = { status: 200 };
  post.state.mood = "fine";
  post.taken.length = 0;
  asked.length = 0;
});
afterAll(async () => {
  await office.close();
  await post.close();
  sink.closeAllConnections();
  sink.close();
  vi.unstubAllEnvs();
});

const served = new Map<string, string>();
const archive = createServer((request, response) => void response.end(served.get(request.url ?? "") ?? ""));
beforeAll(() => new Promise<void>((resolve) => archive.listen(0, "127.0.0.1", resolve)));
afterAll(() => archive.close());

let day = 1;
const mailOf = (
  id: string,
  { subject, text, answers }: { subject: string; text: string; answers?: string },
) =>
  [
    "From x@example.org Mon Jan  3 10:00:00 2005",
    `From: ${id} <${id}@example.org>`,
    `Subject: ${answers ? "Re: " : ""}${subject}`,
    `Message-ID: <${id}.${subject.length}@example.org>`,
    ...(answers ? [`In-Reply-To: <${answers}.${subject.length}@example.org>`] : []),
    `Date: Mon, ${++day % 28 || 1} Jan 2005 10:00:00 +0000`,
    "",
    text,
    "",
    "",
  ].join("\n");

/** Reads an archive of a list, through a source. */
async function read(list: string, content: string): Promise<void> {
  const { port } = archive.address() as AddressInfo;
  served.set(`/${list}.mbox`, content);
  await addSource(office, list, { place: `http://127.0.0.1:${port}/${list}.mbox`, list });
  expect(await office.run(list)).toMatchObject({ state: "done" });
  await office.settle();
}

async function subscribe(name: string, declared: SubscriptionDeclaration, fromStart = true): Promise<void> {
  const { database, data } = office;
  const { spec, secrets } = readSubscription(declared);
  const vault = await openVault({ env: process.env, data });
  const secret = vault.seal(`subscription ${name}`, JSON.stringify(secrets));
  if (!fromStart) await keepBaseline(database, name, spec);
  // Far away: a test asks for each report.
  const nextAt = new Date("2100-01-01T00:00:00Z");
  await writeSubscription(database, { name, spec, secret, by: "a test", now: new Date(), nextAt });
}

/** Asks for a report; resolves when each delivery is sent, dead or waits after a fault. */
async function report(name: string): Promise<DeliveryLine[]> {
  const { database } = office;
  const edition = ((await readSubscriptionRow(database, name))?.edition ?? 0) + 1;
  await askForReport(database, name, new Date(Date.now() - 1_000));
  await until(
    () => editionState(database, name, edition),
    (state) => state === "done",
  );
  return await settled(name, edition);
}

const settled = (name: string, edition: number): Promise<DeliveryLine[]> =>
  until(
    async () =>
      (await readDeliveries(office.database, name)).filter(
        ({ report: id }) => id.split("/")[1] === String(edition),
      ),
    (lines) => lines.every(({ state, fault }) => state !== "waiting" || fault !== null),
  );

async function retry(name: string): Promise<void> {
  const operator = await openOperator({
    database: office.database,
    actor: "a test",
    pipelines: office.app.pipelines,
  });
  const rows = await office.database.query<{ id: string }>(sql`
    select document as id from headway_read._tasks where collection = 'report_deliveries' and state = 'waiting'
      and document like ${`${name}/%`}`);
  for (const { id } of rows) await operator.retryNow({ collection: "report_deliveries", id });
}

const question = mailOf("ann", {
  subject: "Use tides",
  text: "Shall we adopt tides? I propose to adopt tides.",
});
const answers = [
  mailOf("bob", { subject: "Use tides", text: "+1, I support this.", answers: "ann" }),
  mailOf("cem", { subject: "Use tides", text: "+1 from me, I agree.", answers: "ann" }),
];
const hostile = mailOf("eve", {
  subject: "<script>alert(1)</script> & <!channel>",
  text: "Shall we run <img src=x onerror=alert(1)>? <!channel> [x](javascript:alert(1))",
});

describe("a report", () => {
  it("goes out by mail, webhook, Slack and feed, and the next tells what changed", async () => {
    const feed = join(office.data, "feeds");
    await read("tides", question + hostile);
    await subscribe("weekly", {
      list: "tides",
      time: "weekly",
      mail: ["ann@example.org", "bob@example.org"],
      webhook: `${url}/hook`,
      signing,
      slack: `${url}/slack`,
      feed,
      format: "json",
      site: "https://lists.example.org/site/",
    });
    expect((await report("weekly")).map(({ state }) => state)).toEqual(Array(5).fill("done"));
    expect(post.taken.map(({ to }) => to).sort()).toEqual(["ann@example.org", "bob@example.org"]);
    const first = headersOf(post.taken[0]?.text ?? "");
    expect(first).toMatchObject({
      "message-id": "<report.weekly.1@lists.example.org>",
      references: "<report.weekly@lists.example.org>",
      "list-id": "<weekly.reports.lists.example.org>",
      "list-unsubscribe": "<mailto:reports@lists.example.org?subject=unsubscribe%20weekly>",
      "auto-submitted": "auto-generated",
    });
    expect(first["content-type"]).toContain("multipart/alternative");
    expect(post.taken[0]?.text).toMatch(/text\/plain[\s\S]*text\/html/);
    const hook = asked.find(({ path }) => path === "/hook");
    const { headers = {}, text = "" } = hook ?? {};
    const key = Buffer.alloc(32, 7);
    const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`;
    const signature = createHmac("sha256", key).update(signed).digest("base64");
    expect(headers["webhook-signature"]).toBe(`v1,${signature}`);
    const told = JSON.parse(text);
    expect(told).toMatchObject({ type: "report.published", data: { id: "weekly/1", edition: 1 } });
    expect(told.data.entries).toHaveLength(2);
    const slack = asked.find(({ path }) => path === "/slack")?.text ?? "";
    expect(slack).not.toContain("<!channel>");
    for (const name of ["weekly.atom.xml", "weekly.rss.xml"])
      checkXml(readFileSync(join(feed, name), "utf8"), 1);

    await read("tides", question + hostile + answers.join(""));
    post.taken.length = 0;
    await report("weekly");
    const second = headersOf(post.taken[0]?.text ?? "");
    expect(second["message-id"]).toBe("<report.weekly.2@lists.example.org>");
    expect(second.references).toBe(first.references);
    expect(asked.filter(({ path }) => path === "/hook").at(-1)?.text).toContain("2 new messages");
    checkXml(readFileSync(join(feed, "weekly.atom.xml"), "utf8"), 2);
    const [{ thread } = { thread: "" }] = JSON.parse(
      asked.filter(({ path }) => path === "/hook").at(-1)?.text ?? "{}",
    ).data.entries as { thread: string }[];
    expect(
      (await versionsOf(office.database, "weekly", thread)).map(({ version }) => version.messages),
    ).toEqual([1, 3]);
    post.taken.length = 0;
    await report("weekly");
    expect(post.taken[0]?.text).toContain("Nothing changed.");
    expect(await office.events("ReportPublished")).toBe(3);
  });

  it("is not made without news, and once by any number of workers", async () => {
    await read("quiet", question.replaceAll("Use tides", "Use tides?"));
    await subscribe("quiet", { list: "quiet", time: "daily", mail: ["ann@example.org"] }, false);
    const { database, app } = office;
    const due = () =>
      database.query(
        sql`update headway.subscription set next_at = '2000-01-01', asked = null where name = 'quiet'`,
      );
    await due();
    await until(
      () => readSubscriptionRow(database, "quiet"),
      (row) => (row?.next_at?.getTime() ?? 0) > Date.now(),
    );
    expect(await readSubscriptionRow(database, "quiet")).toMatchObject({ edition: 0 });
    await read("quiet", (question + answers.join("")).replaceAll("Use tides", "Use tides?"));
    await due();
    await Promise.all(Array.from({ length: 5 }, () => orderReports(app.engine, database, new Date())));
    await settled("quiet", 1);
    await until(
      () => post.taken.length,
      (count) => count === 1,
    );
    expect(await readSubscriptionRow(database, "quiet")).toMatchObject({ edition: 1 });
  });

  it("about a decision is a mail in the thread of its discussion", async () => {
    const decided = mailOf("ann", { subject: "Adopt it", text: "I propose to adopt it. Shall we adopt it?" });
    await read("agreed", decided);
    await subscribe("agreed", { list: "agreed", time: "decided", mail: ["ann@example.org"] });
    await report("agreed");
    expect(post.taken).toEqual([]);
    const end = mailOf("dan", {
      subject: "Adopt it",
      text: "We have consensus to adopt it. The call is closed.",
      answers: "ann",
    });
    const votes = ["bob", "cem", "eva"].map((name) =>
      mailOf(name, { subject: "Adopt it", text: "+1, I support adopting it.", answers: "ann" }),
    );
    await read("agreed", decided + votes.join("") + end);
    await report("agreed");
    expect(post.taken).toHaveLength(1);
    expect(headersOf(post.taken[0]?.text ?? "").references).toMatch(/^<report\.agreed\.[0-9a-f]{12}@/);
    await report("agreed");
    expect(post.taken).toHaveLength(1);
  });
});

describe("a recipient that misbehaves", () => {
  it("gets the same mail again after a greylisting or a lost connection, and it is marked once", async () => {
    await read("grey", question.replaceAll("Use tides", "Grey tides"));
    await subscribe("grey", { list: "grey", time: "weekly", mail: ["ann@example.org"] });
    post.state.mood = "greylists";
    expect(await report("grey")).toMatchObject([{ state: "waiting" }]);
    post.state.mood = "drops";
    await retry("grey");
    await until(
      () => readDeliveries(office.database, "grey"),
      ([line]) => (line?.attempts ?? 0) >= 2,
    );
    post.state.mood = "fine";
    await retry("grey");
    await until(
      () => readDeliveries(office.database, "grey"),
      ([line]) => line?.state === "done",
    );
    expect(post.taken.map(({ text }) => headersOf(text)["message-id"])).toEqual([
      "<report.grey.1@lists.example.org>",
    ]);
  });

  it("is a dead letter if it refuses for good, and others get the report all the same", async () => {
    await read("split", question.replaceAll("Use tides", "Split tides"));
    await subscribe("split", {
      list: "split",
      time: "weekly",
      mail: ["ann@example.org"],
      webhook: `${url}/hook`,
    });
    post.state.mood = "refuses";
    const lines = await report("split");
    expect(lines.map(({ kind, state }) => [kind, state]).sort()).toEqual([
      ["mail", "dead"],
      ["webhook", "done"],
    ]);
    expect(await office.events("ReportUndelivered")).toBe(1);
  });

  it("of a webhook is waited for: errors, resets, 429 with its time; 410 ends it", async () => {
    await read("hooks", question.replaceAll("Use tides", "Hook tides"));
    await subscribe("hooks", { list: "hooks", time: "weekly", webhook: `${url}/hook`, signing });
    mood = { status: 500 };
    expect(await report("hooks")).toMatchObject([{ state: "waiting" }]);
    for (const next of [
      "reset",
      { status: 429, headers: { "retry-after": "120" } },
      { status: 200 },
    ] as const) {
      mood = next;
      const before = asked.length;
      await retry("hooks");
      await until(
        () => asked.length,
        (count) => count > before,
      );
    }
    await until(
      () => readDeliveries(office.database, "hooks"),
      ([line]) => line?.state === "done",
    );
    expect(new Set(asked.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set(["hooks/1"]));
    mood = { status: 410 };
    expect(await report("hooks")).toMatchObject([{ state: "dead" }]);
  });
});

const headersOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    (text.split(/\r?\n\r?\n/)[0] ?? "")
      .replace(/\r?\n[ \t]+/g, " ")
      .split(/\r?\n/)
      .map((line) => [
        line.slice(0, line.indexOf(":")).toLowerCase(),
        line.slice(line.indexOf(":") + 1).trim(),
      ]),
  );

/** Well formed, with so many reports, and no markup of a mail outside of an escaped text. */
function checkXml(text: string, reports: number): void {
  const open: string[] = [];
  let items = 0;
  const parser = new Parser(
    {
      onopentag(name) {
        open.push(name);
        if (name === "entry" || name === "item") items += 1;
        expect(["script", "img"]).not.toContain(name);
      },
      onclosetag: (name) => expect(open.pop()).toBe(name),
    },
    { xmlMode: true },
  );
  parser.end(text);
  expect([open, items]).toEqual([[], reports]);
}
