import { DefinitionError, packageError } from "../define/definition-error.ts";
import { Undelivered } from "./alert-channel.ts";

/** A mail to a recipient; a repeated attempt has the same `messageId`. */
export interface OutgoingMail {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  readonly messageId: string;
  readonly inReplyTo?: string;
  readonly references?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends mails by SMTP; throws `Undelivered` if the server refused a mail.
 *
 * @example
 * import { openMailer } from "@headway/engine";
 *
 * export const tell = (text: string) =>
 *   openMailer("smtps://user:password@mail.example.org").send({
 *     from: "headway@example.org",
 *     to: "ann@example.org",
 *     subject: "News",
 *     text,
 *     messageId: "<news-1@example.org>",
 *     headers: {},
 *   });
 */
export function openMailer(server: string): { send(mail: OutgoingMail): Promise<void> } {
  const transport = transportOf(server);
  return {
    async send(mail) {
      const mailer = await loadMailer();
      const connection = mailer.createTransport(transport);
      try {
        await connection.sendMail({ ...mail, disableFileAccess: true, disableUrlAccess: true });
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
