import { DefinitionError } from "./define/definition-error.ts";
import { type Duration, durationMs, showDuration } from "./define/duration.ts";

/** Every knob of the engine: its unit is in its name, its variable, default and limits are here and nowhere else. */
export const knobs = {
  slots: whole(
    "HEADWAY_SLOTS",
    32,
    1,
    10_000,
    "units of one stage that run at the same time in this process",
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
  watchMs: time("HEADWAY_WATCH", "400ms", "50ms", "1m", "how often workers look for dead ones"),
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
} as const;

export type Config = { readonly [Name in keyof typeof knobs]: number };
export type ConfigSource = "default" | "environment" | "code";

/** A value and where it came from, for people who ask. */
export interface Effective {
  readonly name: string;
  readonly variable: string;
  readonly value: number;
  readonly shown: string;
  readonly source: ConfigSource;
  readonly about: string;
}

interface Knob {
  /** "seconds": a time whose variable is a plain number of seconds, as in the seeds. */
  readonly unit: "whole" | "time" | "seconds";
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

/** The values that hold: code over environment over default. A bad one is refused with one sentence. */
export function readConfig(
  given: Partial<Config> = {},
  environment: Readonly<Record<string, string | undefined>> = {},
): { config: Config; effective: Effective[] } {
  const effective = (Object.entries(knobs) as [keyof Config, Knob][]).map(([name, knob]): Effective => {
    const { value, source } = choose(name, knob, given[name], environment[knob.variable]);
    if (!(Number.isInteger(value) && value >= knob.least && value <= knob.most)) {
      const where = source === "environment" ? knob.variable : name;
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
  variable: string | undefined,
): { value: number; source: ConfigSource } {
  if (code !== undefined) return { value: code, source: "code" };
  if (variable === undefined || variable === "") return { value: knob.value, source: "default" };
  if (knob.unit === "time") {
    try {
      return { value: durationMs(variable as Duration), source: "environment" };
    } catch {
      throw new DefinitionError(
        `${knob.variable} is "${variable}"; write a number and a unit, such as "${showDuration(knob.value)}".`,
      );
    }
  }
  const value = Number(variable) * (knob.unit === "seconds" ? 1_000 : 1);
  if (Number.isNaN(value))
    throw new DefinitionError(`${knob.variable} is "${variable}"; ${name} must be a number.`);
  return { value, source: "environment" };
}

const show = (knob: Knob, value: number): string =>
  knob.unit !== "whole" && Number.isFinite(value) ? showDuration(value) : String(value);
