import type { Notice } from "../decide/alert-text.ts";
import type { Channel } from "./alert-channel.ts";
import { openWebhook, post, sendSlack } from "./send-posts.ts";

/** The host is enough to tell recipients apart, and holds no secret. */
const hostOf = (url: string): string => new URL(url).host;

export const slackChannel = (url: string): Channel => ({
  name: "slack",
  targets: [hostOf(url)],
  send: (notice, _, { signal }) => sendSlack(url, notice, signal),
});

/** Standard Webhooks: the id stays the same over attempts, so a receiver knows a repetition. */
export function webhookChannel(url: string, secrets: string | null): Channel {
  const webhook = openWebhook(url, secrets);
  return {
    name: "webhook",
    targets: [hostOf(url)],
    send: (notice, _, moment) => {
      const body = JSON.stringify({ type: `alert.${notice.kind}`, timestamp: notice.at, data: notice });
      return webhook.send(notice.id, body, moment);
    },
  };
}

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
