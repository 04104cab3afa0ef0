import { createHmac } from "node:crypto";
import { DefinitionError } from "../define/definition-error.ts";
import { type Moment, Undelivered } from "./alert-channel.ts";

const retryAfterMaxMs = 3_600_000;

/** Posts JSON without following redirects; the answer's body is not read. */
export async function post(
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

/**
 * Posts to an incoming webhook of Slack. `&`, `<` and `>` are escaped, so no text can mention a channel or a person.
 *
 * @example
 * import { sendSlack } from "@headway/engine";
 *
 * export const tell = (url: string, text: string) =>
 *   sendSlack(url, { subject: "News", text }, AbortSignal.timeout(10_000));
 */
export function sendSlack(
  url: string,
  { subject, text }: { readonly subject: string; readonly text: string },
  signal: AbortSignal,
): Promise<void> {
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
}

/**
 * Posts of Standard Webhooks, signed with a secret, or with two during a rotation. The id stays the same over attempts.
 *
 * @example
 * import { openWebhook } from "@headway/engine";
 *
 * const webhook = openWebhook("https://example.org/hook", null);
 * export const tell = (id: string, body: string) =>
 *   webhook.send(id, body, { now: new Date(), signal: AbortSignal.timeout(10_000) });
 */
export function openWebhook(
  url: string,
  secrets: string | null,
): { send(id: string, body: string, moment: Moment): Promise<void> } {
  const keys = (secrets ?? "")
    .split(" ")
    .filter((one) => one !== "")
    .map(keyOf);
  return {
    send(id, body, { now, signal }) {
      const timestamp = String(Math.floor(now.getTime() / 1_000));
      const headers = {
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        ...(keys.length > 0 && {
          "webhook-signature": keys.map((key) => signature(key, `${id}.${timestamp}.${body}`)).join(" "),
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
      "HEADWAY_ALERT_WEBHOOK_SECRET, or the secret of a subscription, is no secret of Standard Webhooks: whsec_ and at least 24 bytes in base64.",
    );
  return key;
}

const signature = (key: Buffer, content: string): string =>
  `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
