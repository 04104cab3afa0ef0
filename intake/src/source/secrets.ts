import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { DefinitionError } from "@headway/engine";

/** Encrypts secrets of sources. The key never is in the database, so a dump or a backup reveals none. */
export interface Vault {
  seal(name: string, secret: string): string;
  /** Throws a `DefinitionError` if no key of this process fits. */
  open(name: string, sealed: string): string;
  /** Whether the newest key sealed it. */
  isCurrent(sealed: string): boolean;
}

export const secretKeyVariable = "HEADWAY_SECRET_KEY";
const keyFile = "secret.key";

/**
 * The vault of an installation. Keys are 32 bytes in base64 from `HEADWAY_SECRET_KEY`, several separated by spaces
 * during a rotation: the first seals, all open. Without the variable a key is kept in the data folder, beside the
 * database and not in it.
 */
export async function openVault({
  env,
  data,
}: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly data: string;
}): Promise<Vault> {
  const given = env[secretKeyVariable]?.trim();
  return makeVault(given ? given.split(/\s+/).map(decodeKey) : [await keyIn(data)]);
}

function decodeKey(text: string): Buffer {
  const key = Buffer.from(text, "base64");
  if (key.length === 32) return key;
  throw new DefinitionError(
    `${secretKeyVariable} holds no key of 32 bytes in base64: make one with "openssl rand -base64 32".`,
  );
}

async function keyIn(folder: string): Promise<Buffer> {
  const path = join(folder, keyFile);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(path, `${randomBytes(32).toString("base64")}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return decodeKey(readFileSync(path, "utf8").trim());
}

export function makeVault(keys: readonly Buffer[]): Vault {
  const named = keys.map((key) => ({ key, id: keyId(key) }));
  const [newest] = named;
  if (!newest) throw new DefinitionError("There is no key for secrets.");
  return {
    seal(name, secret) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", newest.key, nonce).setAAD(Buffer.from(name));
      const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      const parts = [nonce, cipher.getAuthTag(), text].map((part) => part.toString("base64"));
      return ["v1", newest.id, ...parts].join(".");
    },
    open(name, sealed) {
      const [version, id, nonce = "", tag = "", text = ""] = sealed.split(".");
      const found = named.find((one) => one.id === id);
      if (version !== "v1" || !found) throw noKey(name);
      try {
        const decipher = createDecipheriv("aes-256-gcm", found.key, Buffer.from(nonce, "base64"), {
          authTagLength: 16,
        })
          .setAAD(Buffer.from(name))
          .setAuthTag(Buffer.from(tag, "base64"));
        return `${decipher.update(Buffer.from(text, "base64"), undefined, "utf8")}${decipher.final("utf8")}`;
      } catch {
        throw noKey(name);
      }
    },
    isCurrent: (sealed) => sealed.split(".")[1] === newest.id,
  };
}

const noKey = (name: string) =>
  new DefinitionError(
    `The secret of source "${name}" cannot be opened with the keys of this process: check ${secretKeyVariable}, or give the secret again.`,
  );

/** Tells keys apart without revealing them. */
const keyId = (key: Buffer): string =>
  createHash("sha256").update("headway key ").update(key).digest("hex").slice(0, 8);
