/** Replacement for characters not allowed in a key. */
const unspeakable = "\ufffd";

/**
 * The name of an archive within its list, the same for every read and every wrapping: without the suffix of a
 * compression, and without a maildir's flags.
 */
export function archiveKey(
  names: readonly string[],
  options: { readonly keepsSuffix?: boolean } = {},
): string {
  const parts = names.flatMap((name) => name.split("/")).filter((part) => part !== "" && part !== ".");
  const name = parts.at(-1);
  if (name === undefined) return "mail";
  const folders = parts.slice(0, -1);
  const inMaildir = folders.at(-1) === "cur" || folders.at(-1) === "new";
  const home = inMaildir ? folders.slice(0, -1) : folders;
  const bare = options.keepsSuffix ? name : stripPacking(name);
  return normalise([...home, withoutFlags(bare)].join("/"));
}

/** `2005-May.txt.gz` is `2005-May.txt`, `list.tar.gz` and `list.tgz` are `list`. */
export function stripPacking(name: string): string {
  const stripped = name.replace(/\.(tar\.gz|tgz|tar|zip|gz|gzip|z)$/i, "");
  return stripped === "" ? name : stripped;
}

/** `1204.M2P9.host:2,RS` is `1204.M2P9.host`; systems without colons in names write `;` or `!`. */
const withoutFlags = (name: string) => name.replace(/(.)[:;!]2,[A-Za-z]*$/, "$1");

/** One spelling, without characters harmful to a database or a terminal. */
const normalise = (key: string) => showName(key).normalize("NFC");

/** A printable name: control characters could rule a terminal, and half a character is none. */
export function showName(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Surrogate}]/gu, unspeakable);
}
