import { DefinitionError } from "../define/definition-error.ts";
import type { Channel } from "./alert-channel.ts";
import { openMail } from "./alert-mail.ts";
import { alertmanagerChannel, pagerDutyChannel, slackChannel, webhookChannel } from "./alert-posts.ts";

/** Variables of the channels, with their meaning. */
export const channelVariables = {
  HEADWAY_ALERT_MAIL_TO: "recipients of alerts by mail, separated by commas; needs `HEADWAY_SMTP_URL`",
  HEADWAY_ALERT_MAIL_FROM: "the sender of these mails; `headway@localhost`",
  HEADWAY_SMTP_URL:
    "the mail server: `smtps://user:password@host:465`, or `smtp://host:587` with STARTTLS, which only loopback addresses may lack",
  HEADWAY_ALERT_SLACK_URL: "an incoming webhook of Slack, or of a service that takes the same",
  HEADWAY_ALERT_WEBHOOK_URL: "an address that takes alerts as Standard Webhooks",
  HEADWAY_ALERT_WEBHOOK_SECRET:
    "signs these requests: `whsec_…`; two, separated by a space, during a rotation",
  HEADWAY_ALERT_PAGERDUTY_KEY: "the integration key of a PagerDuty service (Events API v2)",
  HEADWAY_ALERT_PAGERDUTY_URL:
    "another address with the same interface; `https://events.pagerduty.com/v2/enqueue`",
  HEADWAY_ALERT_ALERTMANAGER_URL: "the address of an Alertmanager, such as `http://127.0.0.1:9093`",
} as const;

type Variables = Readonly<Record<string, string | undefined>>;

/** The channels that are set up in the environment; none: alerts are only listed. */
export function openChannels(variables: Variables): readonly Channel[] {
  const value = (name: keyof typeof channelVariables) => variables[name]?.trim() || null;
  const address = (name: keyof typeof channelVariables) => {
    const text = value(name);
    if (text !== null && !isWebAddress(text))
      throw new DefinitionError(`${name} is no address; it begins with http:// or https://.`);
    return text;
  };
  const channels: Channel[] = [];
  const recipients = value("HEADWAY_ALERT_MAIL_TO");
  if (recipients !== null) {
    const server = value("HEADWAY_SMTP_URL");
    if (server === null)
      throw new DefinitionError("HEADWAY_ALERT_MAIL_TO needs a mail server: set HEADWAY_SMTP_URL.");
    channels.push(
      openMail({ server, recipients, from: value("HEADWAY_ALERT_MAIL_FROM") ?? "headway@localhost" }),
    );
  }
  const slack = address("HEADWAY_ALERT_SLACK_URL");
  if (slack !== null) channels.push(slackChannel(slack));
  const webhook = address("HEADWAY_ALERT_WEBHOOK_URL");
  if (webhook !== null) channels.push(webhookChannel(webhook, value("HEADWAY_ALERT_WEBHOOK_SECRET")));
  const key = value("HEADWAY_ALERT_PAGERDUTY_KEY");
  const events = address("HEADWAY_ALERT_PAGERDUTY_URL") ?? "https://events.pagerduty.com/v2/enqueue";
  if (key !== null) channels.push(pagerDutyChannel(events, key));
  const alertmanager = address("HEADWAY_ALERT_ALERTMANAGER_URL");
  if (alertmanager !== null) channels.push(alertmanagerChannel(alertmanager));
  return channels;
}

const isWebAddress = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
