import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { AnyCollection, DocumentDraft } from "@headway/engine";
import { currentApp } from "../app/current-app.ts";
import { withApp } from "../compose.ts";
import { exitCodes, Refusal } from "../exit-codes.ts";
import type { Adding } from "../run.ts";
import { parsePriority, sharedFlags } from "../shared-options.ts";
import { type Console, oneLine, showCount } from "../terminal.ts";

export function addAccept({ program, console, end }: Adding): void {
  program
    .command("accept")
    .description("Hand JSON documents to the pipelines")
    .argument("<collection>", "the collection they belong to")
    .argument("<files...>", "an object, an array of objects, or one object a line")
    .option("--id <field>", "the field that is the id, which is then no part of the body", "id")
    .option("--source <name>", "where they come from (default: the name of the file)")
    .option("--priority <number>", "larger goes first, from -1000 to 1000", "0")
    .option("--work", "also work on them here, until nothing is left to do")
    .option("--dry-run", "only hold them against the schema of the collection")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", helpText)
    .action(async (collection, files, options) => {
      const known = collectionOf(collection);
      const read = await Promise.all(files.map((file) => readDrafts(file, known, options.id)));
      const problems = (await Promise.all(read.map((one) => problemsOf(one, known)))).flat();
      if (problems.length > 0) return end(tellProblems(problems, options.json === true, console));
      const count = read.reduce((sum, { drafts }) => sum + drafts.length, 0);
      if (options.dryRun)
        return options.json
          ? console.writeJson({ collection, documents: count, dryRun: true })
          : console.write(`${showCount(count, "document")} of ${files.join(", ")} would be accepted.\n`);
      const priority = parsePriority(options.priority);
      const given = { source: options.source, priority, work: options.work === true };
      const accepted = await handIn(read, { ...options, ...given });
      if (options.json) console.writeJson({ collection, ...accepted });
      else tellAccepted(accepted, given.work, console);
      end(accepted.refused > 0 ? exitCodes.refused : accepted.dead > 0 ? exitCodes.deadLetters : 0);
    });
}

const helpText = `
Examples:
  headway accept orders orders.jsonl --dry-run
  headway accept orders orders.jsonl
  headway accept orders today.json --id number --work
  jq -c '.[]' export.json | headway accept orders -

The same document again changes nothing; another body under the same id replaces the first one. Documents are safe once
they are accepted: "headway up" works on them. Exit codes: 0 accepted, 1 refused, 2 wrong usage, 3 accepted but there are
dead letters.`;

interface Drafts {
  readonly file: string;
  readonly drafts: readonly DocumentDraft[];
}

/** A collection of the application, or a sentence with those there are. */
function collectionOf(name: string): AnyCollection {
  const pipelines = currentApp().pipelines();
  const all = [
    ...new Map(pipelines.flatMap((one) => one.collections).map((one) => [one.name, one])).values(),
  ];
  const found = all.find((one) => one.name === name);
  if (found) return found;
  throw new Refusal(
    `There is no collection "${name}"; there are ${all.map((one) => one.name).join(", ")}.`,
    exitCodes.usage,
  );
}

/** Documents of a file. Without a field for the id, the id follows from the content. */
async function readDrafts(file: string, collection: AnyCollection, idField: string): Promise<Drafts> {
  const text = await (file === "-" ? readInput() : readFile(file, "utf8")).catch((error: Error) => {
    throw new Refusal(`${file} cannot be read: ${error.message}`, exitCodes.usage);
  });
  const drafts = parseValues(text, file).map((value, index) => {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new Refusal(`Document ${index + 1} of ${file} is no object.`, exitCodes.usage);
    const { [idField]: id, ...body } = value as Record<string, unknown>;
    return collection.document(id === undefined ? idOf(body) : String(id), body);
  });
  return { file, drafts };
}

async function readInput(): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

const idOf = (body: object): string =>
  createHash("sha256").update(JSON.stringify(body)).digest("hex").slice(0, 16);

function parseValues(text: string, file: string): unknown[] {
  try {
    const whole: unknown = JSON.parse(text);
    return Array.isArray(whole) ? whole : [whole];
  } catch {
    return text.split("\n").flatMap((line, index) => {
      if (line.trim() === "") return [];
      try {
        return [JSON.parse(line) as unknown];
      } catch {
        throw new Refusal(
          `${file} is no JSON, and line ${index + 1} is no JSON either; write one object a line.`,
          exitCodes.usage,
        );
      }
    });
  }
}

interface Problem {
  readonly file: string;
  readonly id: string;
  readonly problem: string;
}

/** What the schema of the collection has against documents. */
async function problemsOf({ file, drafts }: Drafts, collection: AnyCollection): Promise<Problem[]> {
  const found: Problem[] = [];
  for (const { id, body } of drafts) {
    const result = await collection.schema["~standard"].validate(body);
    if (!result.issues) continue;
    const problem = result.issues.map(({ path, message }) => `${pathText(path)}${message}`).join("; ");
    found.push({ file, id, problem });
  }
  return found;
}

const pathText = (path: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined): string =>
  path?.length ? `${path.map((part) => String(typeof part === "object" ? part.key : part)).join(".")}: ` : "";

const shownMax = 10;

function tellProblems(problems: readonly Problem[], json: boolean, console: Console): number {
  if (json) for (const problem of problems) console.writeJson(problem);
  else {
    for (const { file, id, problem } of problems.slice(0, shownMax))
      console.warn(`headway: ${oneLine(`${basename(file)}, "${id}": ${problem}`)}\n`);
    if (problems.length > shownMax) console.warn(`… and ${problems.length - shownMax} more\n`);
    console.warn("Nothing was accepted.\n");
  }
  return exitCodes.refused;
}

interface HandingIn {
  readonly source: string | undefined;
  readonly priority: number;
  readonly work: boolean;
  readonly data?: string | undefined;
  readonly database?: string | undefined;
}

interface Sum {
  readonly inserted: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly conflicts: number;
  readonly refused: number;
  readonly dead: number;
}

async function handIn(read: readonly Drafts[], options: HandingIn): Promise<Sum> {
  const { source, priority, work } = options;
  return await withApp(options, { work }, async ({ engine }) => {
    const sum = { inserted: 0, changed: 0, unchanged: 0, conflicts: 0, refused: 0, dead: 0 };
    const stop = engine.onSignal(({ kind }) => {
      if (kind === "task.died") sum.dead++;
    });
    for (const { file, drafts } of read) {
      const from = source ?? (file === "-" ? "standard input" : basename(file));
      const { inserted, changed, unchanged, conflicts, refused } = await engine.accept(drafts, {
        source: from,
        priority,
      });
      sum.inserted += inserted;
      sum.changed += changed;
      sum.unchanged += unchanged;
      sum.conflicts += conflicts.length;
      sum.refused += refused.length;
    }
    if (work) await engine.settled();
    stop();
    return sum;
  });
}

function tellAccepted(sum: Sum, work: boolean, console: Console): void {
  const { inserted, changed, unchanged, conflicts, refused, dead } = sum;
  const parts = [
    `${showCount(inserted, "document")} accepted`,
    changed > 0 ? `${changed} changed` : "",
    unchanged > 0 ? `${unchanged} unchanged` : "",
    refused > 0 ? `${refused} refused` : "",
    dead > 0 ? showCount(dead, "dead letter") : "",
  ].filter((part) => part !== "");
  console.write(`${parts.join(", ")}.\n`);
  if (conflicts > 0)
    console.warn(`${showCount(conflicts, "conflict")} with another source: headway conflicts\n`);
  if (dead > 0) console.warn("See what died, and of what: headway failed groups\n");
  if (!work && inserted + changed > 0) console.warn("Work on them with: headway up\n");
}
