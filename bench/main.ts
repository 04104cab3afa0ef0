import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import pg from "pg";
import { measureThroughput, measureWakeUp, median, quantile } from "./measure.ts";
import { commitsPerSecond } from "./yardstick.ts";

const help = `npm run bench -- [--documents N] [--rounds N] [--only postgres|pglite] [--json]

Measures completions with all guarantees (output document, marker, downstream task), the wake-up of an idle engine,
and beside them the rate of an empty commit loop on the same server in the same minute. Never run it on a loaded machine.

  npm run bench
  npm run bench -- --documents 100000 --rounds 5
`;

const { values: options } = parseArgs({
  options: {
    documents: { type: "string", default: "40000" },
    rounds: { type: "string", default: "3" },
    only: { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  process.stdout.write(help);
  process.exit(0);
}
const documents = Number(options.documents);
const rounds = Number(options.rounds);
const url = process.env.HEADWAY_TEST_POSTGRES ?? readFileSync(".cache/services/postgres.url", "utf8").trim();
const say = (line: string) => void (options.json ? process.stderr : process.stdout).write(`${line}\n`);
const figure = (value: number) =>
  value >= 100 ? Math.round(value).toLocaleString("en-US") : value.toFixed(2);

/** Runs on a schema of its own that is gone afterwards. */
async function onServer<T>(run: (database: { url: string; schema: string }) => Promise<T>): Promise<T> {
  const schema = `bench_${process.pid}_${Math.trunc(performance.now())}`;
  try {
    return await run({ url, schema });
  } finally {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`drop schema if exists "${schema}" cascade`);
    await client.query("checkpoint");
    await client.end();
  }
}

const results: Record<string, number[]> = {};
const note = (name: string, value: number) => {
  results[name] = [...(results[name] ?? []), value];
  say(`  ${name}: ${figure(value)}`);
};
say(`${cpus().length} cores, Node ${process.version}, ${documents} documents, ${rounds} rounds`);
for (let round = 1; round <= rounds; round++) {
  say(`round ${round}`);
  if (options.only !== "pglite") {
    note("commits/s, 1 client", await commitsPerSecond(url, 1, 1));
    note("commits/s, 16 clients", await commitsPerSecond(url, 16, 1));
    const one = await onServer((database) => measureThroughput(database, documents, ["first"]));
    note("PostgreSQL accepted/s", one.acceptedPerSecond);
    note("PostgreSQL completions/s", one.completionsPerSecond);
    const three = await onServer((database) =>
      measureThroughput(database, documents / 2, ["first", "second", "third"]),
    );
    note("PostgreSQL completions/s, 3 stages", three.completionsPerSecond);
    const wakes = await onServer((database) => measureWakeUp(database, 200));
    note("PostgreSQL wake-up p50 ms", median(wakes));
    note("PostgreSQL wake-up p99 ms", quantile(wakes, 0.99));
  }
  if (options.only !== "postgres") {
    const one = await measureThroughput({ memory: true }, documents / 2, ["first"]);
    note("PGlite completions/s", one.completionsPerSecond);
    const wakes = await measureWakeUp({ memory: true }, 100);
    note("PGlite wake-up p50 ms", median(wakes));
  }
}
say("\n| figure | median | least | most |\n|---|---:|---:|---:|");
for (const [name, all] of Object.entries(results)) {
  say(`| ${name} | ${figure(median(all))} | ${figure(Math.min(...all))} | ${figure(Math.max(...all))} |`);
}
if (options.json) {
  const medians = Object.entries(results).map(([name, all]) => [name, Number(median(all).toFixed(2))]);
  process.stdout.write(`${JSON.stringify(Object.fromEntries(medians))}\n`);
}
