import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../cli/src/run.ts";
import { makeCollectingConsole } from "./collecting-console.ts";

const folder = mkdtempSync(join(tmpdir(), "headway-attachments-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function headway(...words: string[]) {
  const console = makeCollectingConsole();
  const code = await run([...words, "--data", join(folder, "data")], console);
  return { code, out: console.out(), err: console.err() };
}

const attached = (name: string, bytes: Buffer) =>
  [
    "--b",
    "Content-Type: application/octet-stream",
    `Content-Disposition: attachment; filename="${name}"`,
    "Content-Transfer-Encoding: base64",
    "",
    bytes.toString("base64").replace(/.{76}/g, "$&\n"),
  ].join("\n");

const mail = (id: string, ...parts: readonly string[]) =>
  [
    "From anna@example.org Mon Mar  4 10:00:00 2024",
    "From: Anna Lind <anna@example.org>",
    "Date: Mon, 4 Mar 2024 10:00:00 +0000",
    `Message-ID: <${id}@example.org>`,
    `Subject: Files of ${id}`,
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="b"',
    "",
    "--b",
    "Content-Type: text/plain",
    "",
    "See the files.",
    ...parts,
    "--b--",
    "",
    "",
  ].join("\n");

const picture = Buffer.from(Array.from({ length: 700 }, (_, at) => at % 256));
const script = Buffer.from("#!/bin/sh\ntouch /tmp/ran\n");
const large = Buffer.alloc(1_200_000, 7);

beforeAll(async () => {
  const hostile = mail(
    "hostile",
    attached("../../../escape.sh", script),
    attached("pic\u001b[31mture.png", picture),
    attached("plan.pdf", Buffer.from("one")),
    attached("plan.pdf", Buffer.from("two")),
  );
  writeFileSync(join(folder, "files.mbox"), hostile + mail("large", attached("large.bin", large)));
  expect((await headway("ingest", join(folder, "files.mbox"), "--list", "files")).code).toBe(0);
});

const rowsOf = (out: string) =>
  out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("headway attachments", () => {
  it("lists the attachments of all mails, without control codes, and writes nothing", async () => {
    const { code, out } = await headway("attachments");
    expect(code).toBe(0);
    expect(out).toMatch(/escape\.sh[^\n]*25 B/);
    expect(out).toMatch(/large\.bin[^\n]*1\.2 MB/);
    expect(out).not.toContain("\u001b");
    expect(readdirSync(folder).sort()).toEqual(["data", "files.mbox"]);
  });

  it("writes the exact bytes of a message under safe names, not executable, inside the folder only", async () => {
    const place = join(folder, "in", "deep", "out");
    const { code, out } = await headway("attachments", "<hostile@example.org>", "--out", place, "--json");
    expect(code).toBe(0);
    expect(readdirSync(place).sort()).toEqual(["escape.sh", "pic_[31mture.png", "plan-2.pdf", "plan.pdf"]);
    expect(readFileSync(join(place, "pic_[31mture.png"))).toEqual(picture);
    expect(readFileSync(join(place, "plan-2.pdf"), "utf8")).toBe("two");
    for (const name of readdirSync(place)) expect(statSync(join(place, name)).mode & 0o177).toBe(0);
    expect(readdirSync(join(folder, "in"), { recursive: true }).length).toBe(6);
    expect(rowsOf(out)[0]).toMatchObject({
      messageId: "hostile@example.org",
      file: join(place, "escape.sh"),
    });
    const again = await headway("attachments", "hostile@example.org", "--out", place);
    expect(again.code).toBe(0);
    expect(readdirSync(place).length).toBe(4);
  });

  it("overwrites no file and follows no link", async () => {
    const place = join(folder, "links");
    const mine = join(folder, "mine.txt");
    mkdirSync(place);
    writeFileSync(mine, "mine");
    symlinkSync(mine, join(place, "escape.sh"));
    symlinkSync(join(folder, "nowhere"), join(place, "escape-2.sh"));
    writeFileSync(join(place, "plan.pdf"), "mine");
    await headway("attachments", "hostile@example.org", "--out", place);
    expect(readFileSync(mine, "utf8")).toBe("mine");
    expect(readFileSync(join(place, "plan.pdf"), "utf8")).toBe("mine");
    expect(readFileSync(join(place, "escape-3.sh"))).toEqual(script);
    expect(readdirSync(folder)).not.toContain("nowhere");
  });

  it("leaves out files above the limit, and says so", async () => {
    const place = join(folder, "limited");
    const { code, err } = await headway("attachments", "--out", place, "--max-size", "1");
    expect(code).toBe(1);
    expect(err).toContain("large.bin of <large@example.org> left out: larger than --max-size.");
    expect(readdirSync(place)).not.toContain("large.bin");
  });

  it("takes a thread, and refuses a name that is neither", async () => {
    const [thread] = rowsOf((await headway("threads", "--subject", "large", "--json")).out);
    const { out } = await headway("attachments", String(thread?.id), "--json");
    expect(rowsOf(out).map(({ filename }) => filename)).toEqual(["large.bin"]);
    const { code, err } = await headway("attachments", "nothing-like-it");
    expect(code).toBe(1);
    expect(err).toContain('There is no thread or message "nothing-like-it"');
  });
});
