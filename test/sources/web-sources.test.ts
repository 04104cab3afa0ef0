import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { readSourcePage } from "../../cli/src/source-lines.ts";
import { sql } from "../../engine/src/index.ts";
import { mbox } from "./mails.ts";
import { addSource, type Office, openOffice } from "./office.ts";

let office: Office;
beforeAll(async () => {
  office = await openOffice();
});
afterAll(() => office.close());

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("a source on the web", () => {
  it("is read once, then asked whether it changed, and read again when it has", async () => {
    let [content, asked, sent] = [mbox("one"), 0, 0];
    const home = await serve((request, response) => {
      asked++;
      const etag = `"${content.length}"`;
      if (request.headers["if-none-match"] === etag) return response.writeHead(304).end();
      sent++;
      response.writeHead(200, { etag, "content-type": "text/plain" }).end(content);
    });
    await addSource(office, "web-file", { place: `${home}/quic.mbox`, list: "quic" });
    expect(await office.run("web-file")).toMatchObject({ state: "done", result: { new: 1, unchanged: 0 } });
    expect(await office.run("web-file")).toMatchObject({ state: "done", result: { new: 0, unchanged: 1 } });
    expect([asked, sent]).toEqual([2, 1]);
    content = mbox("one", "two");
    expect(await office.run("web-file")).toMatchObject({ state: "done", result: { new: 1 } });
    expect(await office.subjects("quic")).toEqual(["one", "two"]);
    const page = await readSourcePage(office.database, "web-file");
    expect(page?.runs.map(({ run, result }) => [run, result?.new])).toEqual([
      [3, 1],
      [2, 0],
      [1, 1],
    ]);
  });

  it("reads a pipermail archive by months, and asks about the two newest again", async () => {
    const wanted: string[] = [];
    const names = ["2025-November", "2025-December", "2026-January", "2026-February"];
    const home = await serve((request, response) => {
      const url = request.url ?? "";
      if (url === "/pipermail/tide/")
        return response
          .writeHead(200, { "content-type": "text/html" })
          .end(names.map((name) => `<a href="${name}.txt">${name}</a>`).join("\n"));
      wanted.push(url.replace(/^.*\/|\.txt$/g, ""));
      response.writeHead(200, { "content-type": "text/plain" }).end(mbox(url));
    });
    await addSource(office, "months", { place: `${home}/pipermail/tide/`, list: "tide" });
    expect(await office.run("months")).toMatchObject({ state: "done", result: { new: 4 } });
    expect(wanted.splice(0)).toEqual(names);
    expect(await office.run("months")).toMatchObject({ state: "done", result: { new: 0, unchanged: 2 } });
    expect(wanted.splice(0)).toEqual(names.slice(2));
    names.push("2026-March");
    // January has ended since the last look, and is asked about a last time.
    expect(await office.run("months")).toMatchObject({ result: { new: 1, unchanged: 2 } });
    expect(wanted.splice(0)).toEqual(["2026-January", "2026-February", "2026-March"]);
    await office.run("months");
    expect(wanted).toEqual(["2026-February", "2026-March"]);
  });

  it("is exported by month from a HyperKitty archive", async () => {
    const wanted: string[] = [];
    const home = await serve((request, response) => {
      const url = request.url ?? "";
      if (url === "/archives/list/tide@lists.example.org/")
        return response
          .writeHead(200, { "content-type": "text/html" })
          .end(
            '<a href="2026/2/">February</a> <a href="2026/12/">December</a> <a href="/other/2026/3/">x</a>',
          );
      wanted.push(url);
      response.writeHead(200, { "content-type": "application/gzip" }).end(mbox(url));
    });
    await addSource(office, "kitty", {
      place: `${home}/archives/list/tide@lists.example.org/`,
      list: "kitty",
    });
    expect(await office.run("kitty")).toMatchObject({ state: "done", result: { new: 2 } });
    expect(wanted).toEqual([
      "/archives/list/tide@lists.example.org/export/tide%40lists.example.org-2026-02.mbox.gz?start=2026-02-01&end=2026-03-01",
      "/archives/list/tide@lists.example.org/export/tide%40lists.example.org-2026-12.mbox.gz?start=2026-12-01&end=2027-01-01",
    ]);
  });
});

describe("a source that cannot be read", () => {
  it("is one dead letter, however often it fails, and none when it is well again", async () => {
    let status = 404;
    const home = await serve((_, response) => {
      response.writeHead(status, { "content-type": "text/plain" }).end(status === 200 ? mbox("back") : "");
    });
    await addSource(office, "gone", { place: `${home}/gone.mbox`, list: "gone" });
    for (let time = 1; time <= 3; time++) {
      const run = await office.run("gone");
      expect(run).toMatchObject({ state: "dead", run: time, fault: { code: "url.missing" } });
    }
    expect(await office.deadRuns("gone")).toBe(1);
    expect(await office.events("SourceFailed")).toBeGreaterThanOrEqual(3);
    status = 200;
    expect(await office.run("gone")).toMatchObject({ state: "done", result: { new: 1 } });
    expect(await office.deadRuns("gone")).toBe(0);
    expect(await office.events("SourceFetched")).toBeGreaterThanOrEqual(1);
  });

  it("waits without an attempt while its host is down, and other hosts go on", async () => {
    const down = await serve((_, response) => void response.writeHead(503).end());
    const well = await serve((_, response) => void response.writeHead(200).end(mbox("well")));
    await addSource(office, "down", { place: `${down}/a.mbox`, list: "down" });
    await addSource(office, "well", { place: `${well}/a.mbox`, list: "well" });
    const first = await office.run("down");
    expect(first).toMatchObject({ state: "waiting", fault: { code: "url.unavailable" } });
    for (let tries = 0; tries < 3; tries++) await office.retry("down");
    const held = await office.until("down", ({ fault }) => fault?.code === "host.down");
    const { attempts } = held;
    await office.retry("down");
    expect(await office.until("down", ({ fault }) => fault?.code === "host.down")).toMatchObject({
      attempts,
    });
    expect(await office.run("well")).toMatchObject({ state: "done", result: { new: 1 } });
    const page = await readSourcePage(office.database, "down");
    expect(page?.hostDown?.host).toBe(new URL(down).host);
  });

  it("is not followed into this network, and its password goes to its own host only", async () => {
    const seen: (string | undefined)[] = [];
    const other = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(200).end(mbox("elsewhere"));
    });
    const home = await serve((request, response) => {
      expect(request.headers.authorization).toMatch(/^Basic /);
      response.writeHead(302, { location: `${other}/x.mbox` }).end();
    });
    const place = home.replace("http://", "http://ann@");
    await addSource(office, "secret-web", { place: `${place}/a.mbox`, list: "elsewhere" }, "hunter2");
    expect(await office.run("secret-web")).toMatchObject({ state: "done" });
    expect(seen).toEqual([undefined]);
    await addSource(office, "private", { place: `${home}/a.mbox`, allowPrivate: false });
    expect(await office.run("private")).toMatchObject({ state: "dead", fault: { code: "url.private" } });
  });
});

describe("a server that misbehaves", () => {
  it("is asked for the rest of a file that broke off, if the file is still the same", async () => {
    const content = Buffer.from(mbox(...Array.from({ length: 200 }, (_, at) => `part ${at}`)));
    const asked: string[] = [];
    const home = await serve((request, response) => {
      const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
      asked.push(`${request.headers["if-range"] ?? "whole"}`);
      const rest = content.subarray(from);
      const range = `bytes ${from}-${content.length - 1}/${content.length}`;
      const headers = { etag: '"v1"', "content-length": rest.length, "content-type": "text/plain" };
      response.writeHead(from > 0 ? 206 : 200, from > 0 ? { ...headers, "content-range": range } : headers);
      // Each answer breaks off after a third, until the rest is small.
      if (rest.length < 5_000) return response.end(rest);
      response.write(rest.subarray(0, Math.ceil(rest.length / 3)), () => response.destroy());
    });
    await addSource(office, "broken-off", { place: `${home}/big.mbox`, list: "broken-off" });
    expect(await office.run("broken-off")).toMatchObject({ state: "done", result: { new: 1 } });
    expect(asked.length).toBeGreaterThan(3);
    expect(new Set(asked.slice(1))).toEqual(new Set(['"v1"']));
    expect(await office.subjects("broken-off")).toHaveLength(200);
  });

  it("is given the time it asks for with 429, and not blamed for it", async () => {
    let busy = true;
    const home = await serve((_, response) => {
      if (busy) return response.writeHead(429, { "retry-after": "120" }).end();
      response.writeHead(200, { "content-type": "text/plain" }).end(mbox("patient"));
    });
    await addSource(office, "busy", { place: `${home}/a.mbox`, list: "busy" });
    const waiting = await office.run("busy");
    expect(waiting).toMatchObject({ state: "waiting", fault: { code: "url.unavailable" } });
    expect((waiting.ready_at?.getTime() ?? 0) - Date.parse(waiting.due)).toBeGreaterThan(60_000);
    for (let tries = 0; tries < 4; tries++) await office.retry("busy");
    expect((await readSourcePage(office.database, "busy"))?.hostDown).toBeNull();
    busy = false;
    await office.retry("busy");
    await office.until("busy", ({ state }) => state === "done");
  });

  it("is retried after an error, garbage in place of HTTP, and half an answer", async () => {
    let way = 0;
    const home = await serve((_, response) => {
      switch (way++) {
        case 0:
          return void response.writeHead(500).end("oops");
        case 1:
          return void response.socket?.end("%%% \0\xff not HTTP\r\n\r\n");
        case 2:
          response.writeHead(200, { "content-length": 100_000, "content-type": "text/plain" });
          return void response.write(mbox("half"), () => response.destroy());
        default:
          response.writeHead(200, { "content-type": "text/plain" }).end(mbox("whole"));
      }
    });
    await addSource(office, "moody", { place: `${home}/a.mbox`, list: "moody" });
    expect(await office.run("moody")).toMatchObject({ fault: { code: "url.unavailable" } });
    for (const code of ["url.unreachable", "host.down"]) {
      await office.retry("moody");
      await office.until("moody", ({ fault }) => fault?.code === code);
    }
    await office.database.query(sql`update headway.source_host set probe_at = '2000-01-01'`);
    await office.retry("moody");
    expect(await office.until("moody", ({ state }) => state === "done")).toMatchObject({
      result: { new: 1 },
    });
    await office.settle();
    expect(await office.subjects("moody")).toEqual(["whole"]);
  });

  it("that sends something else than mail is refused, and what was read before stays", async () => {
    let content: Buffer = Buffer.from(mbox("before"));
    const home = await serve(
      (_, response) => void response.writeHead(200, { "content-type": "text/plain" }).end(content),
    );
    await addSource(office, "garbage", { place: `${home}/a.mbox`, list: "garbage" });
    await office.run("garbage");
    content = Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 7_919) % 256));
    expect(await office.run("garbage")).toMatchObject({ state: "dead", fault: { code: "archive.not-mail" } });
    expect(await office.subjects("garbage")).toEqual(["before"]);
  });
});
