import type { Notice } from "../decide/alert-text.ts";
import { DefinitionError, packageError } from "../define/definition-error.ts";
import { type Channel, Undelivered } from "./alert-channel.ts";

/** The part of nodemailer in use. */
interface Mailer {
  createTransport(options: object): { sendMail(mail: object): Promise<unknown>; close(): void };
}

async function loadMailer(): Promise<Mailer> {
  try {
    const name = "nodemailer";
    const { default: mailer } = (await import(name)) as { default: Mailer };
    return mailer;
  } catch (error) {
    throw packageError(error, { name: "nodemailer", purpose: "or unset HEADWAY_ALERT_MAIL_TO" });
  }
}

const patienceMs = 10_000;

/** Mail by SMTP. Follow-ups of an alert are replies in one thread; a repeated attempt has the same Message-ID. */
export function openMail({ server, recipients, from }: MailOptions): Channel {
  const targets = recipients.split(",").map((one) => one.trim());
  for (const address of [...targets, from])
    if (!/^[^\s@<>,;:"]{1,64}@[^\s@<>,;:"]{1,255}$/.test(address))
      throw new DefinitionError(
        `"${address}" is no mail address; name plain addresses, separated by commas.`,
      );
  const transport = transportOf(server);
  const domain = from.slice(from.indexOf("@") + 1);
  return {
    name: "mail",
    targets,
    async send(notice, target) {
      const mailer = await loadMailer();
      const connection = mailer.createTransport(transport);
      try {
        await connection.sendMail(mailOf(notice, { from, to: target, domain }));
      } catch (error) {
        const { responseCode = 0, code = "failed" } = error as { responseCode?: number; code?: string };
        const answer = responseCode > 0 ? `answered ${responseCode}` : code;
        throw new Undelivered(`the mail server ${answer}`, { final: responseCode >= 500 });
      } finally {
        connection.close();
      }
    },
  };
}

interface MailOptions {
  readonly server: string;
  readonly recipients: string;
  readonly from: string;
}

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host);

/** TLS is required, except on this machine. */
function transportOf(server: string): object {
  if (!URL.canParse(server) || !/^smtps?:$/.test(new URL(server).protocol))
    throw new DefinitionError("HEADWAY_SMTP_URL is no address; it begins with smtp:// or smtps://.");
  const { protocol, hostname, port, username, password } = new URL(server);
  const secure = protocol === "smtps:";
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || (secure ? 465 : 587)),
    secure,
    requireTLS: !secure && !isLoopback(hostname),
    ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: patienceMs,
    greetingTimeout: patienceMs,
    socketTimeout: patienceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function mailOf(
  { id, kind, thread, subject, text }: Notice,
  { from, to, domain }: { readonly from: string; readonly to: string; readonly domain: string },
): object {
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
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
