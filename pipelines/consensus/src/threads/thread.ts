import { findAncestors } from "./find-ancestors.ts";
import { type Forest, makeForest } from "./forest.ts";
import { joinBySubject } from "./join-by-subject.ts";
import { type Header, type Message, orderMessages } from "./order-messages.ts";

export type { Header } from "./order-messages.ts";

export interface Thread {
  /** Message-ID of the root, possibly of a missing message: a stable key, even after its arrival. */
  readonly root: string;
  /** Of the first message, without prefixes and list tags. */
  readonly subject: string;
  /** Depth first, siblings by date, then id; the parent is the nearest existing ancestor. */
  readonly members: readonly { readonly id: string; readonly parent: string | null }[];
  /** Members without a parent. */
  readonly roots: readonly string[];
}

/**
 * Jamie Zawinski's threading as a pure function of the set of headers: independent of order and repetition, so adding
 * a message gives the same as threading everything anew.
 */
export function threadMessages(headers: readonly Header[]): readonly Thread[] {
  const messages = orderMessages(headers);
  const forest = makeForest();
  for (let added = 0; added < messages.length; added += 1) forest.add();
  const archive = nameNodes(messages, forest);
  for (const message of messages) linkToPresent(message, archive);
  for (const message of messages) linkToMissing(message, archive);
  for (const message of messages) linkChain(message, archive);
  joinBySubject(messages, forest);
  return collectThreads(archive);
}

interface Archive {
  readonly messages: readonly Message[];
  readonly forest: Forest;
  /** Node of a Message-ID; nodes from `messages.length` on are missing messages. */
  readonly nodes: Map<string, number>;
  readonly missing: string[];
}

/** The first message with an id owns the id; another message with the same id is threaded by its references. */
function nameNodes(messages: readonly Message[], forest: Forest): Archive {
  const nodes = new Map<string, number>();
  for (const { node, header } of messages) {
    if (header.messageId !== "" && !nodes.has(header.messageId)) nodes.set(header.messageId, node);
  }
  return { messages, forest, nodes, missing: [] };
}

/**
 * The parent is the message of In-Reply-To, else the last reference, among existing messages. If both exist and
 * differ, Mailman and notmuch follow In-Reply-To: References get cut, merged and (by Debbugs) reversed in transit. A
 * link that would close a loop is not made, so the latest message of a loop ends up at its top.
 */
function linkToPresent({ node, header }: Message, { forest, nodes }: Archive): void {
  const follow = (id: string): boolean => {
    const parent = nodes.get(id);
    return parent !== undefined && forest.link(node, parent);
  };
  if (header.inReplyTo !== null && follow(header.inReplyTo)) return;
  for (let last = header.references.length - 1; last >= 0; last -= 1) {
    if (follow(header.references[last] as string)) return;
  }
}

/** Answers to one missing message belong together. */
function linkToMissing({ node, header }: Message, archive: Archive): void {
  const follow = (id: string): boolean => {
    const parent = nodeOf(id, archive);
    return parent !== null && archive.forest.link(node, parent);
  };
  for (let last = header.references.length - 1; last >= 0; last -= 1) {
    if (archive.forest.parentOf(node) !== -1 || follow(header.references[last] as string)) return;
  }
  // Old mailers put a person's address here, so this counts less than a reference.
  if (header.inReplyTo !== null) follow(header.inReplyTo);
}

/**
 * The order of one message's references gives the parents of missing messages, and of answers with lost references.
 */
function linkChain({ header }: Message, archive: Archive): void {
  const { messages, forest } = archive;
  let parent: number | null = null;
  for (const id of header.references) {
    const child = nodeOf(id, archive);
    if (child === null) continue;
    const present = messages[child];
    if (parent !== null && (present === undefined || lostItsReferences(present))) forest.link(child, parent);
    parent = child;
  }
}

const lostItsReferences = ({ header, subject }: Message): boolean =>
  subject.isReply && header.inReplyTo === null && header.references.length === 0;

function nodeOf(id: string, { messages, forest, nodes, missing }: Archive): number | null {
  if (id === "") return null;
  const known = nodes.get(id);
  if (known !== undefined) return known;
  const node = forest.add();
  nodes.set(id, node);
  missing[node - messages.length] = id;
  return node;
}

function collectThreads({ messages, forest, nodes, missing }: Archive): readonly Thread[] {
  const { nearest, tops } = findAncestors(messages.length, forest);
  const children = listChildren(nearest.slice(0, messages.length));
  const groups = new Map<number, number[]>();
  for (const { node } of messages) {
    if (nearest[node] !== -1) continue;
    const group = forest.groupOf(node);
    const roots = groups.get(group);
    if (roots === undefined) groups.set(group, [node]);
    else roots.push(node);
  }
  const idOf = (node: number): string => (messages[node] as Message).header.id;
  const keyOf = (node: number): string => {
    const message = messages[node];
    if (message === undefined) return missing[node - messages.length] as string;
    const { id, messageId } = message.header;
    return nodes.get(messageId) === node ? messageId : `${messageId} ${id}`;
  };
  return [...groups.values()].map((roots) => ({
    root: keyOf(tops[roots[0] as number] as number),
    subject: (messages[roots[0] as number] as Message).subject.text,
    members: walk(roots, children).map((node) => {
      const parent = nearest[node] as number;
      return { id: idOf(node), parent: parent === -1 ? null : idOf(parent) };
    }),
    roots: roots.map(idOf),
  }));
}

interface Children {
  readonly first: readonly number[];
  readonly next: readonly number[];
}

/** Nodes are in order of date, so filling from the end leaves every list in this order. */
function listChildren(nearest: readonly number[]): Children {
  const first: number[] = new Array(nearest.length).fill(-1);
  const next: number[] = new Array(nearest.length).fill(-1);
  for (let node = nearest.length - 1; node >= 0; node -= 1) {
    const parent = nearest[node] as number;
    if (parent === -1) continue;
    next[node] = first[parent] as number;
    first[parent] = node;
  }
  return { first, next };
}

/** Depth first, without recursion: a conversation may be deeper than the stack. */
function walk(roots: readonly number[], { first, next }: Children): readonly number[] {
  const order: number[] = [];
  for (const root of roots) {
    const open = [root];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      order.push(node);
      const sibling = next[node] as number;
      if (sibling !== -1) open.push(sibling);
      const child = first[node] as number;
      if (child !== -1) open.push(child);
    }
  }
  return order;
}
