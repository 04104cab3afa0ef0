import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { readSourcePage } from "../../cli/src/source-lines.ts";
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
