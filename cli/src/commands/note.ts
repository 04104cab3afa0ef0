import type { Database } from "@headway/engine";
import { type NoteKind, type NoteSubject, noteKinds, type Operator } from "@headway/engine/operate";
import { withDesk } from "../desk.ts";
import { Refusal } from "../exit-codes.ts";
import { findNamed } from "../find-named.ts";
import { showNote } from "../note-lines.ts";
import type { Adding } from "../run.ts";
import { parseCount, sharedFlags } from "../shared-options.ts";
import { readSourceLines } from "../source-lines.ts";
import { oneLine, showCount } from "../terminal.ts";
import { nameOf } from "../which-document.ts";

export function addNote({ program, console }: Adding): void {
  program
    .command("note")
    .description("Write or read notes on a document, stage, source or alert")
    .argument("[target]", "a document's id, or stage:NAME, source:NAME, alert:NUMBER, act:NUMBER")
    .argument("[text...]", "the note")
    .option("--limit <number>", "without a text: how many notes", "20")
    .option("--dry-run", "say what would be noted, and change nothing")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway note archives/2024-05.mbox "cut off by the list's server; asked for a new copy"
  headway note stage:embedding "slow since the move of the model server"
  headway note alert:12 "the vendor's ticket is 4711"
  headway note stage:embedding                     notes about the stage
  headway note                                     the newest notes

A note stands in the audit for ever, and on the page of its target: headway explain, headway alerts show, headway sources
show, and the console.`,
    )
    .action(async (target, words, options) => {
      const text = words.join(" ").trim();
      const { dryRun = false } = options;
      const limit = parseCount(options.limit, "--limit", 10_000);
      await withDesk(options, async ({ operator, database }) => {
        const about = target === undefined ? undefined : await readTarget(target, operator, database);
        if (about && text !== "") {
          const { id } = await operator.addNote(about, text, { dryRun });
          if (options.json) return console.writeJson({ id, about, text, dryRun });
          const name = `${about.kind} ${oneLine(about.name)}`;
          return console.write(dryRun ? `Would note on ${name}.\n` : `Noted on ${name}, as act ${id}.\n`);
        }
        const found = await operator.notes({ ...(about && { about: [about] }), limit });
        if (options.json) return found.forEach(console.writeJson);
        if (found.length === 0)
          return console.warn('No note yet: write one with headway note TARGET "text".\n');
        for (const note of found) console.write(`${showNote(note, operator.now(), console)}\n`);
        console.warn(`${showCount(found.length, "note")}.\n`);
      });
    });
}

type About = NoteSubject & { readonly kind: NoteKind };

/** `stage:parsing` names its kind; a bare word is a document, or else a stage or a source. */
async function readTarget(given: string, operator: Operator, database: Database): Promise<About> {
  const [, kind, rest = ""] = /^([a-z]+):(.+)$/s.exec(given) ?? [];
  const named = noteKinds.find((one) => one === kind);
  if (named === undefined) return await readBare(given, operator, database);
  if (named === "document") return await documentNamed(rest, operator);
  if (named === "source" && !(await knowsSource(rest, operator, database)))
    throw new Refusal(`There is no source "${oneLine(rest)}"; "headway sources" lists them.`);
  return { kind: named, name: rest };
}

async function readBare(given: string, operator: Operator, database: Database): Promise<About> {
  const { found } = await operator.lookUp(given);
  if (found.length > 0) return await documentNamed(given, operator);
  const stages = (await operator.status()).map(({ stage }) => stage);
  if (stages.includes(given)) return { kind: "stage", name: given };
  if (await knowsSource(given, operator, database)) return { kind: "source", name: given };
  return await documentNamed(given, operator);
}

async function documentNamed(given: string, operator: Operator): Promise<About> {
  return { kind: "document", name: nameOf(await findNamed(operator, given, {}, "headway note")) };
}

async function knowsSource(name: string, operator: Operator, database: Database): Promise<boolean> {
  const scheduled = await readSourceLines(database);
  return [...scheduled, ...(await operator.sources({ countMax: 1 }))].some((one) => one.name === name);
}
