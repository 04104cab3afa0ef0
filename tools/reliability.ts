import { execFileSync, spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { brokenNames } from "../chaos/broken.ts";
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

interface Plan {
  readonly title: string;
  readonly command: readonly string[];
  /** Broken on purpose: it holds if it is found out. */
  readonly mustFail?: boolean;
}

function plans(): Plan[] {
  const { quick, hurry, seed } = values;
  const storm = (minutes: string) => ["--minutes", quick ? "0.5" : minutes, "--seed", seed, "--json"];
  const short = ["--minutes", quick ? "0.5" : "1", "--seed", seed, "--json"];
  return [
    {
      title: "Every call of the engine, interrupted",
      command: ["crash", ...(quick || hurry ? ["--quick"] : []), "--json"],
    },
    { title: "Simulated", command: ["sim", "--runs", quick ? "200" : values.runs, "--seed", seed, "--json"] },
    { title: "Storm: PostgreSQL and RabbitMQ", command: ["chaos", "--broker", "rabbitmq", ...storm("10")] },
    { title: "Storm: PostgreSQL alone", command: ["chaos", ...storm(hurry ? "3" : "10")] },
    ...brokenNames.map((name) => ({
      title: `Storm over a broken engine: ${name}`,
      command: ["chaos", "--broken", name, ...short],
      mustFail: true,
    })),
  ];
}

async function prove({ title, command: [script, ...given], mustFail = false }: Plan): Promise<Proof> {
  const args = ["run", "-s", script as string, "--", ...given];
  const { code, output, tookSeconds } = await run("npm", args);
  const summary = lastJson(output);
  const figures = Object.entries(summary ?? {}).map(([name, value]) => [name, show(value)] as const);
  return {
    title,
    command: `npm ${args.filter((one) => one !== "-s").join(" ")}`,
    figures: mustFail ? [["found out", code === 1 && summary ? "yes" : "no"], ...figures] : figures,
    held: mustFail ? code === 1 && Number(summary?.violations) > 0 : code === 0,
    tookSeconds,
  };
}

const famousTitle = "The famous bugs of others";

/** Each is a test that fails on an engine that has the bug. */
async function proveFamous(): Promise<Proof> {
  const args = ["vitest", "run", "test/behaviours/famous-bugs"];
  const { code, output, tookSeconds } = await run("npx", args);
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

function run(
  file: string,
  args: readonly string[],
): Promise<{ code: number; output: string; tookSeconds: number }> {
  const startedAt = Date.now();
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (data) => {
      output += String(data);
    });
    child.on("error", reject);
    child.on("close", (code) =>
      resolve({ code: code ?? 1, output, tookSeconds: Math.round((Date.now() - startedAt) / 1_000) }),
    );
  });
}

function lastJson(output: string): Record<string, unknown> | null {
  const line = output.trimEnd().split("\n").at(-1) ?? "";
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

const show = (value: unknown): string => {
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(String).join(", ");
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .map(([name, one]) => `${name} ${String(one)}`)
    .join(", ");
};

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
  for (const plan of plans().filter(({ title }) => title.includes(values.only))) {
    console.log(`${plan.title} …`);
    const proof = await prove(plan);
    proofs.push(proof);
    // Whoever is interrupted has what was proved until then.
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
