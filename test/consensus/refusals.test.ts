import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { run } from "../../cli/src/run.ts";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import type { Database } from "../../engine/src/store/database.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { makeZip } from "../../intake/test/packed.ts";
import { contentOf } from "../support/content.ts";
import { makeCollectingConsole } from "./collecting-console.ts";
import { parseCsv } from "./csv-rows.ts";
import { anMbox } from "./invented-mail.ts";

const folder = mkdtempSync(join(tmpdir(), "headway-refusals-"));
// Separate databases on a server, because these open instantly.
const server = process.env.HEADWAY_TEST_POSTGRES ?? "";
const names: string[] = [];
let admin: Database;
let url: string;

async function makeDatabase(): Promise<string> {
  const name = `refusals_${randomUUID().slice(0, 8)}`;
  await admin.script(`create database ${name}`);
  names.push(name);
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}

beforeEach(() => {
  vi.stubEnv("HEADWAY_LIST_QUIET", "50ms");
  vi.stubEnv("HEADWAY_THREAD_QUIET", "50ms");
});
beforeAll(async () => {
  admin = await openPostgres({ url: server });
  url = await makeDatabase();
  const hostile = {
    id: "hostile",
    from: "\u001b[31mMallory\u0007 <mallory@example.org>",
    subject: `=HYPERLINK("x") \u001b[2J, \u202Eevil`,
    text: `-1 from me: I object to \u001b]0;this\u0007, because "quotes, commas"\nand lines are fine.`,
  };
  const place = file("tides.mbox", anMbox({ id: "a", text: "I support the proposal." }, hostile));
  expect(await headway("ingest", place)).toMatchObject({ code: 0 });
}, 60_000);
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(async () => {
  for (const name of names) await admin.script(`drop database ${name} with (force)`);
  await admin.close();
  rmSync(folder, { recursive: true, force: true });
});

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** Runs a command on the database of this file, unless another place is given. */
async function headway(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const console = makeCollectingConsole();
  const isPlaced = words.includes("--data") || words.includes("--database") || words.length === 0;
  const code = await run([...words, ...(isPlaced ? [] : at(url))], console);
  return { code, out: console.out(), err: console.err() };
}

const at = (database: string): string[] => ["--database", database, "--data", join(folder, "data")];

const oneSentence = /^headway: [^\n]+[.)]\n$/;

describe("what cannot be read", () => {
  it("is refused with one sentence each, and changes nothing", async () => {
    const pdf = Buffer.concat([
      Buffer.from("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "latin1"),
      Buffer.alloc(2_000, 7),
    ]);
    file("no-mail/photo.jpg", Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]));
    file("no-mail/empty.mbox", "");
    symlinkSync(join(folder, "loop"), join(folder, "loop"));
    const places: [place: string, says: RegExp][] = [
      [file("empty.mbox", ""), /empty/],
      [file("report.mbox", pdf), /not a mail archive.*PDF/],
      [join(folder, "no-mail"), /has no mail in it/],
      ["", /An empty path was given: name a file or a folder/],
      [join(folder, "nowhere.mbox"), /There is no file or folder .*: check the spelling/],
      [join(folder, "loop"), /leads back to itself/],
      [
        file("bomb.zip", aBomb({ name: "a.mbox", data: Buffer.from(anMbox({ id: "before" })) })),
        /unpacks to more than 200 times its size/,
      ],
      ["http://127.0.0.1:9/archive.mbox", /private|inside this network/i],
      ...unreadable(),
    ];
    const database = await openPostgres({ url });
    const before = await contentOf(database);
    const blobs = await blobsOf(database);
    expect(blobs.length).toBeGreaterThan(0);
    for (const [place, says] of places) {
      const { code, out, err } = await headway("ingest", place);
      expect({ place, code, out }).toEqual({ place, code: 1, out: "" });
      expect(err).toMatch(oneSentence);
      expect(err).toMatch(says);
    }
    expect(before.length).toBeGreaterThan(0);
    expect(await contentOf(database)).toEqual(before);
    expect(await blobsOf(database)).toEqual(blobs);
    await database.close();
  });

  const blobsOf = (database: Database) =>
    database.query(sql`select hash, size, whole, written_at from headway.blob order by hash`);

  /** Root may read everything, so the case is impossible there. */
  function unreadable(): [string, RegExp][] {
    if (process.getuid?.() === 0) return [];
    const path = file("locked.mbox", anMbox({ id: "locked" }));
    chmodSync(path, 0);
    return [[path, /may not be read by this user/]];
  }

  it("does not even make a data folder when nothing of it is there", async () => {
    const fresh = join(folder, "fresh");
    for (const command of ["ingest", "tour"]) {
      const places = [join(folder, "nowhere.mbox"), join(folder, "nor-here")];
      const { code, err } = await headway(command, ...places, "--data", fresh);
      expect(code).toBe(1);
      expect(
        err.split("\n").filter((line) => /^headway: There is no file or folder/.test(line)),
      ).toHaveLength(2);
      expect(err.trimEnd().split("\n")).toHaveLength(2);
    }
    expect(existsSync(fresh)).toBe(false);
  });

  it("does not keep others from being read, and leaves nothing they could be taken for", async () => {
    const mbox = anMbox({ id: "good", subject: "Good" });
    const bomb = file("late-bomb.zip", aBomb({ name: "good.mbox", data: Buffer.from(mbox) }));
    const place = file("good.mbox", mbox);
    const own = at(await makeDatabase());
    const { code, out, err } = await headway("ingest", "--list", "beside", bomb, place, ...own);
    expect(code).toBe(1);
    expect(err).toMatch(/late-bomb.zip.* unpacks to more than 200 times its size/);
    expect(out).toMatch(/^1 mail = 1 message \+ 0 duplicates \+ 0 dead letters/);
    const exported = await headway("export", "messages", ...own);
    expect(JSON.parse(exported.out)).toMatchObject({ subject: "Good" });
  });

  const aBomb = (...before: { name: string; data: Buffer }[]): Buffer => {
    const head = anMbox({ id: "bomb" });
    return makeZip([
      ...before,
      { name: "z.mbox", data: Buffer.concat([Buffer.from(head), Buffer.alloc(40e6, "a\n")]) },
    ]);
  };
});

describe("a command", () => {
  it("ends with 3 when there are dead letters, and names them", async () => {
    const mbox = `${anMbox({ id: "alive" })}From a@example.org Mon Mar  4 10:00:00 2024\n${"\0".repeat(512)}\n\n`;
    const place = file("half-dead.mbox", mbox);
    const own = at(await makeDatabase());
    const { code, out, err } = await headway("ingest", place, ...own);
    expect(code).toBe(3);
    expect(out).toMatch(/^2 mails = 1 message \+ 0 duplicates \+ 1 dead letter;/);
    expect(err).toMatch(/^dead in parsing: .*mail\.unreadable/m);
    const again = await headway("ingest", join(folder, "nowhere.mbox"), place, ...own);
    expect(again.code).toBe(1);
  });

  it("ends with 2 when it is used in a wrong way, and says in which", async () => {
    const wrong: [words: string[], says: RegExp][] = [
      [[], /Usage: headway/],
      [["nonsense"], /unknown command 'nonsense'/],
      [["ingest"], /missing required argument 'places'/],
      [["export", "everything"], /'everything' is invalid.*Allowed choices are messages, threads/],
      [["export"], /missing required argument 'kind'/],
      [["threads", "--level", "loud"], /Allowed choices are strong, rough/],
      [["threads", "--colour"], /unknown option '--colour'/],
      [["search", "x", "--limit", "0"], /--limit is "0"; expected a whole number from 1 to 1000\./],
      [
        ["search", "x", "--since", "yesterday"],
        /--since is "yesterday"; expected a date such as 2024-05-31\./,
      ],
      [["search", " "], /Say what to look for/],
      [["report"], /Say which thread/],
    ];
    const found: unknown[] = [];
    for (const [words, says] of wrong) {
      const { code, out, err } = await headway(...words);
      found.push([words, code, out, says.test(err) || err]);
    }
    expect(found).toEqual(wrong.map(([words]) => [words, 2, "", true]));
  });

  it("shows examples in its help", async () => {
    const { code, out } = await headway("--help");
    expect(code).toBe(0);
    const listed = out.slice(out.indexOf("Start:"), out.indexOf("Examples:"));
    const names = [...listed.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name as string);
    expect(names).toEqual(
      expect.arrayContaining(["ingest", "threads", "report", "search", "export", "tour"]),
    );
    for (const name of names.filter((one) => one !== "help")) {
      const help = await headway(name, "--help");
      expect([name, help.code, help.err]).toEqual([name, 0, ""]);
      expect(help.out).toMatch(/Examples:\n {2}(headway|npm start)/);
    }
  });

  it("says what to do when nothing was read yet", async () => {
    const nothing = join(folder, "nothing");
    for (const words of [["export", "messages"], ["threads"], ["search", "x"], ["report", "x"]]) {
      const { code, out, err } = await headway(...words, "--data", nothing);
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toMatch(
        /^headway: There is nothing in .* yet: read an archive with "headway ingest PATH" first\.\n$/,
      );
    }
    expect(existsSync(nothing)).toBe(false);
  });

  it("refuses impossible settings with one sentence that shows no secret", async () => {
    const settings: [variables: Record<string, string>, says: RegExp][] = [
      [{ HEADWAY_LLM_URL: "ftp://me:hunter2@llm.example.org" }, /HEADWAY_LLM_URL is not an address/],
      [{ HEADWAY_LLM_URL: "http://me:hunter2@llm.example.org" }, /HEADWAY_LLM_MODEL is not set/],
      [{ HEADWAY_LLM_CONTEXT_TOKENS: "many" }, /HEADWAY_LLM_CONTEXT_TOKENS is "many"/],
      [{ HEADWAY_EMBEDDER: "hunter2" }, /HEADWAY_EMBEDDER is not an address/],
      [{ HEADWAY_EMBEDDER: "http://me:hunter2@e.example.org" }, /HEADWAY_EMBEDDER_MODEL is not set/],
      [{ HEADWAY_THREAD_QUIET: "a while" }, /HEADWAY_THREAD_QUIET is "a while"/],
      [{ HEADWAY_DATABASE_URL: "mysql://me:hunter2@db" }, /must be an address such as postgres:/],
      [{ HEADWAY_DATABASE_URL: "postgres://me:hunter2@127.0.0.1:9/x" }, /127\.0\.0\.1/],
    ];
    const fresh = join(folder, "unset");
    for (const [variables, says] of settings) {
      for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
      const { code, out, err } = await headway("ingest", join(folder, "tides.mbox"), "--data", fresh);
      vi.unstubAllEnvs();
      expect({ variables, code, out }).toEqual({ variables, code: 1, out: "" });
      expect(err).toMatch(/^headway: [^\n]+\n$/);
      expect(err).toMatch(says);
      expect(err).not.toContain("hunter2");
    }
    expect(existsSync(join(fresh, "data"))).toBe(false);
  });

  it("prints JSON that can be parsed, an object a line", async () => {
    const [line] = (await headway("threads", "--json")).out.split("\n");
    const { id } = JSON.parse(line as string);
    const commands = [
      ["threads", "--json"],
      ["search", "proposal", "--json"],
      ["export", "messages", "--json"],
      ["ingest", join(folder, "tides.mbox"), "--json"],
      ["tour", join(folder, "tides.mbox"), "--json"],
    ];
    for (const words of commands) {
      const { code, out } = await headway(...words);
      expect([words, code]).toEqual([words, 0]);
      const rows = out
        .trimEnd()
        .split("\n")
        .map((one) => JSON.parse(one));
      expect(rows.every((row) => typeof row === "object" && row !== null)).toBe(true);
    }
    const report = await headway("report", id, "--json");
    expect([report.code, JSON.stringify(JSON.parse(report.out)).includes(id)]).toEqual([0, true]);
  });

  it("prints CSV that opens as CSV, and in which nothing is a formula", async () => {
    const ndjson = (await headway("export", "messages")).out.trimEnd().split("\n");
    const rows = ndjson.map((line) => JSON.parse(line));
    const { code, out } = await headway("export", "messages", "--format", "csv");
    expect(code).toBe(0);
    const [head, ...body] = parseCsv(out);
    expect(head).toEqual(Object.keys(rows[0]));
    expect(body.map(({ length }) => length)).toEqual(rows.map(() => head?.length));
    const column = (name: string) => body.map((cells) => cells[head?.indexOf(name) as number]);
    expect(column("id")).toEqual(rows.map((row) => row.id));
    expect(column("from").map((cell) => JSON.parse(cell as string))).toEqual(rows.map((row) => row.from));
    expect(body.flat().filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([]);
    expect(column("subject")).toContainEqual(expect.stringContaining(`'=HYPERLINK("x")`));
  });

  it("lets no mail rule the terminal", async () => {
    const hostile = (await headway("threads", "--json")).out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
      .find(({ subject }) => subject.includes("HYPERLINK"));
    const commands = [
      ["threads"],
      ["search", "object"],
      ["report", hostile.id],
      ["report", "--list", "tides"],
      ["tour", join(folder, "tides.mbox")],
    ];
    for (const words of commands) {
      const { code, out, err } = await headway(...words);
      expect([words, code]).toEqual([words, 0]);
      expect(out).toContain("HYPERLINK");
      expect([words, /[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/u.exec(out + err)]).toEqual([words, null]);
    }
  });
});
