import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { findAccessKey, isValid, type Role, readAccessKeys } from "./access-keys.ts";

/** The person behind a request. */
export interface Person {
  readonly name: string;
  readonly role: Role;
}

interface Session extends Person {
  /** Name of the access key; null: entered by a one-time link of the data folder's owner. */
  readonly key: string | null;
  readonly until: number;
}

const codeMs = 10 * 60_000;
const sessionMs = 12 * 3_600_000;
const codesMax = 1_000;

/**
 * Ways in: a one-time link, made for the owner of the data folder, or an access key. Both end in a signed cookie, which is valid
 * for twelve hours after its last use. The signature depends on the token of the folder, so sessions survive a restart.
 */
export function makeSessions({ token, data }: { readonly token: string; readonly data: string }) {
  const codes = new Map<string, Person & { readonly until: number }>();
  const secret = createHmac("sha256", token).update("console session").digest();
  const sign = (text: string) => createHmac("sha256", secret).update(text).digest("base64url");

  /** A new code for one entry within ten minutes. */
  function makeCode(person: Person): string {
    const now = Date.now();
    for (const [code, { until }] of codes) if (until < now || codes.size > codesMax) codes.delete(code);
    const code = randomBytes(12).toString("base64url");
    codes.set(code, { ...person, until: now + codeMs });
    return code;
  }

  /** The cookie for a code or a key; null: neither is valid. */
  async function enter(given: string): Promise<{ person: Person; cookie: string } | null> {
    const code = codes.get(given);
    codes.delete(given);
    if (code && code.until >= Date.now()) return open({ name: code.name, role: code.role, key: null });
    const key = findAccessKey(await readAccessKeys(data), given, new Date());
    return key ? open({ name: key.name, role: key.role, key: key.name }) : null;
  }

  function open({ name, role, key }: Omit<Session, "until">): { person: Person; cookie: string } {
    const session: Session = { name, role, key, until: Date.now() + sessionMs };
    const text = Buffer.from(JSON.stringify(session)).toString("base64url");
    return { person: { name, role }, cookie: `${text}.${sign(text)}` };
  }

  /** The session of a cookie; a removed or expired key ends its sessions. */
  async function read(request: IncomingMessage): Promise<{ person: Person; renewed: string | null } | null> {
    const session = verify(cookieOf(request));
    if (!session || session.until < Date.now()) return null;
    if (session.key !== null && !(await isStillKey(session.key, session.role))) return null;
    const person = { name: session.name, role: session.role };
    const old = session.until - Date.now() < sessionMs - 600_000;
    return { person, renewed: old ? open(session).cookie : null };
  }

  async function isStillKey(name: string, role: Role): Promise<boolean> {
    const key = (await readAccessKeys(data)).find((one) => one.name === name);
    return key !== undefined && key.role === role && isValid(key, new Date());
  }

  function verify(cookie: string | null): Session | null {
    const [text = "", signature = ""] = (cookie ?? "").split(".");
    const [expected, given] = [Buffer.from(sign(text)), Buffer.from(signature)];
    if (expected.length !== given.length || !timingSafeEqual(expected, given)) return null;
    return JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as Session;
  }

  return { makeCode, enter, read };
}

export type Sessions = ReturnType<typeof makeSessions>;

export const cookieName = "headway";

function cookieOf({ headers }: IncomingMessage): string | null {
  for (const part of (headers.cookie ?? "").split(";")) {
    const [name, value] = part.trim().split("=", 2);
    if (name === cookieName && value) return value;
  }
  return null;
}

/** Behind a proxy with TLS the cookie travels over TLS only. */
export function setCookie(request: IncomingMessage, value: string): string {
  const secure = request.headers["x-forwarded-proto"] === "https" ? "; Secure" : "";
  const age = value === "" ? 0 : sessionMs / 1_000;
  return `${cookieName}=${value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${age}${secure}`;
}
