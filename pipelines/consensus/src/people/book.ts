import { keysOf, nameWords, rootOf } from "../weigh/people.ts";

/** An author as written in mails. */
export interface Author {
  readonly name: string;
  readonly address: string;
  readonly messages: number;
  readonly lists: readonly string[];
  readonly firstDate: string | null;
  readonly lastDate: string | null;
}

/** A reviewer's word about people, from the audit; the latest word holds. */
export interface PeopleDecision {
  readonly act: number;
  readonly at: Date;
  readonly by: string;
  readonly kind: "merge" | "split";
  /** Addresses of a single person, or each of a separate person. */
  readonly addresses: readonly string[];
  readonly why: string | null;
}

/** One person with all names and addresses, and the evidence for joining. */
export interface KnownPerson {
  /** The most used address. */
  readonly id: string;
  readonly name: string;
  readonly names: readonly string[];
  readonly addresses: readonly { readonly address: string; readonly messages: number }[];
  readonly messages: number;
  readonly lists: readonly string[];
  readonly firstDate: string | null;
  readonly lastDate: string | null;
  readonly because: readonly string[];
}

export interface PeopleBook {
  /** By number of messages. */
  readonly people: readonly KnownPerson[];
  /** The same for all names and addresses of a person. */
  keyOf(person: { readonly name: string; readonly address: string }): string;
  /** By address or part of a name. */
  find(given: string): readonly KnownPerson[];
}

type Named = Pick<Author, "name" | "address">;

/**
 * Joins authors by rules (one address, one full name, an address rewritten by a list) and by the words of reviewers,
 * which also part people joined by rules.
 */
export function makePeopleBook(
  authors: readonly Author[],
  decisions: readonly PeopleDecision[] = [],
): PeopleBook {
  const { merged, apart } = replay(decisions);
  const parents = new Map<string, string>();
  const keys = (author: Named): readonly string[] => {
    const address = plain(author.address);
    const own = apart.has(address) ? [`apart ${address}`] : keysOf(author);
    const joined = merged.flatMap(({ act, addresses }) =>
      addresses.includes(address) ? [`act ${act}`] : [],
    );
    return [...own, ...joined];
  };
  for (const author of authors) {
    const [first, ...others] = keys(author);
    for (const other of others) parents.set(rootOf(parents, other), rootOf(parents, first!));
  }
  const keyOf = (person: Named): string => rootOf(parents, keys(person)[0]!);
  const groups = new Map<string, Author[]>();
  for (const author of authors) groups.set(keyOf(author), [...(groups.get(keyOf(author)) ?? []), author]);
  const people = [...groups.values()]
    .map((group) => toPerson(group, keys, merged))
    .sort((a, b) => b.messages - a.messages || (a.id < b.id ? -1 : 1));
  return { people, keyOf, find: (given) => findPeople(people, given) };
}

const plain = (address: string): string => address.trim().toLowerCase();

/** Merges in force, and addresses parted against the rules. */
function replay(decisions: readonly PeopleDecision[]): {
  readonly merged: readonly PeopleDecision[];
  readonly apart: ReadonlySet<string>;
} {
  let merged: PeopleDecision[] = [];
  const apart = new Set<string>();
  for (const decision of [...decisions].sort((a, b) => a.act - b.act)) {
    const addresses = decision.addresses.map(plain);
    if (decision.kind === "split") {
      for (const address of addresses) apart.add(address);
      merged = merged.map((one) => ({
        ...one,
        addresses: one.addresses.filter((address) => !addresses.includes(address)),
      }));
    } else merged.push({ ...decision, addresses });
  }
  return { merged, apart };
}

function toPerson(
  group: readonly Author[],
  keys: (author: Author) => readonly string[],
  merged: readonly PeopleDecision[],
): KnownPerson {
  const addresses = tally(group, ({ address }) => plain(address));
  const names = tally(group, ({ name }) => name.trim()).filter(([name]) => name !== "");
  const dates = group.flatMap(({ firstDate, lastDate }) => [firstDate ?? [], lastDate ?? []].flat()).sort();
  const full = names.find(([name]) => nameWords(name).length >= 2) ?? names[0];
  return {
    id: addresses[0]?.[0] ?? "",
    name: full?.[0] ?? addresses[0]?.[0] ?? "",
    names: names.map(([name]) => name),
    addresses: addresses.map(([address, messages]) => ({ address, messages })),
    messages: group.reduce((sum, { messages }) => sum + messages, 0),
    lists: [...new Set(group.flatMap(({ lists }) => lists))].sort(),
    firstDate: dates[0] ?? null,
    lastDate: dates.at(-1) ?? null,
    because: addresses.length < 2 ? [] : evidenceOf(group, keys, merged),
  };
}

/** Values with their messages, the most used first. */
function tally(group: readonly Author[], of: (author: Author) => string): [string, number][] {
  const counts = new Map<string, number>();
  for (const author of group) counts.set(of(author), (counts.get(of(author)) ?? 0) + author.messages);
  return [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
}

/** A sentence for each key shared by two addresses. */
function evidenceOf(
  group: readonly Author[],
  keys: (author: Author) => readonly string[],
  merged: readonly PeopleDecision[],
): string[] {
  const sharing = new Map<string, Set<string>>();
  for (const author of group)
    for (const key of keys(author))
      sharing.set(key, (sharing.get(key) ?? new Set()).add(plain(author.address)));
  return [...sharing].flatMap(([key, addresses]) => {
    if (addresses.size < 2) return [];
    const listed = [...addresses].sort().join(", ");
    if (key.startsWith("name ")) return [`the name “${key.slice(5)}” stands with ${listed}`];
    if (key.startsWith("address ")) return [`${listed}: one address, rewritten by a list`];
    const decision = merged.find(({ act }) => key === `act ${act}`);
    if (!decision) return [];
    const why = decision.why ? `: ${decision.why}` : "";
    return [`${decision.by} merged ${listed} on ${decision.at.toISOString().slice(0, 10)}${why}`];
  });
}

/** An address names one person; part of a name may name several. */
function findPeople(people: readonly KnownPerson[], given: string): readonly KnownPerson[] {
  const wanted = plain(given);
  const exact = people.filter(({ addresses }) => addresses.some(({ address }) => address === wanted));
  if (exact.length > 0) return exact;
  const words = nameWords(given).join(" ");
  const same = people.filter(({ names }) => names.some((name) => nameWords(name).join(" ") === words));
  if (same.length > 0) return same;
  return people.filter(({ names, addresses }) =>
    [...names, ...addresses.map(({ address }) => address)].some((text) =>
      text.toLowerCase().includes(wanted),
    ),
  );
}
