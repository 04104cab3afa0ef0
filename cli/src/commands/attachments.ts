import { createHash } from "node:crypto";
import { lstat, mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  type AttachedFile,
  attachmentsOfMessages,
  type HeldAttachment,
  readAttachments,
} from "@headway/consensus";
import type { Database } from "@headway/engine";
import { showBytes } from "../checkup/finding.ts";
import { lookAtConsensus } from "../compose.ts";
import { exitCodes, Refusal } from "../exit-codes.ts";
import type { Adding } from "../run.ts";
import { numberedName, safeFileName } from "../safe-file-name.ts";
import { parseCount, sharedFlags } from "../shared-options.ts";
import { type Column, type Console, oneLine, shorten, showCount, showDay, table } from "../terminal.ts";

export function addAttachments({ program, console, end }: Adding): void {
  program
    .command("attachments")
    .description("List attachments of mails; with --out, write them as files")
    .argument("[name]", "a thread or a message: its id, the beginning of a thread's id, or a Message-ID")
    .option("--out <folder>", "write the files into this folder; existing files stay as they are")
    .option("--max-size <megabytes>", "leave out larger files", "50")
    .option("--max-total <megabytes>", "stop writing after so much", "1000")
    .option("--limit <number>", "without a name: so many messages, the newest first", "100")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `\nExamples:\n  headway attachments\n  headway attachments 3f9a1c20\n  headway attachments 3f9a1c20 --out files\n  headway attachments "<20240304.1@example.org>" --json\n\nFiles come from strangers. Names are made safe, files cannot be executed, nothing is opened; check them before opening.`,
    )
    .action(async (name, options) => {
      const limits = {
        fileBytes: parseCount(options.maxSize, "--max-size", 10_000) * 1_000_000,
        totalBytes: parseCount(options.maxTotal, "--max-total", 1_000_000) * 1_000_000,
      };
      const limit = parseCount(options.limit, "--limit", 100_000);
      const folder = options.out === undefined ? null : resolve(options.out);
      const lines = await lookAtConsensus(options, async ({ engine: { database } }) => {
        const ids = await messagesOf(database, name, limit);
        const held = readAttachments(database, ids, { bytes: folder !== null });
        return folder === null ? await listed(held) : await written(held, folder, limits);
      });
      if (options.json) lines.forEach(console.writeJson);
      else show(lines, folder, console);
      if (lines.some(({ problem }) => problem !== undefined)) end(exitCodes.refused);
    });
}

async function messagesOf(
  database: Database,
  name: string | undefined,
  limit: number,
): Promise<readonly string[]> {
  const found = await attachmentsOfMessages(database, { name, limit });
  if ("messages" in found) return found.messages;
  const told = oneLine(name ?? "");
  if (found.threads.length === 0)
    throw new Refusal(`There is no thread or message "${told}"; headway threads lists threads.`);
  throw new Refusal(`"${told}" could be ${found.threads.slice(0, 5).join(", ")}; say more of the id.`);
}

interface Line extends AttachedFile {
  /** Path of the written file. */
  readonly file?: string;
  /** Why there is no file. */
  readonly problem?: string;
}

async function listed(held: AsyncIterable<HeldAttachment>): Promise<readonly Line[]> {
  const lines: Line[] = [];
  for await (const { file } of held) lines.push(file);
  return lines;
}

interface Limits {
  readonly fileBytes: number;
  readonly totalBytes: number;
}

async function written(
  held: AsyncIterable<HeldAttachment>,
  folder: string,
  { fileBytes, totalBytes }: Limits,
): Promise<readonly Line[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lines: Line[] = [];
  let left = totalBytes;
  for await (const { file, bytes } of held) {
    const problem =
      bytes === null
        ? "the original mail no longer gives these bytes"
        : bytes.length > fileBytes
          ? "larger than --max-size"
          : bytes.length > left
            ? "more than --max-total"
            : undefined;
    if (problem !== undefined || bytes === null) {
      lines.push({ ...file, problem: problem ?? "" });
      continue;
    }
    left -= bytes.length;
    lines.push({ ...file, file: await writeNew(folder, safeFileName(file.filename), bytes, file.sha256) });
  }
  return lines;
}

const namesMax = 10_000;

/** Never overwrites and follows no link; a file with the same bytes from an earlier call is kept. */
async function writeNew(folder: string, name: string, bytes: Buffer, sha256: string): Promise<string> {
  for (let number = 1; number <= namesMax; number++) {
    const path = join(folder, numberedName(name, number));
    try {
      await writeFile(path, bytes, { flag: "wx", mode: 0o600 });
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if (await isSame(path, bytes.length, sha256)) return path;
    }
  }
  throw new Refusal(`${folder} has ${namesMax} files named ${name} already: name another folder.`);
}

async function isSame(path: string, size: number, sha256: string): Promise<boolean> {
  const found = await lstat(path);
  if (!found.isFile() || found.size !== size) return false;
  return (
    createHash("sha256")
      .update(await readFile(path))
      .digest("hex") === sha256
  );
}

function show(lines: readonly Line[], folder: string | null, console: Console): void {
  if (lines.length === 0) {
    console.warn("No attachment fits.\n");
    return;
  }
  const width = console.piped ? Number.POSITIVE_INFINITY : console.columns;
  console.write(`${table(lines, columns, width)}\n`);
  for (const { filename, messageId, problem } of lines)
    if (problem !== undefined)
      console.warn(`${oneLine(filename ?? "attachment")} of <${oneLine(messageId)}> left out: ${problem}.\n`);
  const files = lines.filter(({ file }) => file !== undefined).length;
  if (folder === null)
    console.warn("Write files with: headway attachments MESSAGE-ID --out FOLDER (--json has the ids).\n");
  else
    console.warn(
      `${showCount(files, "file")} in ${folder}. They come from strangers: check before opening.\n`,
    );
}

const typeWidthMax = 24;

const columns: readonly Column<Line>[] = [
  { title: "DATE", of: ({ date }) => showDay(date) },
  { title: "FROM", of: ({ from }) => from.name || from.address },
  { title: "NAME", of: ({ filename }) => filename ?? "–", flexible: true },
  { title: "TYPE", of: ({ type }) => shorten(type, typeWidthMax) },
  { title: "SIZE", of: ({ size }) => showBytes(size), align: "right" },
];
