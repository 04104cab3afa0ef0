import { createHmac } from "node:crypto";
import type { Notice } from "../decide/alert-text.ts";
import { DefinitionError } from "../define/definition-error.ts";
import { type Channel, Undelivered } from "./alert-channel.ts";

const retryAfterMaxMs = 3_600_000;

/** Posts JSON without following redirects; the answer's body is not read. */
async function post(
  url: string,
  body: string,
  {
    signal,
    headers = {},
  }: { readonly signal: AbortSignal; readonly headers?: Readonly<Record<string, string>> },
): Promise<void> {
  const { host } = new URL(url);
  let answer: Response;
  try {
    answer = await fetch(url, {
      method: "POST",
      body,
      redirect: "manual",
      signal,
      headers: { "content-type": "application/json", ...headers },
    });
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } };
    const reason = signal.aborted ? "no answer in time" : (cause?.code ?? "no connection");
    throw new Undelivered(`${host}: ${reason}`);
  }
  await answer.body?.cancel().catch(() => undefined);
  if (answer.ok) return;
  const seconds = Number(answer.headers.get("retry-after") ?? 0);
  const retryAfterMs = Number.isFinite(seconds) ? Math.min(Math.max(0, seconds * 1_000), retryAfterMaxMs) : 0;
  throw new Undelivered(`${host} answered ${answer.status}`, { final: answer.status === 410, retryAfterMs });
}

/** The host is enough to tell recipients apart, and holds no secret. */
const hostOf = (url: string): string => new URL(url).host;

/** Slack: `&`, `<` and `>` are escaped, so no text can mention a channel or a person. */
export const slackChannel = (url: string): Channel => ({
  name: "slack",
  targets: [hostOf(url)],
  send: ({ subject, text }, _, { signal }) => {
    const escaped = (some: string) =>
      some.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
    const block = (words: string) => ({ type: "section", text: { type: "mrkdwn", text: words } });
    const fenced = escaped(text).replaceAll("```", "'''").slice(0, 2_900);
    return post(
      url,
      JSON.stringify({
        text: escaped(subject),
        blocks: [block(`*${escaped(subject).replaceAll("*", " ")}*`), block(`\`\`\`${fenced}\`\`\``)],
      }),
      { signal },
    );
  },
});

/** Standard Webhooks: the id stays the same over attempts, so a receiver knows a repetition. */
export function webhookChannel(url: string, secrets: string | null): Channel {
  const keys = (secrets ?? "")
    .split(" ")
    .filter((one) => one !== "")
    .map(keyOf);
  return {
    name: "webhook",
    targets: [hostOf(url)],
    send: (notice, _, { now, signal }) => {
      const body = JSON.stringify({ type: `alert.${notice.kind}`, timestamp: notice.at, data: notice });
      const timestamp = String(Math.floor(now.getTime() / 1_000));
      const headers = {
        "webhook-id": notice.id,
        "webhook-timestamp": timestamp,
        ...(keys.length > 0 && {
          "webhook-signature": keys
            .map((key) => signature(key, `${notice.id}.${timestamp}.${body}`))
            .join(" "),
        }),
      };
      return post(url, body, { signal, headers });
    },
  };
}

function keyOf(secret: string): Buffer {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  if (!secret.startsWith("whsec_") || key.length < 24)
    throw new DefinitionError(
      "HEADWAY_ALERT_WEBHOOK_SECRET is no secret of Standard Webhooks: whsec_ and at least 24 bytes in base64.",
    );
  return key;
}

const signature = (key: Buffer, content: string): string =>
  `v1,${createHmac("sha256", key).update(content).digest("base64")}`;

const pagerDutySeverity: Readonly<Record<string, string>> = {
  low: "info",
  medium: "warning",
  high: "error",
  critical: "critical",
};

/** PagerDuty, Events API v2. */
export const pagerDutyChannel = (url: string, key: string): Channel => ({
  name: "pagerduty",
  targets: [hostOf(url)],
  send: (notice, _, { signal }) =>
    post(
      url,
      JSON.stringify({
        routing_key: key,
        event_action: notice.kind === "resolved" ? "resolve" : "trigger",
        dedup_key: notice.thread,
        payload: {
          summary: notice.subject,
          source: "headway",
          severity: pagerDutySeverity[notice.severity] ?? "warning",
          timestamp: notice.at,
          component: notice.key,
          custom_details: { text: notice.text, count: notice.count, rule: notice.rule },
        },
      }),
      { signal },
    ),
});

/** Alertmanager, API v2: a resolved alert has an end. */
export const alertmanagerChannel = (url: string): Channel => ({
  name: "alertmanager",
  targets: [hostOf(url)],
  send: ({ rule, key, severity, subject, text, at, kind, thread }: Notice, _, { signal }) => {
    const labels = { alertname: `Headway_${rule}`, key, severity, headway_alert: thread };
    const annotations = { summary: subject, description: text };
    const moment = kind === "resolved" ? { endsAt: at } : { startsAt: at };
    const body = JSON.stringify([{ labels, annotations, ...moment }]);
    return post(`${url.replace(/\/{1,20}$/, "")}/api/v2/alerts`, body, { signal });
  },
});
