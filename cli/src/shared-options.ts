import { dirname, join, resolve } from "node:path";
import { type BrokerOption, type DatabaseOption, type Duration, durationMs } from "@headway/engine";
import type { CommandLineApp } from "./app/command-line-app.ts";
import { currentApp } from "./app/current-app.ts";
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

/** Where a command works: flags win over the environment, the environment over the application, else the folder .headway. */
export function placeOf(options: SharedOptions, environment = process.env): Place {
  const app = currentApp();
  const folder = options.data ?? (environment.HEADWAY_DATA || undefined);
  const data = resolve(folder ?? ownFolder(app));
  const url = options.database ?? (environment.HEADWAY_DATABASE_URL || undefined);
  if (url !== undefined && !/^postgres(ql)?:\/\//.test(url)) {
    throw new Refusal("The database must be an address such as postgres://user@host/name.");
  }
  const broker = brokerOf(environment) ?? app.broker;
  const declared = folder === undefined && app.database ? app.database : { folder: data };
  return {
    data,
    database: url === undefined ? declared : splitSchema(url),
    ...(broker && { broker }),
  };
}

/** The folder of an application lies beside its configuration, wherever in it the command is typed. */
function ownFolder(app: CommandLineApp): string {
  if (app.database && "folder" in app.database) return app.database.folder;
  return app.file ? join(dirname(app.file), ".headway") : ".headway";
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

export const parseCount = (text: string, flag: string, max: number): number => parseWhole(text, flag, 1, max);

export function parseWhole(text: string, flag: string, min: number, max: number): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= min && count <= max) return count;
  throw new Refusal(`${flag} is "${text}"; expected a whole number from ${min} to ${max}.`, 2);
}

/** A priority of documents: larger goes first. */
export const parsePriority = (text: string): number => parseWhole(text, "--priority", -1_000, 1_000);

/** A length of time such as 500ms, 30s, 15m, 2h or 1d, in milliseconds. */
export function parseSpan(text: string, flag: string): number {
  try {
    return durationMs(text as Duration);
  } catch {
    throw new Refusal(`${flag} is "${text}"; expected a length of time such as 30s, 15m or 2h.`, 2);
  }
}
