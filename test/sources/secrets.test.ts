import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { run } from "../../cli/src/run.ts";
import { answerSources } from "../../cli/src/source-routes.ts";
import { openVault } from "../../intake/src/index.ts";
import { makeCollectingConsole } from "../consensus/collecting-console.ts";
import { mbox } from "./mails.ts";
import { addSource, openOffice } from "./office.ts";

const planted = "pl4nted+s3cret/of?sources";
const folder = mkdtempSync(join(tmpdir(), "headway-secrets-"));
const sockets = new Set<Socket>();
let [web, imap] = ["", 0];

/** Repeats the header with the password in every answer. */
const echo = createServer((request, response) => {
  const said = request.headers.authorization ?? "";
  const plain = Buffer.from(said.replace("Basic ", ""), "base64").toString();
  if (request.url?.startsWith("/good")) return response.writeHead(200).end(mbox("good"));
  response.writeHead(request.url?.startsWith("/login") ? 401 : 503, {
    "x-you-said": encodeURIComponent(plain),
  });
  response.end(`${said} ${plain}`);
});

/** Repeats the password in every answer, as badly as a server can. */
const parrot = createTcpServer((socket) => {
  sockets.add(socket.on("error", () => undefined));
  socket.write("* OK parrot\r\n");
  let heard = "";
  socket.on("data", (bytes) => {
    for (const line of bytes.toString("latin1").split("\r\n").filter(Boolean)) {
      const tag = line.split(" ")[0];
      if (/AUTHENTICATE/.test(line)) {
        heard = tag ?? "";
        socket.write("+ \r\n");
      } else if (/CAPABILITY/.test(line)) socket.write(`* CAPABILITY IMAP4rev1 IDLE\r\n${tag} OK\r\n`);
      else if (/EXAMINE/.test(line)) socket.write(`${tag} NO ${planted} has no mailbox ${planted}\r\n`);
      else if (heard) {
        const plain = Buffer.from(line, "base64").toString();
        socket.write(`* ${line} ${plain}\r\n${heard} OK ${plain}\r\n`);
        heard = "";
      } else socket.write(`${tag} BAD\r\n`);
    }
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
  await new Promise<void>((resolve) => parrot.listen(0, "127.0.0.1", resolve));
  web = `http://ann@127.0.0.1:${(echo.address() as AddressInfo).port}`;
  imap = (parrot.address() as AddressInfo).port;
  writeFileSync(join(folder, "secret.txt"), planted);
});
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(() => {
  echo.closeAllConnections();
  echo.close();
  for (const socket of sockets) socket.destroy();
  parrot.close();
  rmSync(folder, { recursive: true, force: true });
});

const pair = Buffer.from(`ann:${planted}`);
const forms = [
  planted,
  encodeURIComponent(planted),
  ...[pair, Buffer.from(planted)].map((one) => one.toString("base64")),
];
const leaksIn = (place: string, content: Buffer | string): string[] =>
  forms.filter((form) => content.includes(form)).map((form) => `${place}: ${form}`);

function* filesIn(path: string): Generator<string> {
  if (statSync(path).isFile()) return yield path;
  for (const name of readdirSync(path)) yield* filesIn(join(path, name));
}

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function headway(...words: string[]): Promise<Ended> {
  const data = words.includes("--data") ? [] : ["--data", join(folder, "data")];
  const console = makeCollectingConsole();
  const code = await run([...words, ...data], console);
  return { code, out: console.out(), err: console.err() };
}

describe("a secret of a source", () => {
  it("is in no output, log, audit, dead letter, database file, backup or snapshot", {
    timeout: 300_000,
  }, async () => {
    const places = {
      good: `${web}/good.mbox`,
      away: `${web}/down.mbox`,
      login: `${web}/login.mbox`,
      months: `${web}/pipermail/down/`,
      inbox: `imap://ann@127.0.0.1:${imap}/lists`,
      repo: `git+${web}/login.git`,
    };
    const said: Ended[] = [];
    for (const [name, place] of Object.entries(places)) {
      const words = [
        "--secret-file",
        join(folder, "secret.txt"),
        "--allow-private",
        "--list",
        name,
        "--json",
      ];
      said.push(await headway("sources", "add", name, place, ...words));
      const run = await headway("sources", "run", name, "--json");
      expect([name, run.code]).toEqual([name, name === "good" ? 0 : 3]);
      said.push(run, await headway("sources", "show", name, "--json"));
    }
    const looks = [
      "audit --json",
      "sources --json",
      "failed list --json",
      "failed inspect --full",
      "errors",
      "events tail --json",
      "status --json",
    ];
    for (const look of looks) said.push(await headway(...look.split(" ")));
    said.push(await headway("backup", join(folder, "backup.tar.gz")));
    said.push(await headway("snapshot", join(folder, "snapshot"), "--anonymize"));
    const leaks = said.flatMap(({ out, err }, at) => leaksIn(`command ${at}`, out + err));
    for (const path of [...filesIn(join(folder, "data")), ...filesIn(join(folder, "snapshot"))])
      leaks.push(...leaksIn(path, readFileSync(path)));
    leaks.push(...leaksIn("backup", gunzipSync(readFileSync(join(folder, "backup.tar.gz")))));
    expect(leaks).toEqual([]);
    // The key is beside the database, and in no backup: the secret cannot be opened with a copy.
    const key = readFileSync(join(folder, "data", "secret.key"), "utf8").trim();
    expect(execFileSync("tar", ["-tzf", join(folder, "backup.tar.gz")]).toString()).not.toContain(
      "secret.key",
    );
    expect(gunzipSync(readFileSync(join(folder, "backup.tar.gz"))).includes(key)).toBe(false);
    expect(said.map(({ out }) => out).join("")).toContain('"hasSecret":true');
  });

  it("is in no answer of the API", async () => {
    const office = await openOffice();
    try {
      await addSource(office, "inbox", { place: `imap://ann@127.0.0.1:${imap}/lists`, list: "x" }, planted);
      await office.run("inbox");
      for (const path of ["/api/sources", "/api/sources/inbox"]) {
        const url = new URL(path, "http://x");
        const given = { database: office.database, actor: "ann" };
        const answer = await answerSources({ method: "GET" }, url, given);
        expect(answer.status).toBe(200);
        expect(leaksIn(path, JSON.stringify(answer.body))).toEqual([]);
      }
    } finally {
      await office.close();
    }
  });

  it("is encrypted anew with another key, and the old key is of no use afterwards", async () => {
    const data = join(folder, "rotated");
    const [old, fresh] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString("base64")) as [string, string];
    const turn = (keys: string, ...words: string[]) => {
      vi.stubEnv("HEADWAY_SECRET_KEY", keys);
      return headway(...words, "--data", data, "--json");
    };
    const secret = ["--secret-file", join(folder, "secret.txt"), "--allow-private", "--list", "good"];
    expect(await turn(old, "sources", "add", "good", `${web}/good.mbox`, ...secret)).toMatchObject({
      code: 0,
    });
    const wrong = await turn(fresh, "sources", "run", "good");
    expect(wrong.code).toBe(3);
    expect(JSON.parse(wrong.out)).toMatchObject({ state: "dead", fault: { code: "source.secret" } });
    const both = `${fresh} ${old}`;
    expect(JSON.parse((await turn(both, "sources", "rotate-key", "--dry-run")).out).rotated).toEqual([
      "good",
    ]);
    expect(JSON.parse((await turn(both, "sources", "rotate-key")).out).rotated).toEqual(["good"]);
    expect(JSON.parse((await turn(both, "sources", "rotate-key")).out).rotated).toEqual([]);
    expect((await turn(old, "sources", "run", "good")).code).toBe(3);
    expect((await turn(fresh, "sources", "run", "good")).code).toBe(0);
    const vault = await openVault({ env: { HEADWAY_SECRET_KEY: fresh }, data });
    expect(() => vault.open("other", vault.seal("good", planted))).toThrow(/cannot be opened/);
  });
});
