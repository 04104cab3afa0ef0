import { isAbsolute, resolve } from "node:path";
import { DefinitionError } from "@headway/engine";
import { parseSchedule, type Schedule } from "@headway/intake";

export const reportTimes = ["daily", "weekly", "decided"] as const;
export type ReportTime = (typeof reportTimes)[number];
export const reportFormats = ["md", "html", "json"] as const;
export type ReportFormat = (typeof reportFormats)[number];

/** A recipient as shown: an address, a host or a folder, never a secret. */
export interface ReportTarget {
  readonly kind: "mail" | "webhook" | "slack" | "feed";
  readonly to: string;
}

/** A subscription as kept: nothing here is secret. */
export interface SubscriptionSpec {
  /** Threads of this list; null: of all lists. */
  readonly list: string | null;
  /** Words of the question of a thread. */
  readonly asks: string | null;
  /** Words of a message of a thread. */
  readonly search: string | null;
  readonly time: ReportTime;
  readonly schedule: Schedule;
  /** The body of a webhook; a mail is text and HTML always. */
  readonly format: ReportFormat;
  readonly targets: readonly ReportTarget[];
  /** Address of a published site, for links; null: no links. */
  readonly site: string | null;
  /** Address for leaving, for `List-Unsubscribe`; null: by mail to the sender. */
  readonly unsubscribe: string | null;
  /** Most threads of a report; the rest is counted. */
  readonly threadsMax: number;
}

/** Addresses for posting, and the key of signatures; kept encrypted. */
export interface SubscriptionSecrets {
  readonly webhook?: string;
  readonly signing?: string;
  readonly slack?: string;
}

/** A subscription as written by people. */
export interface SubscriptionDeclaration {
  readonly list?: string | undefined;
  readonly asks?: string | undefined;
  readonly search?: string | undefined;
  readonly time: ReportTime;
  /** Hour and minute of daily and weekly reports. */
  readonly at?: string | undefined;
  readonly zone?: string | undefined;
  readonly format?: ReportFormat | undefined;
  /** Mail addresses. */
  readonly mail?: readonly string[] | undefined;
  readonly webhook?: string | undefined;
  readonly signing?: string | undefined;
  readonly slack?: string | undefined;
  /** A folder for feeds. */
  readonly feed?: string | undefined;
  readonly site?: string | undefined;
  readonly unsubscribe?: string | undefined;
  readonly threadsMax?: number | undefined;
}

/** Checks a declaration and separates the secrets. */
export function readSubscription(given: SubscriptionDeclaration): {
  readonly spec: SubscriptionSpec;
  readonly secrets: SubscriptionSecrets;
} {
  const targets = targetsOf(given);
  if (targets.length === 0)
    throw new DefinitionError("A subscription needs a recipient: --mail, --webhook, --slack-env or --feed.");
  const { threadsMax = 50 } = given;
  if (!Number.isInteger(threadsMax) || threadsMax < 1 || threadsMax > 500)
    throw new DefinitionError("A report has from 1 to 500 threads.");
  const spec: SubscriptionSpec = {
    list: given.list ?? null,
    asks: given.asks ?? null,
    search: given.search ?? null,
    time: given.time,
    schedule: scheduleOf(given),
    format: given.format ?? "md",
    targets,
    site: addressOf(given.site, "--site")?.replace(/\/{1,9}$/, "") ?? null,
    unsubscribe: addressOf(given.unsubscribe, "--unsubscribe"),
    threadsMax,
  };
  const secrets: SubscriptionSecrets = {
    ...(given.webhook !== undefined && { webhook: given.webhook }),
    ...(given.signing !== undefined && { signing: given.signing }),
    ...(given.slack !== undefined && { slack: given.slack }),
  };
  return { spec, secrets };
}

const mailAddress = /^[^\s@<>,;:"]{1,64}@[^\s@<>,;:"]{1,255}$/;

function targetsOf({ mail = [], webhook, slack, feed }: SubscriptionDeclaration): ReportTarget[] {
  for (const address of mail)
    if (!mailAddress.test(address)) throw new DefinitionError(`"${address}" is no mail address.`);
  const hostOf = (url: string, word: string) => new URL(addressOf(url, word) as string).host;
  return [
    ...[...new Set(mail)].map((to) => ({ kind: "mail" as const, to })),
    ...(webhook === undefined ? [] : [{ kind: "webhook" as const, to: hostOf(webhook, "--webhook") }]),
    ...(slack === undefined ? [] : [{ kind: "slack" as const, to: hostOf(slack, "--slack-env") }]),
    ...(feed === undefined ? [] : [{ kind: "feed" as const, to: isAbsolute(feed) ? feed : resolve(feed) }]),
  ];
}

function addressOf(text: string | undefined, word: string): string | null {
  if (text === undefined) return null;
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new DefinitionError(`${word} needs an address that begins with http:// or https://.`);
}

/** Agreements are looked for every minute. */
const lookEvery = "1m";

function scheduleOf({ time, at = "07:00", zone }: SubscriptionDeclaration): Schedule {
  if (time === "decided") return parseSchedule({ every: lookEvery });
  const match = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(at);
  if (!match) throw new DefinitionError(`"${at}" is no time of day: write it as 07:00.`);
  const cron = `${Number(match[2])} ${Number(match[1])} * * ${time === "weekly" ? "1" : "*"}`;
  return parseSchedule({ cron, ...(zone !== undefined && { zone }) });
}
