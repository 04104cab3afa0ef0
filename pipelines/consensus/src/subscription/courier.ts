import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Database,
  openMailer,
  openWebhook,
  permanent,
  rateLimited,
  readersOf,
  sendSlack,
  transient,
  Undelivered,
} from "@headway/engine";
import type { Vault } from "@headway/intake";
import {
  newestReports,
  readSubscriptionRow,
  readSubscriptionSecret,
  type SubscriptionRow,
} from "../library/subscriptions.ts";
import { renderEdition } from "../report/edition.ts";
import { atomFeed, rssFeed } from "../report/feeds.ts";
import { type Courier, type Report, receipts, reports } from "./pipeline.ts";
import type { ReportTarget, SubscriptionSecrets } from "./spec.ts";

export interface CourierParts {
  readonly database: Database;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly vault: () => Promise<Vault>;
  readonly now: () => Date;
}

const patienceMs = 20_000;
const feedItemsMax = 50;

/** Brings reports to their recipients: the service behind the stage `delivering`. */
export function makeCourier(parts: CourierParts): Courier {
  const { database, now } = parts;
  return {
    async deliver({ id, report: reportId, subscription, kind, to }, { signal }) {
      const { read } = readersOf(database);
      const marked = await read(receipts, id);
      if (marked) return marked.sentAt;
      const row = await readSubscriptionRow(database, subscription);
      const report = await read(reports, reportId);
      if (!row || !report)
        throw permanent("report.gone", `The subscription ${subscription} or its report was removed.`);
      await sendReport(parts, row, report, { target: { kind, to }, signal });
      return now().toISOString();
    },
  };
}

/** Sends a report to a recipient; a refusal becomes a fault of the recipient. */
export async function sendReport(
  parts: CourierParts,
  row: SubscriptionRow,
  report: Report,
  { target, signal }: { readonly target: ReportTarget; readonly signal: AbortSignal },
): Promise<void> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
  try {
    await ways[target.kind](parts, { row, report, target, signal: patience });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Undelivered)) throw error;
    const message = `${target.kind} to ${target.to}: ${error.message}`;
    const options = { dependency: `${target.kind} ${target.to}`, cause: error };
    if (error.final) throw permanent("report.refused", message, options);
    if (error.retryAfterMs > 0) throw rateLimited("report.busy", message, error.retryAfterMs);
    throw transient("report.undelivered", message, options);
  }
}

interface Sending {
  readonly row: SubscriptionRow;
  readonly report: Report;
  readonly target: ReportTarget;
  readonly signal: AbortSignal;
}

type Way = (parts: CourierParts, sending: Sending) => Promise<void>;

const byMail: Way = async ({ env }, { row, report, target }) => {
  const server = env.HEADWAY_SMTP_URL?.trim();
  if (!server) throw permanent("report.mail-server", "HEADWAY_SMTP_URL names no mail server.");
  const from = env.HEADWAY_ALERT_MAIL_FROM?.trim() || "headway@localhost";
  const domain = from.slice(from.indexOf("@") + 1);
  const root = `<report.${report.thread}@${domain}>`;
  const leave = `<mailto:${from}?subject=${encodeURIComponent(`unsubscribe ${row.name}`)}>`;
  const { unsubscribe } = row.spec;
  await openMailer(server).send({
    from,
    to: target.to,
    subject: report.subject,
    text: report.markdown,
    html: report.html,
    messageId: `<report.${report.id.replaceAll("/", ".")}@${domain}>`,
    // A common ancestor: mail programs show reports about the same discussion as a single thread.
    inReplyTo: root,
    references: root,
    headers: {
      "Auto-Submitted": "auto-generated",
      "List-Id": `<${row.name}.reports.${domain}>`,
      "List-Unsubscribe": unsubscribe === null ? leave : `<${unsubscribe}>, ${leave}`,
      ...(unsubscribe?.startsWith("https:") && { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }),
    },
  });
};

const byWebhook: Way = async (parts, { row, report, signal }) => {
  const { webhook, signing } = await secretsOf(parts, row.name);
  if (!webhook) throw permanent("report.secret", "The address of the webhook is not there: add it again.");
  const { id, subscription, edition, subject, markdown, html, entries, more, at } = report;
  const content = { md: { markdown }, html: { html }, json: { entries, more } }[row.spec.format];
  const data = { id, subscription, edition, subject, ...content };
  const body = JSON.stringify({ type: "report.published", timestamp: at, data });
  await openWebhook(webhook, signing ?? null).send(id, body, { now: parts.now(), signal });
};

const bySlack: Way = async (parts, { row, report, signal }) => {
  const { slack } = await secretsOf(parts, row.name);
  if (!slack) throw permanent("report.secret", "The address of Slack is not there: add it again.");
  await sendSlack(slack, { subject: report.subject, text: plainOf(report) }, signal);
};

/** Slack has a special language; plain lines read well there. */
const plainOf = ({ entries, more }: Report): string =>
  [
    ...entries.map(({ version, changes, link }) =>
      [version.title, `  ${changes.join("; ")}`, ...(link === null ? [] : [`  ${link}`])].join("\n"),
    ),
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join("\n");

const byFeed: Way = async ({ database }, { row, target }) => {
  const items = await newestReports(database, row.name, feedItemsMax);
  const info = { name: row.name, site: row.spec.site };
  await mkdir(target.to, { recursive: true });
  for (const [ending, content] of [
    ["atom.xml", atomFeed(info, items)],
    ["rss.xml", rssFeed(info, items)],
  ] as const) {
    const path = join(target.to, `${row.name}.${ending}`);
    await writeFile(`${path}.new`, content);
    await rename(`${path}.new`, path);
  }
};

const ways: Readonly<Record<ReportTarget["kind"], Way>> = {
  mail: byMail,
  webhook: byWebhook,
  slack: bySlack,
  feed: byFeed,
};

async function secretsOf({ database, vault }: CourierParts, name: string): Promise<SubscriptionSecrets> {
  const sealed = await readSubscriptionSecret(database, name);
  if (sealed === null) return {};
  return JSON.parse((await vault()).open(`subscription ${name}`, sealed)) as SubscriptionSecrets;
}

/** A report without news, to see whether recipients take reports at all. */
export const testReport = (name: string, now: Date): Report => ({
  id: `${name}/test-${now.getTime()}`,
  subscription: name,
  edition: 0,
  thread: `${name}.test`,
  ...renderEdition({ about: `${name}, test`, entries: [], more: 0, since: now.toISOString() }),
  entries: [],
  more: 0,
  at: now.toISOString(),
});
