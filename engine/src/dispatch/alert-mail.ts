import type { Notice } from "../decide/alert-text.ts";
import { DefinitionError } from "../define/definition-error.ts";
import type { Channel } from "./alert-channel.ts";
import { type OutgoingMail, openMailer } from "./send-mail.ts";

/** Mail by SMTP. Follow-ups of an alert are replies in one thread; a repeated attempt has the same Message-ID. */
export function openMail({ server, recipients, from }: MailOptions): Channel {
  const targets = recipients.split(",").map((one) => one.trim());
  for (const address of [...targets, from])
    if (!/^[^\s@<>,;:"]{1,64}@[^\s@<>,;:"]{1,255}$/.test(address))
      throw new DefinitionError(
        `"${address}" is no mail address; name plain addresses, separated by commas.`,
      );
  const mailer = openMailer(server);
  const domain = from.slice(from.indexOf("@") + 1);
  return {
    name: "mail",
    targets,
    send: (notice, target) => mailer.send(mailOf(notice, { from, to: target, domain })),
  };
}

interface MailOptions {
  readonly server: string;
  readonly recipients: string;
  readonly from: string;
}

function mailOf(
  { id, kind, thread, subject, text }: Notice,
  { from, to, domain }: { readonly from: string; readonly to: string; readonly domain: string },
): OutgoingMail {
  const first = `<${thread}@${domain}>`;
  return {
    from,
    to,
    subject,
    text,
    // The first notice of an alert opens the thread.
    messageId: kind === "opened" ? first : `<${id}@${domain}>`,
    ...(kind !== "opened" && { inReplyTo: first, references: first }),
    headers: { "Auto-Submitted": "auto-generated" },
  };
}
