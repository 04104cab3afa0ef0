import { readConfig } from "@headway/engine";
import { readSettingsFile } from "@headway/engine/internal";
import { runsConsensus } from "../app/current-app.ts";
import { checkBroker } from "../checkup/broker.ts";
import { checkDatabase } from "../checkup/database.ts";
import { type Finding, findingsOf } from "../checkup/finding.ts";
import { checkCores, checkFolder, checkIsolation, checkNode } from "../checkup/machine.ts";
import { checkModels } from "../checkup/models.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Adding } from "../run.ts";
import { placeOf, type SharedOptions, sharedFlags } from "../shared-options.ts";
import { type Console, oneLine, pad, wrap } from "../terminal.ts";

export function addDoctor({ program, console, end }: Adding): void {
  program
    .command("doctor")
    .description("Check the installation, with advice")
    .option("--deep", "also read every archive, to see whether it is whole")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway doctor
  headway doctor --deep --json | jq 'select(.state != "ok")'

It changes nothing. Exit codes: 0 nothing is bad, 1 something is.`,
    )
    .action(async (options) => {
      const findings = await examine(options);
      if (options.json) findings.forEach(console.writeJson);
      else for (const finding of findings) tell(finding, console);
      if (findings.some(({ state }) => state === "bad")) end(exitCodes.refused);
    });
}

async function examine(options: SharedOptions & { deep?: boolean | undefined }): Promise<Finding[]> {
  const place = placeOf(options);
  return [
    checkNode(),
    checkIsolation(),
    ...checkSettings(),
    ...(await checkFolder(place.data)),
    ...(await checkDatabase(place, options.deep === true)),
    ...(runsConsensus() ? await checkModels() : []),
    ...(await checkBroker(place)),
  ];
}

/** Those of the engine; those of the pipeline are looked at with its models. */
function checkSettings(): Finding[] {
  try {
    const { config } = readConfig({}, process.env, readSettingsFile(process.env.HEADWAY_CONFIG));
    return [checkCores(config.cores)];
  } catch (error) {
    return [
      findingsOf("settings").bad(`${(error as Error).message} See all settings with "headway config".`),
    ];
  }
}

const markWidth = 6;
const checkWidth = 12;

function tell({ check, state, says }: Finding, console: Console): void {
  const { green, yellow, red } = console.colors;
  const paint = { ok: green, warn: yellow, bad: red }[state];
  const head = `${paint(pad(state, markWidth))}${pad(check, checkWidth)}`;
  const indent = " ".repeat(markWidth + checkWidth);
  const text = wrap(oneLine(says), console.columns, indent).trimStart();
  console.write(`${head}${text}\n`);
}
