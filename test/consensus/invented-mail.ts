/** A mail of an invented list, as it lies in an mbox. */
export interface MailSpec {
  readonly id: string;
  readonly from?: string;
  readonly subject?: string;
  readonly date?: string;
  readonly inReplyTo?: string;
  readonly text?: string;
}

export function aMail(spec: MailSpec): string {
  const { id, from = "Anna Lind <anna@example.org>", subject = "Tides", text = "Hello.", inReplyTo } = spec;
  const date = spec.date ?? "Mon, 4 Mar 2024 10:00:00 +0000";
  return [
    `From: ${from}`,
    `Date: ${date}`,
    `Message-ID: <${id}@example.org>`,
    ...(inReplyTo
      ? [`In-Reply-To: <${inReplyTo}@example.org>`, `References: <${inReplyTo}@example.org>`]
      : []),
    `Subject: ${subject}`,
    "",
    text,
    "",
  ].join("\n");
}

export const anMbox = (...mails: readonly MailSpec[]): string =>
  mails.map((mail) => `From anna@example.org Mon Mar  4 10:00:00 2024\n${aMail(mail)}\n`).join("");
