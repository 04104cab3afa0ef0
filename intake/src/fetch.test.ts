import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { isPrivateAddress } from "./addresses.ts";
import { type FetchOptions, fetchUrl } from "./fetch.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server with the given listener; resolves with its URL. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function get(url: string, options: FetchOptions = {}): Promise<string> {
  const fetched = await fetchUrl(url, { allowPrivate: true, ...options });
  if (fetched.kind === "unchanged") return "unchanged";
  const pieces: Uint8Array[] = [];
  for await (const piece of fetched.body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const refusalOf = (url: string, options: FetchOptions = {}) =>
  get(url, options).then(
    (body) => `body ${body}`,
    (error) => `${error.code}: ${error.message}`,
  );

describe("getting an address", () => {
  it("says who asks, and gives back what tells whether it changed", async () => {
    let asked: IncomingMessage | null = null;
    const home = await serve((request, response) => {
      asked = request;
      response.writeHead(200, { etag: '"1"', "last-modified": "Mon, 03 Jan 2005 10:00:00 GMT" }).end("mail");
    });
    const fetched = await fetchUrl(`${home}/x#part`, { allowPrivate: true });
    expect(fetched).toMatchObject({ etag: '"1"', lastModified: "Mon, 03 Jan 2005 10:00:00 GMT" });
    expect((asked as IncomingMessage | null)?.headers["user-agent"]).toMatch(/^headway\/\d/);
    if (fetched.kind === "body") await fetched.body.return(undefined);
  });

  it("what has not changed is not sent again", async () => {
    const home = await serve((request, response) => {
      const same =
        request.headers["if-none-match"] === '"1"' || request.headers["if-modified-since"] === "yesterday";
      response.writeHead(same ? 304 : 200).end(same ? undefined : "mail");
    });
    expect(await get(home, { etag: '"1"', lastModified: null })).toBe("unchanged");
    expect(await get(home, { lastModified: "yesterday" })).toBe("unchanged");
    expect(await get(home, { etag: '"0"' })).toBe("mail");
  });

  it("an encoding of the content is taken off", async () => {
    const home = await serve((request, response) => {
      const encoding = request.url?.slice(1) as string;
      response
        .writeHead(200, { "content-encoding": encoding })
        .end(encoding === "odd" ? "?" : gzipSync("mail"));
    });
    expect(await get(`${home}/gzip`)).toBe("mail");
    expect(await get(`${home}/x-gzip`)).toBe("mail");
    expect(await refusalOf(`${home}/odd`)).toContain('content encoding "odd" is not known here');
    expect(await refusalOf(`${home}/br`)).toContain("url.unreachable: Reading ");
  });

  it.each([
    [404, "url.missing"],
    [410, "url.missing"],
    [401, "url.forbidden"],
    [403, "url.forbidden"],
    [429, "url.unavailable"],
    [503, "url.unavailable"],
    [206, "url.unavailable"],
  ])("status %i is %s", async (status, code) => {
    const home = await serve((_request, response) => response.writeHead(status).end("no"));
    expect(await refusalOf(home)).toContain(`${code}: `);
  });

  it("other addresses are not read, and passwords are never told", async () => {
    for (const address of ["ftp://u:secret@h/x", "file:///etc/passwd", "http://u:secret@[bad/", "http://"]) {
      const refusal = await refusalOf(address);
      expect(refusal).toContain("url.invalid: ");
      expect(refusal).not.toContain("secret");
    }
    const home = await serve((_request, response) => response.writeHead(404).end());
    expect(await refusalOf(home.replace("http://", "http://u:secret@"))).not.toContain("secret");
    expect(await refusalOf("http://u:secret@127.0.0.1:1/")).toMatch(
      /^url\.unreachable: http:\/\/127\.0\.0\.1:1\/ cannot be reached \(ECONNREFUSED\)/,
    );
  });
});

describe("redirects", () => {
  it("are followed five times and not more", async () => {
    const home = await serve((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end("mail");
      else response.writeHead(left % 2 ? 302 : 308, { location: `/${left - 1}` }).end();
    });
    expect(await get(`${home}/5`)).toBe("mail");
    expect(await refusalOf(`${home}/6`)).toContain("url.redirects: ");
  });

  it("take credentials along within their origin only", async () => {
    const seen: (string | undefined)[] = [];
    const other = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.end("mail");
    });
    const home = await serve((request, response) => {
      seen.push(request.headers.authorization);
      const location = request.url === "/a" ? "/b" : other.replace("http://", "http://x:y@");
      response.writeHead(302, { location }).end();
    });
    expect(await get(`${home.replace("http://", "http://me:p%40ss@")}/a`)).toBe("mail");
    const basic = `Basic ${Buffer.from("me:p@ss").toString("base64")}`;
    expect(seen).toEqual([basic, basic, undefined]);
  });

  it("to private addresses or other kinds of address are refused", async () => {
    const home = await serve((request, response) => {
      const location =
        request.url === "/file" ? "file:///etc/passwd" : "http://169.254.169.254/latest/meta-data";
      response.writeHead(302, { location }).end();
    });
    expect(await refusalOf(`${home}/file`)).toContain("url.redirects: ");
    // The server of this test counts as public, so only the redirect's target is private.
    const isPrivate = (address: string) => address !== "127.0.0.1" && isPrivateAddress(address);
    expect(await refusalOf(`${home}/metadata`, { allowPrivate: false, isPrivate })).toBe(
      "url.private: http://169.254.169.254/latest/meta-data is on this machine or in a private network: " +
        "say --allow-private (allowPrivate) to read it.",
    );
  });
});

describe("private addresses", () => {
  it.each(
    [
      "http://127.0.0.1/ http://2130706433/ http://0177.0.0.1/ http://0x7f.1/ http://127.1/ http://[::1]/",
      "http://[::ffff:127.0.0.1]/ http://[64:ff9b::7f00:1]/ http://169.254.169.254/ http://0/ http://[fe80::1]/",
      "http://100.64.1.1/ https://192.168.0.1/ http://localhost/",
    ].flatMap((line) => line.split(" ")),
  )("%s is refused", async (address) => {
    expect(await refusalOf(address, { allowPrivate: false })).toContain("url.private: ");
  });

  it("a name with one private address among others is refused", async () => {
    const resolve = async () => [
      { address: "93.184.216.34", family: 4 },
      { address: "10.0.0.1", family: 4 },
    ];
    expect(await refusalOf("http://lists.example.org/", { allowPrivate: false, resolve })).toContain(
      "url.private",
    );
  });

  it("the connection goes to the address that was checked, and nothing is looked up twice", async () => {
    const home = await serve((request, response) => response.end(`to ${request.headers.host}`));
    const asked: string[] = [];
    const resolve = async (host: string) => {
      asked.push(host);
      return [{ address: "127.0.0.1", family: 4 }];
    };
    const port = new URL(home).port;
    expect(await get(`http://no-such-host.invalid:${port}/`, { resolve })).toBe(
      `to no-such-host.invalid:${port}`,
    );
    expect(asked).toEqual(["no-such-host.invalid"]);
  });
});

describe("a server that means harm or is broken", () => {
  it("sends no more than the limit, however it says so", async () => {
    const piece = Buffer.alloc(50_000, 65);
    const home = await serve((request, response) => {
      if (request.url === "/told") response.writeHead(200, { "content-length": "200000" });
      if (request.url === "/gzip") {
        response.writeHead(200, { "content-encoding": "gzip" });
        response.end(gzipSync(Buffer.alloc(200_000)));
        return;
      }
      const more = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on("drain", more);
      more();
    });
    for (const path of ["/told", "/endless", "/gzip"]) {
      expect(await refusalOf(home + path, { limits: { bytesMax: 100_000 } })).toMatch(
        /^url\.too-large: .* is larger than 97\.7 KiB \(limit url\.bytes\): download it and read the file\.$/,
      );
    }
  });

  it("an encoding that blows up is stopped long before the limit", async () => {
    const bomb = gzipSync(Buffer.alloc(20 << 20));
    const home = await serve((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    });
    expect(await refusalOf(home)).toContain("url.too-large: ");
  });

  it("breaks off before all has come that was promised", async () => {
    const home = await serve((_request, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write("only this", () => response.destroy());
    });
    expect(await refusalOf(home)).toMatch(/^url\.unreachable: Reading .* broke off/);
  });

  it("is slow: no byte for too long, or not done in time", async () => {
    const home = await serve((request, response) => {
      if (request.url === "/silent") return;
      response.writeHead(200);
      if (request.url === "/stalls") return void response.write("From ");
      const drip = setInterval(() => response.write("."), 10);
      response.on("close", () => clearInterval(drip));
    });
    const limits = { idleMs: 150, totalMs: 400 };
    expect(await refusalOf(`${home}/silent`, { limits })).toContain("no byte for 0.15 s");
    expect(await refusalOf(`${home}/stalls`, { limits })).toMatch(/^url\.unreachable: Reading/);
    expect(await refusalOf(`${home}/drips`, { limits })).toContain("took longer than 0.4 s");
  });

  it("is left when the caller has had enough", async () => {
    const stop = new AbortController();
    const home = await serve((request, response) => {
      if (request.url === "/body") response.writeHead(200).write("x");
      setImmediate(() => stop.abort(new Error("enough")));
    });
    await expect(get(`${home}/head`, { signal: stop.signal })).rejects.toThrow("enough");
    await expect(get(`${home}/body`, { signal: stop.signal })).rejects.toThrow("enough");
  });
});
