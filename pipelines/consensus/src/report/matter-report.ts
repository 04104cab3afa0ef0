import type { ThreadStory } from "../library/reading.ts";
import { findMentions, type Matter, type Mention } from "./matters.ts";
import { type PersonKey, plainKey } from "./person-key.ts";
import type { Person, PositionDocument } from "./thread-report.ts";

/** All words about a subject, over threads and lists. */
export interface MatterReport {
  readonly kind: "matter";
  readonly matter: Pick<Matter, "kind" | "name">;
  readonly lists: readonly string[];
  readonly firstDate: string | null;
  readonly lastDate: string | null;
  /** Number of messages with a mention. */
  readonly mentions: number;
  readonly people: number;
  /** In order of their number; empty for things without versions. */
  readonly versions: readonly MatterVersion[];
  readonly opinions: readonly Opinion[];
  readonly changes: readonly OpinionChange[];
  readonly decisions: readonly MatterDecision[];
  readonly threads: readonly MatterThread[];
}

export interface MatterVersion {
  readonly version: string;
  readonly firstDate: string | null;
  readonly firstMessage: string;
  readonly mentions: number;
  /** People by their last stance on this version. */
  readonly support: number;
  readonly object: number;
  readonly other: number;
}

/** A position in a message about the thing, or in an answer to such a message. */
export interface Opinion {
  /** The version in force; null: none was named before. */
  readonly version: string | null;
  readonly person: Person;
  readonly stance: PositionDocument["stance"];
  readonly at: string | null;
  readonly list: string;
  readonly thread: string;
  readonly message: string;
  readonly quote: string;
}

/** A person with another stance than before. */
export interface OpinionChange {
  readonly person: Person;
  readonly from: Opinion;
  readonly to: Opinion;
}

export interface MatterDecision {
  readonly version: string | null;
  readonly kind: string;
  readonly by: Person;
  readonly thread: string;
  readonly message: string;
  readonly quote: string;
}

export interface MatterThread {
  readonly thread: string;
  readonly list: string;
  readonly subject: string;
  readonly firstDate: string | null;
  readonly lastDate: string | null;
  readonly messages: number;
  readonly mentions: number;
  readonly level: string | null;
}

export function matterReport(
  matter: Matter,
  stories: readonly ThreadStory[],
  keyOf: PersonKey = plainKey,
): MatterReport {
  const read = stories.map((story) => readStory(matter, story)).filter(({ mentions }) => mentions.size > 0);
  const versions = orderVersions(read);
  const opinions = read
    .flatMap((one) => opinionsOf(one, versions))
    .sort((a, b) => compareText(a.at ?? "~", b.at ?? "~") || compareText(a.message, b.message));
  const dates = read
    .flatMap(({ story: { thread } }) => [thread.firstDate, thread.lastDate])
    .filter(isText)
    .sort();
  return {
    kind: "matter",
    matter: { kind: matter.kind, name: matter.name },
    lists: [...new Set(read.map(({ story }) => story.thread.list))].sort(),
    firstDate: dates[0] ?? null,
    lastDate: dates.at(-1) ?? null,
    mentions: read.reduce((sum, { mentions }) => sum + mentions.size, 0),
    people: new Set(read.flatMap(authorsOf).map(keyOf)).size,
    versions: versions.map((version) => ({ ...version, ...countStances(version, opinions, keyOf) })),
    opinions,
    changes: findChanges(opinions, keyOf),
    decisions: read.flatMap((one) => decisionsOf(one, versions)),
    threads: read.map(toThread).sort((a, b) => compareText(a.firstDate ?? "~", b.firstDate ?? "~")),
  };
}

const isText = (text: string | null): text is string => text !== null;
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

interface ReadStory {
  readonly story: ThreadStory;
  /** Messages with a mention. */
  readonly mentions: ReadonlyMap<string, Mention>;
  readonly dates: ReadonlyMap<string, string | null>;
  /** The mention in a message or in the nearest ancestor; null: the message is about another subject. */
  about(message: string): Mention | null;
}

function readStory(matter: Matter, story: ThreadStory): ReadStory {
  const mentions = new Map<string, Mention>();
  for (const message of story.messages) {
    const found = findMentions(matter, message);
    const [first] = [...found.filter(({ version }) => version !== null), ...found];
    if (first) mentions.set(message.id, first);
  }
  const parents = new Map(story.thread.messages.map(({ message, parent }) => [message, parent]));
  return {
    story,
    mentions,
    dates: new Map(story.messages.map(({ id, date }) => [id, date])),
    about(message) {
      let at: string | null | undefined = message;
      for (let steps = 0; at && steps <= parents.size; steps++) {
        const found = mentions.get(at);
        if (found) return found;
        at = parents.get(at);
      }
      return null;
    },
  };
}

type NamedVersion = Pick<MatterVersion, "version" | "firstDate" | "firstMessage" | "mentions">;

function orderVersions(read: readonly ReadStory[]): NamedVersion[] {
  const versions = new Map<string, NamedVersion>();
  for (const { mentions, dates } of read) {
    for (const [message, { version }] of mentions) {
      if (version === null) continue;
      const date = dates.get(message) ?? null;
      const known = versions.get(version);
      const isEarlier = !known || (date ?? "~") < (known.firstDate ?? "~");
      versions.set(version, {
        version,
        firstDate: isEarlier ? date : known.firstDate,
        firstMessage: isEarlier ? message : known.firstMessage,
        mentions: (known?.mentions ?? 0) + 1,
      });
    }
  }
  return [...versions.values()].sort((a, b) => Number(a.version) - Number(b.version));
}

/** The named version, or else the newest version known by then. */
function versionAt(mention: Mention, at: string | null, versions: readonly NamedVersion[]): string | null {
  if (mention.version !== null) return mention.version;
  const known = versions.filter(({ firstDate }) => firstDate !== null && at !== null && firstDate <= at);
  return known.at(-1)?.version ?? null;
}

function opinionsOf({ story, about }: ReadStory, versions: readonly NamedVersion[]): Opinion[] {
  const { id: thread, list } = story.thread;
  return story.positions.flatMap(({ person, stance, at, message, quote }) => {
    const mention = about(message);
    if (!mention) return [];
    return [{ version: versionAt(mention, at, versions), person, stance, at, list, thread, message, quote }];
  });
}

function decisionsOf(
  { story, about, dates }: ReadStory,
  versions: readonly NamedVersion[],
): MatterDecision[] {
  return (story.assessment?.decisions ?? []).flatMap(({ kind, by, message, quote }) => {
    const mention = about(message);
    if (!mention) return [];
    const version = versionAt(mention, dates.get(message) ?? null, versions);
    return [{ version, kind, by, thread: story.thread.id, message, quote }];
  });
}

function countStances(
  { version }: NamedVersion,
  opinions: readonly Opinion[],
  keyOf: PersonKey,
): Pick<MatterVersion, "support" | "object" | "other"> {
  const last = new Map<string, Opinion["stance"]>();
  for (const one of opinions) if (one.version === version) last.set(keyOf(one.person), one.stance);
  const stances = [...last.values()];
  const [support, object] = ["support", "object"].map(
    (stance) => stances.filter((one) => one === stance).length,
  );
  return {
    support: support ?? 0,
    object: object ?? 0,
    other: stances.length - (support ?? 0) - (object ?? 0),
  };
}

/** Questions between two stances are no stance. */
function findChanges(opinions: readonly Opinion[], keyOf: PersonKey): OpinionChange[] {
  const last = new Map<string, Opinion>();
  const changes: OpinionChange[] = [];
  for (const to of opinions) {
    if (to.stance === "question") continue;
    const key = keyOf(to.person);
    const from = last.get(key);
    if (from && from.stance !== to.stance) changes.push({ person: to.person, from, to });
    last.set(key, to);
  }
  return changes;
}

const authorsOf = ({ story, mentions }: ReadStory): Person[] =>
  story.messages.filter(({ id }) => mentions.has(id)).map(({ from }) => from);

function toThread({ story: { thread, assessment }, mentions }: ReadStory): MatterThread {
  return {
    thread: thread.id,
    list: thread.list,
    subject: thread.subject,
    firstDate: thread.firstDate,
    lastDate: thread.lastDate,
    messages: thread.messages.length,
    mentions: mentions.size,
    level: assessment?.level ?? null,
  };
}
