import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import pg from "pg";
import type { Job } from "./mail-apart.ts";
import { writeLarge } from "./mail-archives.ts";
import type { EndToEnd, Growth } from "./mail-engine.ts";
import { writeGenerated } from "./mail-generated.ts";
import type { Large } from "./mail-large.ts";
import type { StageSpeed } from "./mail-stages.ts";
import { corporaAbsent } from "./quality/corpora.ts";
import { plainTable } from "./quality/figures.ts";

const help = `npm run bench:mail -- [--rounds N] [--only stages|pglite|postgres|growth|large] [--large] [--megabytes N]
npm run bench:mail -- --only large [--mails N,N] [--archive PATH] [--on pglite,postgres] [--cores 1,2] [--json]

Reads the real lists of ../shared/corpora: each stage alone as function calls on one core, everything through the
engine on PGlite and on PostgreSQL, the same again unchanged, and one more message for a list of 30,000. With --large
also an archive of 300 MB, made of the same lists under other Message-IDs. --only large reads one list of --mails
(30,000) generated mails, or any archive, and counts how often work is repeated; with several sizes, databases or numbers
of cores, one run for each, and the cost of a mail beside that of the first. Never run it on a loaded machine.
`;

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    only: { type: "string" },
    large: { type: "boolean", default: false },
    megabytes: { type: "string", default: "300" },
    mails: { type: "string", default: "30000" },
    archive: { type: "string" },
    on: { type: "string", default: "pglite" },
    cores: { type: "string", default: "0" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const say = (line: string) => void (options.json || print(line));
const print = (line: string) => process.stdout.write(`${line}\n`);
const wants = (part: string) => options.only === undefined || options.only === part;
const figure = (value: number) =>
  value >= 100 ? Math.round(value).toLocaleString("en-US") : value.toPrecision(3);
const percent = (value: number) => `${(value * 100).toFixed(1)} %`;

/** Runs one measurement in a process of its own. */
async function apart<T>(job: Job, cores = "0"): Promise<T> {
  const file = fileURLToPath(new URL("mail-apart.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--expose-gc", "--conditions=@headway/source", "--import", "tsx", file, JSON.stringify(job)],
    { maxBuffer: 64 * 1024 * 1024, env: { ...process.env, HEADWAY_CORES: cores } },
  );
  return JSON.parse(stdout.trim().split("\n").at(-1) as string) as T;
}

/** Runs a job on a schema of its own, dropped afterwards. */
async function onServer<T>(
  job: (database: { url: string; schema: string }) => Job,
  cores?: string,
): Promise<T> {
  const url =
    process.env.HEADWAY_TEST_POSTGRES ?? readFileSync(".cache/services/postgres.url", "utf8").trim();
  const schema = `bench_mail_${process.pid}_${Math.trunc(performance.now())}`;
  try {
    return await apart<T>(job({ url, schema }), cores);
  } finally {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`drop schema if exists "${schema}", "${schema}_read" cascade`);
    await client.end();
  }
}

const results: Record<string, unknown> = {};

async function stages(): Promise<void> {
  const speeds = await apart<readonly StageSpeed[]>({ kind: "stages", rounds: Number(options.rounds) });
  results.stages = speeds;
  const of = (name: string) => speeds.find(({ stage }) => stage.startsWith(name))?.messagesPerSecond ?? 0;
  say("\nEach stage alone, as function calls on one core\n");
  say(
    plainTable(
      speeds.map(({ stage, messagesPerSecond, megabytesPerSecond, msPerMessage }) => ({
        stage,
        "messages/s": figure(messagesPerSecond),
        "MB/s of archive": figure(megabytesPerSecond),
        "ms a message": figure(msPerMessage),
      })),
    ),
  );
  const both = 1 / (1 / of("split") + 1 / of("parse"));
  results.splitAndParsePerSecond = both;
  results.parseToPostalMime = of("parse") / of("postal-mime");
  say(`\nsplit and parse together: ${figure(both)} messages/s a core (1,000 asked)`);
  say(`parse is ${figure(of("parse") / of("postal-mime"))} times as fast as postal-mime on the same mails`);
}

function sayEndToEnd(name: string, found: EndToEnd): void {
  results[name] = found;
  const shares = Object.entries(found.shares).sort(([, a], [, b]) => b - a);
  say(`\nEnd to end on ${name}\n`);
  say(
    plainTable([
      { figure: "mails, messages", value: `${figure(found.mails)}, ${figure(found.messages)}` },
      { figure: "wall time", value: `${figure(found.seconds)} s` },
      { figure: "mails/s", value: figure(found.mailsPerSecond) },
      {
        figure: "time of attempts by stage",
        value: shares.map(([stage, part]) => `${stage} ${percent(part)}`).join(", "),
      },
      { figure: "event-loop delay, p99", value: `${figure(found.loopDelayP99Ms)} ms` },
      {
        figure: "memory added at most",
        value: `${figure(found.rssAddedMb)} MB, ${figure(found.rssAddedByMailMb)} MB of it after the engine was up`,
      },
      {
        figure: "read again unchanged",
        value: `${figure(found.againSeconds)} s, ${percent(found.againShare)} of the first (10 % asked), ${found.againAttempts} attempts`,
      },
    ]),
  );
}

function sayGrowth(name: string, found: Growth): void {
  results[`growth ${name}`] = found;
  say(
    `\n${figure(found.messages)} generated messages on ${name}: threaded in ${figure(found.firstSeconds)} s; one more in ${figure(found.oneMoreSeconds)} s (2 asked)`,
  );
}

async function large(): Promise<void> {
  const path = join(tmpdir(), `headway-bench-${process.pid}.mbox`);
  try {
    const bytes = await writeLarge(path, Number(options.megabytes) * 1e6);
    say(`\nOne archive of ${figure(bytes / 1e6)} MB\n`);
    const stream = await apart<Record<string, number>>({ kind: "stream", paths: [path] });
    results.stream = stream;
    say(
      plainTable(
        Object.entries(stream).map(([name, value]) => ({ "split and parse": name, value: figure(value) })),
      ),
    );
    if (wants("pglite")) {
      sayEndToEnd("PGlite, large", await apart({ kind: "end-to-end", database: null, places: [path] }));
    }
    if (wants("postgres")) {
      sayEndToEnd(
        "PostgreSQL, large",
        await onServer((database) => ({ kind: "end-to-end", database, places: [path] })),
      );
    }
  } finally {
    await rm(path, { force: true });
  }
}

/** One list of many mails, generated or given, beside splitting and parsing of the same bytes; a line of JSON for each run. */
async function oneList(): Promise<void> {
  const folder = join(tmpdir(), `headway-bench-${process.pid}`);
  let first: number | null = null;
  try {
    for (const mails of options.archive ? [null] : options.mails.split(",").map(Number)) {
      const place = options.archive ?? join(folder, String(mails), "dev");
      if (mails !== null) await writeGenerated(place, mails);
      const bytes = await bytesOf(place);
      const stream = await apart<Record<string, number>>({ kind: "stream", paths: await filesAt(place) });
      for (const on of options.on.split(","))
        for (const cores of options.cores.split(",")) {
          const found = await readList(place, on, cores);
          const cpuMsPerMail = (1_000 * found.cpuS) / found.mails;
          first ??= cpuMsPerMail;
          sayList(`One list on ${on}, cores ${cores === "0" ? "all" : cores}`, {
            ...found,
            shareOfParse: found.mailsPerSecond / (stream.mailsPerSecond as number),
            cpuMsPerMail,
            costToFirst: cpuMsPerMail / first,
            diskToArchive: found.diskBytes / bytes,
          });
        }
      await rm(folder, { recursive: true, force: true });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const readList = (place: string, on: string, cores: string): Promise<Large> =>
  on === "postgres"
    ? onServer<Large>((database) => ({ kind: "large", place, database }), cores)
    : apart<Large>({ kind: "large", place, database: null }, cores);

function sayList(title: string, found: Large & Readonly<Record<string, unknown>>): void {
  say(`\n${title}, load ${loadavg()[0]?.toFixed(1)} at the end\n`);
  say(
    plainTable(
      Object.entries(found).map(([name, value]) => ({
        figure: name,
        value: typeof value === "number" ? figure(value) : JSON.stringify(value),
      })),
    ),
  );
  print(JSON.stringify(found));
}

const bytesOf = async (place: string): Promise<number> => {
  const sizes = await Promise.all((await filesAt(place)).map(async (path) => (await stat(path)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
};

async function filesAt(place: string): Promise<readonly string[]> {
  if ((await stat(place)).isFile()) return [place];
  return (await readdir(place)).sort().map((name) => join(place, name));
}

async function main(): Promise<void> {
  if (options.help) return say(help);
  if (options.only === "large") return await oneList();
  if (corporaAbsent) {
    process.exitCode = 1;
    return say("There are no corpora beside this clone (../shared/corpora): nothing to measure.");
  }
  const hasServer =
    process.env.HEADWAY_TEST_POSTGRES !== undefined || existsSync(".cache/services/postgres.url");
  say(`${cpus().length} cores, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)} before it began`);
  if (options.large) await large();
  else {
    if (wants("stages")) await stages();
    if (wants("pglite")) sayEndToEnd("PGlite", await apart({ kind: "end-to-end", database: null }));
    if (wants("postgres") && hasServer)
      sayEndToEnd("PostgreSQL", await onServer((database) => ({ kind: "end-to-end", database })));
    if (wants("growth")) {
      const messages = 30_000;
      sayGrowth("PGlite", await apart({ kind: "growth", database: { memory: true }, messages }));
      if (hasServer)
        sayGrowth("PostgreSQL", await onServer((database) => ({ kind: "growth", database, messages })));
    }
  }
  say(JSON.stringify(results));
}

await main();
