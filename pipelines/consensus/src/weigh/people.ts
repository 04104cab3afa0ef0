import type { Person, Post } from "./findings.ts";

/** Authors of posts: each person once, for any number of addresses. */
export interface People {
  /** The author of a post, the same object for all posts of a person. */
  readonly authorOf: (post: Post) => Person;
  readonly all: readonly Person[];
}

/**
 * A person is an address, or a name if the address is shared; one full name under two addresses is one person,
 * while two people with only a first name are not.
 */
export function meetPeople(posts: readonly Post[]): People {
  const parents = new Map<string, string>();
  const keys = posts.map(({ from }) => keysOf(from));
  for (const [first, ...others] of keys) {
    for (const other of others) parents.set(rootOf(parents, other), rootOf(parents, first!));
  }
  const byRoot = new Map<string, Person>();
  const authors = new Map<Post, Person>();
  for (const [index, post] of posts.entries()) {
    const root = rootOf(parents, keys[index]![0]!);
    const { name, address } = post.from;
    const person = byRoot.get(root) ?? { name, address };
    byRoot.set(root, person);
    authors.set(post, person);
  }
  return { all: [...byRoot.values()], authorOf: (post) => authors.get(post) ?? post.from };
}

/** End of a chain of equal keys, with path compression. */
export function rootOf(parents: Map<string, string>, key: string): string {
  let root = key;
  for (let next = parents.get(root); next !== undefined && next !== root; next = parents.get(root))
    root = next;
  for (let at = key; at !== root; ) {
    const next = parents.get(at)!;
    parents.set(at, root);
    at = next;
  }
  return root;
}

/** The words of a name, plain: no accents, no titles, no "via list", surname last. */
export function nameWords(name: string): readonly string[] {
  const plain = name
    .slice(0, 200)
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/\([^()]{0,100}\)/g, " ")
    .replace(/\bvia\b.*$/, " ");
  const [surname, given] = plain.split(",", 2);
  const ordered = given?.trim() ? `${given} ${surname}` : plain;
  return ordered.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 0 && !titles.has(word));
}

/** A person's name in a sentence. */
export function nameOf(person: Person): string {
  const name = person.name.replace(/["“”<>\p{Cc}]/gu, "").trim();
  return name.slice(0, 80) || person.address.slice(0, 80) || "Somebody";
}

const titles = new Set("dr prof mr mrs ms jr sr phd".split(" "));

/** Keys of an author: two authors with a common key are one person. */
export function keysOf(from: Person): readonly string[] {
  const address = unmangled(from.address.trim().toLowerCase());
  const words = nameWords(from.name);
  const name = words.join(" ");
  const keys: string[] = [];
  if (address !== "" && !isShared(from, address)) keys.push(`address ${address}`);
  // Middle initials vary; a single word is not a full name.
  const full = words.filter((word, index) => word.length > 1 || index === 0 || index === words.length - 1);
  if (full.length >= 2 && full.some((word) => word.length > 1)) keys.push(`name ${full.join(" ")}`);
  if (keys.length === 0) keys.push(`only ${name || address}`);
  return keys;
}

/** An address used by several people: a list that rewrites senders, or a bot. */
function isShared({ name }: Person, address: string): boolean {
  if (nameWords(name).length === 0) return false;
  return (
    /\svia\s/i.test(name.slice(0, 200)) ||
    /^(?:no-?reply|notifications?|notify|do-?not-?reply|git(?:box|hub|lab)?|jira|gerrit|review|bugzilla|bugs|issues?|tracker)\b/.test(
      address,
    )
  );
}

/** Some lists write ann=40example.org@dmarc.list.org for ann@example.org. */
function unmangled(address: string): string {
  const mangled = /^([^@\s]{1,64})=40([^@\s]{1,200})@dmarc\./.exec(address);
  return mangled ? `${mangled[1]}@${mangled[2]}` : address;
}
