import { consensusKnobs } from "@headway/consensus";
import { readConfig } from "@headway/engine";
import {
  attemptsVariable,
  channelVariables,
  defaultExchange,
  maskSecrets,
  readSettingsFile,
  retryVariables,
  traceVariables,
  withRetryVariables,
} from "@headway/engine/internal";
import { retryDefaults } from "@headway/engine/operate";
import { currentApp, isShipped, runsConsensus } from "../app/current-app.ts";
import { shippedPipelines } from "../app/shipped-app.ts";
import type { Adding } from "../run.ts";
import { placeOf, type SharedOptions, sharedFlags } from "../shared-options.ts";
import { type Column, table } from "../terminal.ts";

/** A value in force, with its origin. */
export interface Held {
  readonly group: "place" | "engine" | "retry" | "consensus";
  readonly variable: string;
  readonly value: string;
  readonly from: "flag" | "environment" | "file" | "default";
  readonly about: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

export function addConfig({ program, console }: Adding): void {
  program
    .command("config")
    .description("Show every setting with its origin")
    .option("--changed", "only those that are not the default")
    .option("--check", "only say whether every setting is good; exit code 1 or 2 if one is not")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway config --changed
  headway config --check && systemctl restart headway
  HEADWAY_POLL=500ms headway config --json | jq 'select(.from != "default")'

Flags win over the environment, the environment over the file that HEADWAY_CONFIG names, the file over the default.
Every variable can be given as a file instead, as container secrets are: HEADWAY_LLM_KEY_FILE=/run/secrets/llm-key.
Secrets are masked. What operators set at run time is not here: headway policies list`,
    )
    .action((options) => {
      const all = everySetting(options, process.env);
      if (options.check) return console.write(`${checked(all)}\n`);
      const shown = options.changed ? all.filter(({ from }) => from !== "default") : all;
      if (options.json) return shown.forEach(console.writeJson);
      if (shown.length === 0) return console.warn("Everything is as it is by default.\n");
      console.write(`${table(shown, columns, console.columns)}\n`);
    });
}

const checked = (all: readonly Held[]): string =>
  `All ${all.length} settings are good; ${all.filter(({ from }) => from !== "default").length} differ from the default.`;

const columns: readonly Column<Held>[] = [
  { title: "SETTING", of: ({ variable }) => variable },
  { title: "VALUE", of: ({ value }) => value || "–" },
  { title: "FROM", of: ({ from }) => from },
  { title: "WHAT IT IS", of: ({ about }) => about, flexible: true },
];

/** Fails with one sentence for an impossible value, as at start. */
export function everySetting(options: SharedOptions, environment: Variables): Held[] {
  const file = readSettingsFile(environment.HEADWAY_CONFIG);
  return [
    ...placeSettings(options, environment),
    ...channelSettings(environment),
    ...engineSettings(environment, file),
    ...retrySettings(environment, file),
    ...(runsConsensus() ? consensusSettings(environment) : []),
  ];
}

/** Most of these hold a secret, so a value is never shown. */
const channelSettings = (environment: Variables): Held[] =>
  Object.entries({ ...traceVariables, ...channelVariables }).map(([variable, about]) => ({
    group: "place",
    variable,
    value: environment[variable] ? "set" : "",
    from: environment[variable] ? "environment" : "default",
    about: about.replaceAll("`", ""),
  }));

function placeSettings(options: SharedOptions, environment: Variables): Held[] {
  const { data, broker } = placeOf(options, environment);
  const said = (flag: string | undefined, variable: string): Held["from"] =>
    flag !== undefined ? "flag" : environment[variable] ? "environment" : "default";
  const url = options.database ?? environment.HEADWAY_DATABASE_URL;
  const plain = (variable: string, about: string): Held => ({
    group: "place",
    variable,
    value: maskSecrets(environment[variable] ?? ""),
    from: environment[variable] ? "environment" : "default",
    about,
  });
  return [
    {
      group: "place",
      variable: "HEADWAY_DATA",
      value: data,
      from: said(options.data, "HEADWAY_DATA"),
      about: "where everything is kept",
    },
    {
      group: "place",
      variable: "HEADWAY_DATABASE_URL",
      value: url ? maskUrl(url) : "embedded",
      from: said(options.database, "HEADWAY_DATABASE_URL"),
      about: "a PostgreSQL instead of the embedded one",
    },
    {
      group: "place",
      variable: "HEADWAY_BROKER_URL",
      value: broker ? maskUrl(broker.url) : "",
      from: said(undefined, "HEADWAY_BROKER_URL"),
      about: "a RabbitMQ that carries news and events; without it the database does",
    },
    {
      group: "place",
      variable: "HEADWAY_BROKER_EXCHANGE",
      value: environment.HEADWAY_BROKER_EXCHANGE || defaultExchange,
      from: said(undefined, "HEADWAY_BROKER_EXCHANGE"),
      about: "the topic exchange that events go to",
    },
    plain("HEADWAY_CONFIG", "a file with settings"),
    plain("HEADWAY_ACTOR", "your name in the audit, if not your login"),
    plain("PUSHGATEWAY_URL", "where the sweep pushes its metrics"),
    plain("METRICS_BACKEND", "how metrics leave: prometheus, prometheus_pushgateway or noop"),
  ];
}

/** Removes all possible secrets from an address: password, and values of parameters. */
function maskUrl(text: string): string {
  if (!URL.canParse(text)) return "***";
  const url = new URL(text);
  if (url.password) url.password = "***";
  for (const name of [...url.searchParams.keys()])
    if (/pass|key|secret|token/i.test(name)) url.searchParams.set(name, "***");
  return maskSecrets(url.href);
}

const engineSettings = (environment: Variables, file: Variables): Held[] =>
  readConfig({}, environment, file).effective.map(({ variable, shown, source, about }) => {
    // The command passes no "code" values.
    return { group: "engine", variable, value: shown, from: source === "code" ? "default" : source, about };
  });

function retrySettings(environment: Variables, file: Variables): Held[] {
  const held = (variable: string, byDefault: string, about: string): Held => {
    const from = environment[variable] ? "environment" : file[variable] ? "file" : "default";
    const value = environment[variable] || file[variable] || byDefault;
    return { group: "retry", variable, value, from, about };
  };
  const general = retryVariables.map(({ variable, kind, field, unit }) => {
    const value = retryDefaults[kind][field];
    const shown = value === null || value === undefined ? "" : String(Number(value) / unit);
    return held(variable, shown, `${field} of faults that are ${kind}`);
  });
  const pipelines = isShipped() ? shippedPipelines(environment).pipelines : currentApp().pipelines();
  const stages = pipelines.flatMap((one) => one.stages);
  // Refuses what a start would refuse.
  for (const { retry, reads } of stages) withRetryVariables(retry, reads.name, { ...file, ...environment });
  const collections = [...new Set(stages.map((stage) => stage.reads.name))];
  const limits = collections.map((name) => {
    const tries = stages
      .filter((one) => one.reads.name === name)
      .map((one) => one.retry.transient.attemptsMax);
    return held(
      attemptsVariable(name),
      [...new Set(tries)].join(", "),
      `how often documents of ${name} are tried`,
    );
  });
  return [...general, ...limits];
}

const secret = /_KEY$/;

const consensusSettings = (environment: Variables): Held[] =>
  Object.values(consensusKnobs).map(({ variable, value: byDefault, meaning }) => {
    const given = environment[variable]?.trim();
    const shown = given && secret.test(variable) ? "***" : maskSecrets(given || byDefault);
    return {
      group: "consensus",
      variable,
      value: shown,
      from: given ? "environment" : "default",
      about: meaning.replaceAll("`", ""),
    };
  });
