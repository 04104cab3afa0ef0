import { permanent } from "@headway/engine";
import {
  type Answer,
  type ImapConnection,
  type ImapPlace,
  ImapRefusal,
  isLoopback,
  openImap,
} from "./imap-connection.ts";

export interface ImapLogin extends ImapPlace {
  readonly user: string;
  /** A password, or with the prefix `oauth:` an access token. */
  readonly secret: string;
  readonly mailbox: string;
}

/** A mailbox opened for reading only: no flag is changed. */
export interface Mailbox {
  /** Changes when the server has forgotten its numbers. */
  readonly validity: number;
  /** Numbers of mails above `after`, in order, at most so many. */
  uidsAfter(after: number, limit: number): Promise<number[]>;
  /** Bytes of present mails, by number. */
  sizes(uids: readonly number[]): Promise<ReadonlyMap<number, number>>;
  fetch(uids: readonly number[], each: (mail: FetchedMail) => Promise<void>): Promise<void>;
  /** Resolves when the number of mails may have changed; at once if the server has no IDLE. */
  wait(timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}

export interface FetchedMail {
  readonly uid: number;
  readonly bytes: Buffer;
}

export async function openMailbox(login: ImapLogin, signal: AbortSignal): Promise<Mailbox> {
  const connection = await openImap(login, signal);
  try {
    await logIn(connection, login);
    return await examine(connection, login);
  } catch (error) {
    connection.close();
    throw error;
  }
}

async function logIn(connection: ImapConnection, { host, user, secret }: ImapLogin): Promise<void> {
  let capabilities = await capabilitiesOf(connection);
  if (!connection.isSecure && capabilities.has("STARTTLS")) {
    await connection.secure();
    capabilities = await capabilitiesOf(connection);
  }
  if (!connection.isSecure && !isLoopback(host))
    throw permanent(
      "imap.insecure",
      `${host} offers no TLS, and a password is not sent without it: use imaps://.`,
    );
  const token = secret.startsWith("oauth:") ? secret.slice("oauth:".length) : null;
  const initial = token === null ? `\0${user}\0${secret}` : `user=${user}\x01auth=Bearer ${token}\x01\x01`;
  const encoded = Buffer.from(initial, "utf8").toString("base64");
  const [mechanism, shown] = [token === null ? "PLAIN" : "XOAUTH2", "AUTHENTICATE"];
  let asked = 0;
  try {
    // The second question of XOAUTH2 explains a refusal, and is answered by an empty line.
    await connection.command(`AUTHENTICATE ${mechanism}`, {
      more: () => (asked++ === 0 ? encoded : ""),
      shown,
    });
  } catch (error) {
    if (!(error instanceof ImapRefusal)) throw error;
    if (/^NO \[(UNAVAILABLE|INUSE|LIMIT)\]/i.test(error.message)) throw error;
    throw permanent("imap.login", `${host} refuses the login of ${user}.`);
  }
}

async function capabilitiesOf(connection: ImapConnection): Promise<ReadonlySet<string>> {
  const answers = await connection.command("CAPABILITY");
  return new Set(answers.flatMap(({ text }) => text.toUpperCase().split(" ").slice(2)));
}

async function examine(connection: ImapConnection, { host, mailbox }: ImapLogin): Promise<Mailbox> {
  const answers = await connection
    .command(`EXAMINE ${quoted(encodeMailbox(mailbox))}`)
    .catch((error: unknown) => {
      if (error instanceof ImapRefusal)
        throw permanent("imap.mailbox", `${host} has no mailbox ${mailbox}: ${error.message}`);
      throw error;
    });
  const code = (name: string) => {
    const found = answers
      .map(({ text }) => new RegExp(`\\[${name} (\\d+)\\]`, "i").exec(text)?.[1])
      .find(Boolean);
    return Number(found ?? 0);
  };
  const idles = (await capabilitiesOf(connection)).has("IDLE");
  return {
    validity: code("UIDVALIDITY"),
    uidsAfter: (after, limit) => searchUids(connection, { after, limit, nextUid: code("UIDNEXT") }),
    async sizes(uids) {
      const answers = await connection.command(`UID FETCH ${ranges(uids)} (UID RFC822.SIZE)`);
      return new Map(
        answers.flatMap(({ text }) => {
          const [uid, size] = [/\bUID (\d+)/i, /\bRFC822\.SIZE (\d+)/i].map((one) => one.exec(text)?.[1]);
          return uid && size ? [[Number(uid), Number(size)] as const] : [];
        }),
      );
    },
    async fetch(uids, each) {
      if (uids.length === 0) return;
      await connection.command(`UID FETCH ${ranges(uids)} (UID BODY.PEEK[])`, {
        each: async (answer) => {
          const mail = mailOf(answer);
          if (mail) await each(mail);
        },
      });
    },
    async wait(timeoutMs) {
      if (idles) await connection.idle(timeoutMs);
    },
    async close() {
      await connection.command("LOGOUT").catch(() => undefined);
      connection.close();
    },
  };
}

/** Numbers asked about at once: a mailbox of a million mails answers in lines of a size for memory. */
const searchWindow = 50_000;

async function searchUids(
  connection: ImapConnection,
  { after, limit, nextUid }: { readonly after: number; readonly limit: number; readonly nextUid: number },
): Promise<number[]> {
  const found: number[] = [];
  for (let from = after + 1; found.length < limit; from += searchWindow) {
    const isLast = nextUid === 0 || from + searchWindow >= nextUid;
    const answers = await connection.command(
      `UID SEARCH UID ${from}:${isLast ? "*" : from + searchWindow - 1}`,
    );
    const uids = answers
      .filter(({ text }) => /^\* SEARCH\b/i.test(text))
      .flatMap(({ text }) => text.split(" ").slice(2).map(Number));
    // The star stands for the last mail, even if its number is smaller.
    found.push(...uids.filter((uid) => Number.isInteger(uid) && uid >= from).sort((a, b) => a - b));
    if (isLast) break;
  }
  return found.slice(0, limit);
}

/** `* 12 FETCH (UID 34 BODY[] {5}…)`; a mail deleted meanwhile has no literal. */
function mailOf({ text, literals }: Answer): FetchedMail | null {
  if (!/^\* \d+ FETCH\b/i.test(text)) return null;
  const uid = Number(/\bUID (\d+)/i.exec(text)?.[1] ?? 0);
  const at = /BODY\[\] ?\0(\d+)\0/i.exec(text)?.[1];
  const bytes = at === undefined ? undefined : literals[Number(at)];
  return uid > 0 && bytes ? { uid, bytes } : null;
}

export function ranges(uids: readonly number[]): string {
  const parts: string[] = [];
  for (let at = 0; at < uids.length; ) {
    let end = at;
    while (end + 1 < uids.length && uids[end + 1] === (uids[end] as number) + 1) end++;
    parts.push(end === at ? `${uids[at]}` : `${uids[at]}:${uids[end]}`);
    at = end + 1;
  }
  return parts.join(",");
}

const quoted = (text: string): string => `"${text.replace(/[\r\n\0]/g, "").replace(/["\\]/g, "\\$&")}"`;

/** Modified UTF-7 of RFC 3501. */
export const encodeMailbox = (name: string): string =>
  name.replace(/&/g, "&-").replace(/[^ -~]+/g, (run) => {
    const utf16 = Buffer.from(run, "utf16le").swap16().toString("base64");
    return `&${utf16.replaceAll("=", "").replaceAll("/", ",")}-`;
  });
