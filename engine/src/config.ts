import { DefinitionError } from "./define/definition-error.ts";
import { type Duration, durationMs, showDuration } from "./define/duration.ts";

/**
 * Every knob of the engine: the unit is in the name; variable, default and limits are here and nowhere else.
 *
 * @example
 * import { knobs } from "@headway/engine";
 *
 * for (const { variable, about } of Object.values(knobs)) console.log(variable, about);
 */
export const knobs = {
  slots: whole(
    "HEADWAY_SLOTS",
    32,
    1,
    10_000,
    "units of one stage that run at the same time in this process",
  ),
  cores: whole(
    "HEADWAY_CORES",
    0,
    0,
    1_024,
    "processor cores for isolated stages, one process each; 0: all that this process may use",
  ),
  batchMax: whole("HEADWAY_BATCH_MAX", 1_000, 1, 10_000, "tasks claimed and committed at once"),
  streamDocuments: whole(
    "HEADWAY_STREAM_DOCUMENTS",
    500,
    1,
    100_000,
    "outputs after which a long result is committed in parts",
  ),
  streamBytes: whole(
    "HEADWAY_STREAM_BYTES",
    4_194_304,
    1_024,
    1_073_741_824,
    "bytes after which a long result is committed in parts",
  ),
  poolMax: whole(
    "HEADWAY_POOL_MAX",
    4,
    1,
    100,
    "database connections of this process, beside two for news and life signs",
  ),
  pollMs: time("HEADWAY_POLL", "1s", "10ms", "1m", "how long to wait for news before looking for oneself"),
  heartbeatMs: time("HEADWAY_HEARTBEAT", "5s", "50ms", "1m", "how often a worker says that it lives"),
  silenceMs: time(
    "HEADWAY_SILENCE",
    "20s",
    "200ms",
    "10m",
    "how long a worker may be silent before its work is taken over",
  ),
  watchMs: time("HEADWAY_WATCH", "250ms", "50ms", "1m", "how often workers look for dead ones"),
  controlsMs: time(
    "HEADWAY_CONTROLS",
    "2s",
    "50ms",
    "1m",
    "how often policies, pauses and breakers are read again",
  ),
  sweepMs: seconds(
    "RETRY_JOB_INTERVAL_SECONDS",
    "15m",
    "1s",
    "1d",
    "how often the sweep looks for what was forgotten",
  ),
  stuckMs: hours(
    "RETRY_JOB_STUCK_THRESHOLD_HOURS",
    "1d",
    "1h",
    "30d",
    "how long something may be owed before the sweep counts it as stuck",
  ),
  relayMs: time("HEADWAY_RELAY", "1s", "10ms", "1m", "how often events are handed on if no news comes"),
  graceMs: time(
    "HEADWAY_GRACE",
    "10s",
    "0ms",
    "1h",
    "how long running work may go on after a stop was asked for",
  ),
  keepMs: time(
    "HEADWAY_KEEP",
    "7d",
    "1m",
    "365d",
    "how long announced events and ended workers are remembered",
  ),
  alertMs: time(
    "HEADWAY_ALERT_INTERVAL",
    "5s",
    "50ms",
    "10m",
    "how often one worker looks for alerts and sends notices",
  ),
  censusMs: time(
    "HEADWAY_CENSUS_INTERVAL",
    "1m",
    "1s",
    "1h",
    "how often one worker counts open tasks; everything is counted as often, or for at most a hundredth of the time",
  ),
} as const;

/** Values of all knobs; times are milliseconds. */
export type Config = { readonly [Name in keyof typeof knobs]: number };
export type ConfigSource = "default" | "file" | "environment" | "code";

/** Variables and their values, from the environment or a file. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A value with its origin, for people. */
export interface Effective {
  readonly name: string;
  readonly variable: string;
  readonly value: number;
  readonly shown: string;
  readonly source: ConfigSource;
  readonly about: string;
}

interface Knob {
  /** "seconds", "hours": the variable is a plain number in this unit, as in the seeds. */
  readonly unit: "whole" | "time" | "seconds" | "hours";
  readonly variable: string;
  readonly value: number;
  readonly least: number;
  readonly most: number;
  readonly about: string;
}

function whole(variable: string, value: number, least: number, most: number, about: string): Knob {
  return { unit: "whole", variable, value, least, most, about };
}

function time(variable: string, value: Duration, least: Duration, most: Duration, about: string): Knob {
  return {
    unit: "time",
    variable,
    value: durationMs(value),
    least: durationMs(least),
    most: durationMs(most),
    about,
  };
}

function seconds(variable: string, value: Duration, least: Duration, most: Duration, about: string): Knob {
  return { ...time(variable, value, least, most, about), unit: "seconds" };
}

function hours(variable: string, value: Duration, least: Duration, most: Duration, about: string): Knob {
  return { ...time(variable, value, least, most, about), unit: "hours" };
}

/**
 * Values in force: code over environment over file over default. A bad value is refused with one sentence.
 *
 * @example
 * import { readConfig } from "@headway/engine";
 *
 * const { config } = readConfig({ slots: 8 }, process.env);
 * console.log(config.pollMs);
 */
export function readConfig(
  given: Partial<Config> = {},
  environment: Variables = {},
  file: Variables = {},
): { config: Config; effective: Effective[] } {
  const effective = (Object.entries(knobs) as [keyof Config, Knob][]).map(([name, knob]): Effective => {
    const { value, source } = choose(
      name,
      knob,
      given[name],
      environment[knob.variable],
      file[knob.variable],
    );
    if (!(Number.isInteger(value) && value >= knob.least && value <= knob.most)) {
      const where = source === "code" ? name : knob.variable;
      throw new DefinitionError(
        `${where} is ${show(knob, value)}; it must be from ${show(knob, knob.least)} to ${show(knob, knob.most)}.`,
      );
    }
    return { name, variable: knob.variable, value, shown: show(knob, value), source, about: knob.about };
  });
  const config = Object.fromEntries(effective.map((one) => [one.name, one.value])) as Config;
  if (config.silenceMs < 2 * config.heartbeatMs) {
    throw new DefinitionError(
      `A worker may be silent for ${showDuration(config.silenceMs)} but says that it lives only every ${showDuration(config.heartbeatMs)}; give it at least two heartbeats.`,
    );
  }
  return { config, effective };
}

function choose(
  name: string,
  knob: Knob,
  code: number | undefined,
  environment: string | undefined,
  file: string | undefined,
): { value: number; source: ConfigSource } {
  if (code !== undefined) return { value: code, source: "code" };
  if (environment) return { value: parse(name, knob, environment), source: "environment" };
  if (file) return { value: parse(name, knob, file), source: "file" };
  return { value: knob.value, source: "default" };
}

function parse(name: string, knob: Knob, text: string): number {
  if (knob.unit === "time") {
    try {
      return durationMs(text as Duration);
    } catch {
      throw new DefinitionError(
        `${knob.variable} is "${text}"; write a number and a unit, such as "${showDuration(knob.value)}".`,
      );
    }
  }
  const value = Number(text) * plainUnits[knob.unit];
  if (Number.isNaN(value))
    throw new DefinitionError(`${knob.variable} is "${text}"; ${name} must be a number.`);
  return value;
}

const plainUnits = { whole: 1, seconds: 1_000, hours: 3_600_000 } as const;

/** The variables of a settings file: a JSON object with the environment's names. Unknown names are refused. */
export function parseSettings(
  text: string,
  place: string,
  alsoKnown: (variable: string) => boolean,
): Variables {
  let settings: unknown;
  try {
    settings = JSON.parse(text);
  } catch (error) {
    throw new DefinitionError(`${place} is not JSON: ${(error as Error).message}`);
  }
  if (typeof settings !== "object" || settings === null || Array.isArray(settings)) {
    throw new DefinitionError(`${place} must hold one JSON object, such as {"HEADWAY_POLL": "500ms"}.`);
  }
  const known = new Set(Object.values(knobs).map((knob) => knob.variable as string));
  for (const [variable, value] of Object.entries(settings)) {
    if (!known.has(variable) && !alsoKnown(variable)) {
      throw new DefinitionError(
        `${place} sets ${variable}, which nobody reads; docs/reference/config.md lists what there is.`,
      );
    }
    if (typeof value !== "string" && typeof value !== "number") {
      throw new DefinitionError(
        `${place} sets ${variable} to something that is neither a text nor a number.`,
      );
    }
  }
  return Object.fromEntries(Object.entries(settings).map(([variable, value]) => [variable, String(value)]));
}

const show = (knob: Knob, value: number): string =>
  knob.unit !== "whole" && Number.isFinite(value) ? showDuration(value) : String(value);
