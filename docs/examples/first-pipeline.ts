import { existsSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Accepted, type Engine, startEngine } from "@headway/engine";
import { openOperator } from "@headway/engine/operate";
import { digests, letters, makeLexicon, workshop } from "./letters.ts";
import { showProgress } from "./progress.ts";

const help = `Runs a small pipeline on the letters in docs/examples/texts, some of which are damaged.

  --folder DIR   where the embedded database is kept (default: .headway)
  --fresh        begins with an empty database
  --slow         makes the service that the pipeline calls slow, so that there is time to kill the process
  --json         prints one JSON object instead of text
  --help         this text

Run it twice: the second time nothing has changed, and no stage is run.
Kill it (kill -9) and run it again: it goes on where it was.`;

const options = {
  folder: { type: "string", default: ".headway" },
  fresh: { type: "boolean", default: false },
  slow: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

async function main(): Promise<void> {
  const given = parseArgs({ options }).values;
  if (given.help) return console.log(help);
  const say = given.json ? () => undefined : (text: string) => console.log(text);
  const folder = resolve(given.folder);
  if (given.fresh) await removeDatabase(folder);
  const startedAt = performance.now();
  say(`Headway, with an embedded PostgreSQL in ${folder} (making it takes some seconds the first time)`);
  const progress = showProgress(process.stdout, given.json);
  const engine = await startEngine({
    pipelines: [workshop],
    services: { lexicon: makeLexicon(given.slow ? 4_000 : 20) },
    database: { folder },
    onSignal: progress.heard,
  });
  try {
    const readyAt = performance.now();
    const accepted = await engine.accept(await readLetters(), { source: "texts" });
    await engine.settled();
    const workMs = Math.round(performance.now() - readyAt);
    const times = { startMs: Math.round(readyAt - startedAt), workMs, ran: progress.ran() };
    const report = await makeReport(engine, accepted, times);
    progress.end();
    console.log(given.json ? JSON.stringify(report, null, 2) : reportText(report));
  } finally {
    await engine.stop();
  }
}

/** Only what is surely a database of ours and not in use: a folder is easily named by mistake. */
async function removeDatabase(folder: string): Promise<void> {
  const data = join(folder, "data");
  if (!existsSync(join(data, "PG_VERSION"))) return;
  const { pid } = JSON.parse(await readFile(join(folder, "lock.json"), "utf8").catch(() => "{}"));
  if (pid !== undefined && isRunning(pid)) throw new Error(`Process ${pid} uses ${folder}: stop it first.`);
  await rm(data, { recursive: true });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** One of the texts is UTF-16, one only says that it is UTF-8: decoding never fails, what it cannot read is replaced. */
async function readLetters() {
  const folder = new URL("./texts/", import.meta.url);
  const names = (await readdir(folder)).filter((name) => name.endsWith(".txt")).sort();
  return await Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(new URL(name, folder));
      const text = bytes.toString(bytes.subarray(0, 2).toString("hex") === "fffe" ? "utf16le" : "utf8");
      return letters.document(name.slice(0, -".txt".length), { text });
    }),
  );
}

interface Report {
  readonly letters: Pick<Accepted, "inserted" | "changed" | "unchanged">;
  readonly startMs: number;
  readonly workMs: number;
  /** Attempts made in this run; 0 when nothing had changed. */
  readonly ran: number;
  readonly stages: readonly { readonly stage: string; readonly done: number; readonly dead: number }[];
  readonly dead: readonly DeadLetter[];
  readonly digests: readonly { readonly id: string; readonly meaning: string; readonly times: number }[];
}

interface DeadLetter {
  readonly stage: string;
  readonly document: string;
  readonly reason: string;
  readonly code: string;
  readonly message: string;
}

async function makeReport(
  engine: Engine,
  { inserted, changed, unchanged }: Accepted,
  times: Pick<Report, "startMs" | "workMs" | "ran">,
): Promise<Report> {
  const operator = await openOperator({
    database: engine.database,
    actor: "example",
    pipelines: [workshop],
  });
  const stages = await operator.status();
  const dead = await operator.listDead();
  const found = [];
  for await (const { id, meaning, times } of engine.documents(digests)) found.push({ id, meaning, times });
  return {
    letters: { inserted, changed, unchanged },
    ...times,
    stages: workshop.stages.flatMap(({ name }) =>
      stages.filter((line) => line.stage === name).map(({ stage, done, dead }) => ({ stage, done, dead })),
    ),
    dead: dead.map(({ stage, document, reason, code, message }) => ({
      stage,
      document,
      reason,
      code,
      message,
    })),
    digests: found,
  };
}

function reportText(report: Report): string {
  const { inserted, changed, unchanged } = report.letters;
  const news =
    report.ran === 0
      ? `Nothing has changed: ${unchanged} letters were compared in ${report.workMs} ms and no stage was run.`
      : `Accepted ${inserted} new, ${changed} changed, ${unchanged} unchanged letters; ${report.ran} attempts in ${report.workMs} ms.`;
  return [
    "",
    news,
    `(The engine was ready after ${report.startMs} ms.)`,
    "",
    "stage          done   dead",
    ...report.stages.map(
      ({ stage, done, dead }) => `${stage.padEnd(12)}${String(done).padStart(7)}${String(dead).padStart(7)}`,
    ),
    "",
    "What the letters are about:",
    ...report.digests.map((one) => `  ${one.id}  ${one.meaning}: ${one.times} times`),
    "",
    "Dead letters, for a person to look at:",
    ...report.dead.map(
      (one) => `  ${one.stage} ${one.document}: ${one.message} (${one.code}, ${one.reason})`,
    ),
    "",
    "What next?",
    "  Run it again: nothing has changed, so nothing is done.",
    "  Change a text in docs/examples/texts, or remove a line: only what follows from it is made anew.",
    "  Run it with -- --fresh --slow, kill it with kill -9, and run it again.",
    "  Write your own: docs/start.md",
  ].join("\n");
}
