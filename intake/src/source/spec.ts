import { isAbsolute, resolve } from "node:path";
import { DefinitionError } from "@headway/engine";
import { hideCredentials } from "../web-address.ts";
import { parseSchedule, type Schedule, type ScheduleWords } from "./schedule.ts";

export const sourceKinds = ["folder", "web", "pipermail", "hyperkitty", "git", "imap", "rsync"] as const;
export type SourceKind = (typeof sourceKinds)[number];

/** A source as it is kept: nothing here is secret. */
export interface SourceSpec {
  /** A path, or an address without a password. */
  readonly place: string;
  readonly kind: SourceKind;
  /** The pipeline that reads its files. */
  readonly pipeline: string;
  /** The list of its mail; null: as names tell. */
  readonly list: string | null;
  readonly schedule: Schedule;
  /** Runs of the same time are spread over this time. */
  readonly jitterMs: number;
  /** Addresses inside this network may be read. */
  readonly allowPrivate: boolean;
  /** Most files or mails of one run; the rest comes in the next. */
  readonly documentsMax: number;
}

/** A source as people write it, in `sources()` of a configuration or on the command line. */
export interface SourceDeclaration extends ScheduleWords {
  /** A folder, or an address: `https://`, `imaps://user@host/mailbox`, `rsync://`, `git+https://`. */
  readonly place: string;
  /** The kind, where the address does not tell. */
  readonly kind?: SourceKind | undefined;
  /** The pipeline that reads it. */
  readonly pipeline?: string | undefined;
  /** The list of its mail; guessed from names if not given. */
  readonly list?: string | undefined;
  /** Runs of the same time are spread over this time, in milliseconds. */
  readonly jitterMs?: number | undefined;
  readonly allowPrivate?: boolean | undefined;
  readonly documentsMax?: number | undefined;
}

export const sourceDefaults = { pipeline: "consensus", documentsMax: 10_000 } as const;

export const isSourceName = (name: string): boolean => /^[a-z0-9][a-z0-9._-]{0,99}$/i.test(name);

export function checkSourceName(name: string): void {
  if (isSourceName(name)) return;
  throw new DefinitionError(
    `"${name}" is no name of a source: use letters, digits, ".", "-" and "_", at most 100, a letter or digit first.`,
  );
}

/** Checks a declaration; a password in the address is taken out of it. */
export function readDeclaration(given: SourceDeclaration): { spec: SourceSpec; secret: string | null } {
  const { place, secret } = splitPlace(given.place);
  const kind = given.kind ?? guessKind(place);
  checkKind(kind, place);
  const { documentsMax = sourceDefaults.documentsMax, jitterMs = 0 } = given;
  if (!Number.isInteger(documentsMax) || documentsMax < 1 || documentsMax > 1_000_000)
    throw new DefinitionError("A run takes from 1 to 1,000,000 documents.");
  if (!Number.isFinite(jitterMs) || jitterMs < 0 || jitterMs > 86_400_000)
    throw new DefinitionError("The jitter of a source is from 0 to 1d.");
  const spec: SourceSpec = {
    place,
    kind,
    pipeline: given.pipeline ?? sourceDefaults.pipeline,
    list: given.list ?? null,
    schedule: parseSchedule(given),
    jitterMs,
    allowPrivate: given.allowPrivate ?? false,
    documentsMax,
  };
  return { spec, secret };
}

const schemes: Readonly<Record<string, SourceKind>> = {
  "http:": "web",
  "https:": "web",
  "imap:": "imap",
  "imaps:": "imap",
  "rsync:": "rsync",
  "git:": "git",
  "git+https:": "git",
  "git+http:": "git",
  "git+file:": "git",
};

const isAddress = (place: string): boolean => /^[a-z][a-z0-9+.-]+:\/\//i.test(place);

function guessKind(place: string): SourceKind {
  if (!isAddress(place)) return "folder";
  const { protocol, pathname } = new URL(place);
  const kind = schemes[protocol];
  if (!kind)
    throw new DefinitionError(
      `${place} is no place that can be read: give a folder, or an address with http(s), imap(s), rsync or git+https.`,
    );
  if (kind !== "web") return kind;
  if (/\/list\/[^/@]+@[^/]+\/?$/.test(pathname)) return "hyperkitty";
  if (/\/pipermail\/[^/]+\/?$/.test(pathname)) return "pipermail";
  return pathname.endsWith(".git") ? "git" : "web";
}

const webKinds: ReadonlySet<SourceKind> = new Set(["web", "pipermail", "hyperkitty"]);

function checkKind(kind: SourceKind, place: string): void {
  const guessed = guessKind(place);
  const fits =
    kind === guessed ||
    (webKinds.has(kind) && webKinds.has(guessed)) ||
    (kind === "git" && webKinds.has(guessed));
  if (!fits) throw new DefinitionError(`${place} cannot be read as ${kind}; it is ${guessed}.`);
  if (kind === "imap" && new URL(place).username === "")
    throw new DefinitionError("An IMAP address names its user: imaps://user@host/mailbox.");
}

function splitPlace(given: string): { place: string; secret: string | null } {
  const place = given.trim();
  if (place === "") throw new DefinitionError("A source needs a place: a folder or an address.");
  if (!isAddress(place)) return { place: isAbsolute(place) ? place : resolve(place), secret: null };
  if (!URL.canParse(place))
    throw new DefinitionError(`${hideCredentials(place)} is no address that can be read.`);
  const url = new URL(place);
  const secret = url.password === "" ? null : decodeURIComponent(url.password);
  url.password = "";
  return { place: url.href, secret };
}

/** The host of a source; null for a folder. */
export const hostOf = ({ place }: Pick<SourceSpec, "place">): string | null =>
  isAddress(place) ? new URL(place).host || null : null;
