import { createHash } from "node:crypto";
import { stripPacking } from "@headway/intake";

/**
 * Guesses a list's name from an archive's path, from the outside in: the last part that says
 * more than a date or a storage format.
 */
export function guessListName(names: readonly string[]): string {
  for (const name of names.toReversed()) {
    const bare = withoutDate(withoutEndings(name.slice(-nameLengthMax)));
    const guess = isGeneric(bare) ? "" : sanitise(bare);
    if (guess !== "") return guess;
  }
  return "mail";
}

/** For a web address: from the query, else the path, else the host. */
export function guessListNameOfUrl(url: URL): string {
  const asked = url.searchParams.get("list") ?? url.searchParams.get("l") ?? "";
  const domain = url.searchParams.get("domain") ?? "";
  const named = sanitise(asked.includes("@") || domain === "" ? asked : `${asked}@${domain}`);
  if (named !== "") return named;
  const parts = url.pathname.split("/").filter((part) => part !== "");
  return guessListName([url.hostname, ...parts.map(decode)]);
}

/** `[a-z0-9._-]`, where `dev@maven.apache.org` becomes its List-Id; empty only without any usable character. */
export function sanitise(name: string): string {
  const plain = name
    .slice(0, nameLengthMax)
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("@", ".")
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replaceAll(/([-._])[-._]+/g, "$1")
    .slice(0, lengthMax);
  const trimmed = trim(plain);
  if (trimmed !== "" || !/[\p{L}\p{N}]/u.test(name)) return trimmed;
  // A name in another script stays distinct from its neighbours.
  return `list-${createHash("sha256").update(name.normalize("NFC")).digest("hex").slice(0, 8)}`;
}

const lengthMax = 80;
const nameLengthMax = 1024;

const endings = /\.(mbox|mbx|mbs|mmdf|eml|msg|mail|txt|text|sbd|maildir|html?)$/i;

function withoutEndings(name: string): string {
  let bare = name;
  // A name has few endings, and a name of only endings must not take long.
  for (let count = 0; count < 4; count += 1) {
    const shorter = stripPacking(bare).replace(endings, "");
    if (shorter === bare || shorter === "") break;
    bare = shorter;
  }
  return bare.replace(/[:;!]2,[A-Za-z]*$/, "");
}

const month =
  "(?:0?[1-9]|1[0-2]|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|" +
  "oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|q[1-4]|h[12])";
const year = "(?:19|20)[0-9]{2}";
const date = `(?:${year}(?:[-_. ]?${month}(?:[-_. ]?[0-3]?[0-9])?)?|${month}[-_. ]?${year})`;
const dateOnly = new RegExp(`^(?:${date}|${month}|[0-9]+)$`, "i");
const dateAtEnd = new RegExp(`[-_. ]${date}$`, "i");

/** `quic-2023-05` is a part of `quic`. */
const withoutDate = (name: string) => (dateOnly.test(name) ? name : name.replace(dateAtEnd, ""));

/** Names of storage formats, not of topics. */
const generic = new Set(
  [
    "inbox mbox mboxes mbx mail mails mailbox mailboxes maildir messages message msg msgs eml emls raw export exports",
    "archive archives arch all list lists mailing-list mailing-lists mailman mailman2 mailman3 pipermail hyperkitty",
    "private public cur new tmp temp data dump dumps backup download downloads corpus corpora fixtures tests test src",
    "index thread threads author date subject attachments www html pub files resources unpacked t browse api",
  ].flatMap((line) => line.split(" ")),
);

function isGeneric(name: string): boolean {
  const bare = trim(name.toLowerCase());
  return bare === "" || generic.has(bare) || dateOnly.test(bare) || isMaildirName(bare);
}

/** `1204680122.m20p9.host`, `1204680122.27c448-1`, `1204680122_1.host`. */
const isMaildirName = (name: string) => /^[0-9]{9,10}[._]/.test(name);

const trim = (name: string) => name.replace(/^[-._ ]+/, "").replace(/[-._ ]{1,200}$/, "");

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
