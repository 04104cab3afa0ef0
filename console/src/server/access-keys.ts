import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A reader sees, an operator acts. */
export const roles = ["reader", "operator"] as const;
export type Role = (typeof roles)[number];

/** The role of a reporting service: `POST /api/errors` takes such a key, no other door does. */
export const reportRole = "report";
export type KeyRole = Role | typeof reportRole;

/** A key of one person or machine. The key itself is shown once and never stored. */
export interface AccessKey {
  readonly name: string;
  readonly role: KeyRole;
  readonly sha256: string;
  readonly addedAt: string;
  readonly expiresAt: string | null;
}

const fileOf = (folder: string) => join(folder, "access.json");

/** All keys of a data folder; no file is no key. */
export async function readAccessKeys(folder: string): Promise<readonly AccessKey[]> {
  try {
    return JSON.parse(await readFile(fileOf(folder), "utf8")) as AccessKey[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

export interface NewKey {
  readonly name: string;
  readonly role: KeyRole;
  readonly expiresAt: Date | null;
}

/** Adds a key, or replaces the key of the same name; returns the text to hand to its owner. */
export async function addAccessKey(folder: string, { name, role, expiresAt }: NewKey): Promise<string> {
  const key = `hw_${randomBytes(24).toString("base64url")}`;
  const added: AccessKey = {
    name,
    role,
    sha256: digest(key).toString("hex"),
    addedAt: new Date().toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
  };
  await inTurn(folder, async () => {
    const others = (await readAccessKeys(folder)).filter((one) => one.name !== name);
    await write(folder, [...others, added]);
  });
  return key;
}

/** False: no key has this name. */
export async function removeAccessKey(folder: string, name: string): Promise<boolean> {
  return await inTurn(folder, async () => {
    const keys = await readAccessKeys(folder);
    const left = keys.filter((one) => one.name !== name);
    if (left.length === keys.length) return false;
    await write(folder, left);
    return true;
  });
}

const turns = new Map<string, Promise<unknown>>();

/** Two people may make keys at once: each change reads the keys after the change before. */
async function inTurn<T>(folder: string, change: () => Promise<T>): Promise<T> {
  const mine = (turns.get(folder) ?? Promise.resolve()).then(change);
  turns.set(
    folder,
    mine.catch(() => undefined),
  );
  return await mine;
}

async function write(folder: string, keys: readonly AccessKey[]): Promise<void> {
  const path = fileOf(folder);
  await writeFile(`${path}.new`, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** The entry of a valid key of a reader or operator; never the key of a reporter. */
export function findAccessKey(
  keys: readonly AccessKey[],
  key: string,
  now: Date,
): (AccessKey & { readonly role: Role }) | null {
  const found = findKey(keys, key, now);
  const { role } = found ?? {};
  return found && role !== undefined && role !== reportRole ? { ...found, role } : null;
}

/** Whether a key belongs to a reporter. */
export const mayReport = (keys: readonly AccessKey[], key: string, now: Date): boolean =>
  findKey(keys, key, now)?.role === reportRole;

function findKey(keys: readonly AccessKey[], key: string, now: Date): AccessKey | null {
  const given = digest(key);
  const found = keys.find((one) => timingSafeEqual(Buffer.from(one.sha256, "hex"), given));
  return found && isValid(found, now) ? found : null;
}

export const isValid = ({ expiresAt }: AccessKey, now: Date): boolean =>
  expiresAt === null || new Date(expiresAt) > now;

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
