import { createHash } from "node:crypto";
import { rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Disk, openDisk } from "../../chaos/disk.ts";
import { runHeadway, startHeadway } from "../consensus/headway-process.ts";

let disk: Disk;
beforeAll(async () => {
  disk = await openDisk("768m");
});
afterAll(() => disk.close());

/** Words without a pattern, so the database cannot make them small. */
const words = (seed: number): string =>
  Array.from({ length: 2_000 }, (_, at) =>
    createHash("sha256").update(`${seed} ${at}`).digest("base64").slice(0, 20),
  )
    .join(" ")
    .replace(/.{70} /g, "$&\n");

const mail = (at: number): string =>
  `From a@example.org Mon Jan  1 00:00:00 2024\nFrom: a@example.org\nSubject: s${at}\nMessage-ID: <${at}@example.org>\n\n${words(at)}\n\n`;

it("ingest on a full disk says so, loses nothing, and goes on when there is room", async ({ skip }) => {
  if (!disk.small) skip("mounting a small disk is not allowed here");
  const data = ["--data", join(disk.folder, "data")];
  const run = (...given: string[]) => runHeadway([...given, ...data], { cwd: disk.folder });
  const [first, archive] = [join(disk.folder, "first.mbox"), join(disk.folder, "archive.mbox")];
  await writeFile(first, mail(0));
  expect((await run("ingest", first)).code).toBe(0);
  const content = Array.from({ length: 150 }, (_, at) => mail(at + 1)).join("");
  await writeFile(archive, content);
  const filler = join(disk.folder, "filler");
  const { bavail, bsize } = await statfs(disk.folder);
  // Room for the archive's bytes, and next to none for the database.
  await writeFile(filler, Buffer.alloc(bavail * bsize - content.length - (1 << 20)));
  // A statement without room is waited out; a log without room ends the embedded database, and the command.
  const ingest = startHeadway(["ingest", archive, ...data], { cwd: disk.folder });
  await ingest.saying(/disk .*is full/);
  await rm(filler);
  const ended = await ingest.ended;
  expect(ended.err).not.toContain("headway restore");
  const { code, out, err } = ended.code === 1 ? await run("ingest", archive) : ended;
  expect({ code, out, err: code === 0 ? "" : err }).toEqual({
    code: 0,
    out: expect.stringMatching(/^15[01] mails = 15[01] messages \+ 0 duplicates/),
    err: "",
  });
});
