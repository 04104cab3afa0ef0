import { resolve } from "node:path";
import { type BrokerOption, type DatabaseOption, type Duration, durationMs } from "@headway/engine";
import { Refusal } from "./exit-codes.ts";

/** Options of every command. */
export interface SharedOptions {
  readonly data?: string | undefined;
  readonly database?: string | undefined;
  readonly json?: boolean | undefined;
}

export const sharedFlags = {
  data: ["--data <dir>", "where everything is kept (HEADWAY_DATA; default: .headway)"],
  database: ["--database <url>", "a PostgreSQL instead of the embedded one (HEADWAY_DATABASE_URL)"],
  json: ["--json", "print JSON"],
} as const;

export interface Place {
  readonly data: string;
  readonly database: DatabaseOption;
  /** Transport of notifications and events, if not the database. */
  readonly broker?: BrokerOption;
}

/** Place of a command: the options, else the environment, else the folder .headway. */
export function placeOf(options: SharedOptions, environment = process.env): Place {
  const data = resolve(options.data ?? (environment.HEADWAY_DATA || ".headway"));
  const url = options.database ?? (environment.HEADWAY_DATABASE_URL || undefined);
  if (url !== undefined && !/^postgres(ql)?:\/\//.test(url)) {
    throw new Refusal("The database must be an address such as postgres://user@host/name.");
  }
  const broker = brokerOf(environment);
  return {
    data,
    database: url === undefined ? { folder: data } : splitSchema(url),
    ...(broker && { broker }),
  };
}

function brokerOf(environment: NodeJS.ProcessEnv): BrokerOption | null {
  const { HEADWAY_BROKER_URL: url, HEADWAY_BROKER_EXCHANGE: exchange } = environment;
  if (!url) return null;
  if (!/^amqps?:\/\/[^/]/.test(url) || !URL.canParse(url)) {
    throw new Refusal("HEADWAY_BROKER_URL must be an address such as amqp://user:password@host/vhost.");
  }
  return { url, ...(exchange && { exchange }) };
}

/** An address may name the schema (`?schema=name`), a parameter of ours and not the server's. */
function splitSchema(url: string): { url: string; schema?: string } {
  if (!url.includes("schema=") || !URL.canParse(url)) return { url };
  const parsed = new URL(url);
  const schema = parsed.searchParams.get("schema");
  if (schema === null) return { url };
  parsed.searchParams.delete("schema");
  return { url: parsed.href, schema };
}

/** A date as written by people: 2024, 2024-05, 2024-05-31, or with a time. */
export function parseDate(text: string, flag: string): Date {
  const date = new Date(text);
  if (
    /^\d{4}(-\d{2}(-\d{2}(T.*)?)?)?$/.test(text) &&
    !Number.isNaN(date.getTime()) &&
    isDay(text.slice(0, 10))
  )
    return date;
  throw new Refusal(`${flag} is "${text}"; expected a date such as 2024-05-31.`, 2);
}

/** JavaScript turns the 30th of February into the 1st of March. */
const isDay = (text: string): boolean => new Date(text).toISOString().startsWith(text);

export function parseCount(text: string, flag: string, max: number): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= max) return count;
  throw new Refusal(`${flag} is "${text}"; expected a whole number from 1 to ${max}.`, 2);
}

/** A length of time such as 500ms, 30s, 15m, 2h or 1d, in milliseconds. */
export function parseSpan(text: string, flag: string): number {
  try {
    return durationMs(text as Duration);
  } catch {
    throw new Refusal(`${flag} is "${text}"; expected a length of time such as 30s, 15m or 2h.`, 2);
  }
}
