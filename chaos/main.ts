import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { type BrokenName, brokenNames } from "./broken.ts";
import { report, summarise } from "./report.ts";
import { type ChaosOptions, runChaos } from "./run.ts";
import { scenarios } from "./scenarios.ts";

const help = `Tries to break the engine with real processes and real servers, then checks every promise.

  npm run chaos                              two minutes, with a new seed
  npm run chaos -- --minutes 10 --seed 7     ten minutes of the storm that seed 7 makes
  npm run chaos -- --broker rabbitmq         news and events go through RabbitMQ, which is attacked as well
  npm run chaos -- --scenario kills          one part of the storm
  npm run chaos -- --backlog 20              few documents, so that kills hit the same ones again; usually 400 tasks wait
  npm run chaos -- --broken fencing-off      an engine that is broken on purpose: it has to be found out (exit 1)
  npm run chaos -- --json                    nothing but the last line, for machines

Scenarios: ${Object.keys(scenarios).join(", ")}. Broken engines: ${brokenNames.join(", ")}.`;

const { values } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    seed: { type: "string" },
    minutes: { type: "string", default: "2" },
    workers: { type: "string", default: "6" },
    backlog: { type: "string", default: "400" },
    broker: { type: "string", default: "database" },
    scenario: { type: "string", default: "all" },
    broken: { type: "string" },
  },
});

function readOptions(): ChaosOptions | string {
  const minutes = Number(values.minutes);
  const seed = values.seed === undefined ? randomInt(1_000_000) : Number(values.seed);
  const only = scenarios[values.scenario];
  if (!(minutes > 0)) return `--minutes is "${values.minutes}"; write a number above 0.`;
  if (!Number.isInteger(seed)) return `--seed is "${values.seed}"; write a whole number.`;
  if (only === undefined) return `There is no scenario "${values.scenario}".`;
  if (values.broker !== "database" && values.broker !== "rabbitmq")
    return `There is no broker "${values.broker}"; there are database and rabbitmq.`;
  if (values.broken !== undefined && !brokenNames.includes(values.broken as BrokenName))
    return `There is no broken engine "${values.broken}".`;
  return {
    seed,
    minutes,
    broker: values.broker === "rabbitmq",
    ...(only && { only }),
    workers: Number(values.workers),
    backlog: Number(values.backlog),
    broken: (values.broken as BrokenName | undefined) ?? null,
    tell: (line) => void (values.json || console.log(line)),
  };
}

async function main(): Promise<number> {
  const options = readOptions();
  if (typeof options === "string") {
    console.error(`${options}\n\n${help}`);
    return 2;
  }
  options.tell(`Seed ${options.seed}.`);
  const chaos = await runChaos(options);
  const fine = chaos.violations.length === 0 && chaos.missing.length === 0 && chaos.settledMs !== null;
  if (!values.json) console.log(report(chaos, options));
  else if (!fine) console.error(report(chaos, options));
  if (!fine) console.error(`Seed ${options.seed}: a promise was broken, or the storm was too weak to tell.`);
  console.log(summarise(chaos, options));
  return fine ? 0 : 1;
}

if (values.help) console.log(help);
else process.exitCode = await main();
