import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { brokenNames } from "../chaos/broken.ts";
import { type Budget, planProofs, prove, runLimited } from "./proofs.ts";
import { type Circumstances, makePage, type Proof } from "./reliability-page.ts";

const help = `Runs every proof there is and writes RELIABILITY.md.

  npm run reliability                    everything; about an hour
  npm run reliability -- --quick         the same, much smaller: to see that it works; nothing is written
  npm run reliability -- --only Storm    those whose title has this word in it; nothing is written
  npm run reliability -- --hurry         half an hour: a sample of the crashes, three minutes of storm without a broker
  npm run reliability -- --seed 7        the seed of the storms and of the simulation
  npm run reliability -- --runs 3000     so many simulated runs instead of 10,000`;

const { values } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    hurry: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    seed: { type: "string", default: "1" },
    runs: { type: "string", default: "10000" },
  },
});

const root = fileURLToPath(new URL("../", import.meta.url));
const cache = `${root}.cache`;

function budget(): Budget {
  const { quick, hurry } = values;
  const minutes = (usual: number) => (quick ? 0.5 : usual);
  return {
    seed: Number(values.seed),
    crash: quick || hurry ? "sample" : "every call",
    simulatedRuns: quick ? 200 : Number(values.runs),
    stormMinutes: { broker: minutes(10), database: minutes(hurry ? 3 : 10), broken: minutes(1) },
    broken: brokenNames,
    kills: quick ? { ingest: 4, work: 6 } : { ingest: 30, work: 60 },
    console: quick ? "a page of each kind" : "every page",
  };
}

const famousTitle = "The famous bugs of others";

/** Each test fails on an engine with the bug. */
async function proveFamous(): Promise<Proof> {
  const args = ["vitest", "run", "test/behaviours/famous-bugs"];
  const { code, output, tookSeconds } = await runLimited("npx", args, 30);
  const [, passed = "0", failed = "?"] = /^(\d+) passed, (\d+) failed/m.exec(output) ?? [];
  const figures = [
    ["passed", passed],
    ["failed", failed],
  ] as const;
  return {
    title: famousTitle,
    command: `npx ${args.join(" ")}`,
    figures,
    held: code === 0,
    tookSeconds,
  };
}

function circumstances(): Circumstances {
  const ask = (file: string, ...args: string[]) =>
    execFileSync(file, args, { cwd: root, encoding: "utf8" }).trim();
  const changed = ask("git", "status", "--porcelain") === "" ? "" : " and changes that were not committed";
  const [first] = cpus();
  return {
    commit: `${ask("git", "rev-parse", "--short", "HEAD")}${changed}`,
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} × ${first?.model.trim() ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GB.`,
    versions: `Node ${process.versions.node}.`,
  };
}

async function main(): Promise<number> {
  // Before anything else: what is committed meanwhile was not proved.
  const where = circumstances();
  await mkdir(cache, { recursive: true });
  const proofs: Proof[] = [];
  for (const plan of planProofs(budget()).filter(({ title }) => title.includes(values.only))) {
    console.log(`${plan.title} …`);
    const proof = await prove(plan);
    proofs.push(proof);
    // An interrupted run keeps the proofs so far.
    await writeFile(`${cache}/reliability.md`, makePage(proofs, where));
    console.log(`  ${proof.held ? "holds" : "DOES NOT HOLD"} (${proof.tookSeconds} s)`);
  }
  if (famousTitle.includes(values.only)) proofs.push(await proveFamous());
  const page = makePage(proofs, where);
  if (values.quick || values.only) console.log(page);
  else await writeFile(`${root}RELIABILITY.md`, page);
  return proofs.every((one) => one.held) ? 0 : 1;
}

if (values.help) console.log(help);
else process.exitCode = await main();
