import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  corpora,
  corporaAbsent,
  filesBelow,
  readHeader,
  readHeaders,
  readLists,
  readText,
} from "../../test/archive-headers.ts";
import { firstOfEach, parentsIn, pipermailParents, playScript } from "../../test/known-trees.ts";
import { normaliseSubject } from "./subject.ts";
import { threadMessages } from "./thread.ts";

const note = corporaAbsent ? " (corpora absent: nothing to compare)" : "";

describe.skipIf(corporaAbsent)(`THREAD REFERENCES answers of imaptest${note}`, () => {
  const folder = join(corpora, "thread-imaptest");
  const scripts = corporaAbsent ? [] : readdirSync(folder).filter((name) => /^thread\d*$/.test(name));

  it.each(scripts)("%s: every tree is equal", (script) => {
    const mails = readHeaders(readText(join(folder, `${script}.mbox`)));
    const { expected, given } = playScript(readText(join(folder, script)), mails);
    expect(given).toEqual(expected);
    expect(expected.length).toBeGreaterThan(0);
  });

  it("equal base subjects are equal here", () => {
    const mails = readHeaders(readText(join(folder, "thread-orderedsubject.mbox")));
    const decoded = ["", "b", "c", "c"]; // Encoded words are the mail room's work.
    const bases = mails.map(({ subject }, at) =>
      at >= 9 && at <= 12 ? (decoded[at - 9] as string) : normaliseSubject(subject).base,
    );
    const groups = new Map<string, number[]>();
    for (const [at, base] of bases.entries()) groups.set(base, [...(groups.get(base) ?? []), at + 1]);
    expect([...groups.values()]).toEqual([
      [1],
      [2, 7, 12, 13],
      [3, 5, 11],
      [4],
      [6],
      [8],
      [9, 10],
      [14],
      [15],
    ]);
  });
});

describe.skipIf(corporaAbsent)(`trees of notmuch${note}`, () => {
  const parentsOf = (folder: string): Record<string, string | null> => {
    const mails = filesBelow(join(corpora, "thread-notmuch/corpora", folder));
    const headers = mails.map((path, at) => readHeader(readFileSync(path, "latin1"), String(at)));
    const names = new Map(headers.map(({ id, messageId }) => [id, messageId.split("@")[0] as string]));
    const members = threadMessages(headers).flatMap((thread) => thread.members);
    return Object.fromEntries(
      members.map(({ id, parent }) => [
        names.get(id) as string,
        parent === null ? null : (names.get(parent) as string),
      ]),
    );
  };

  it("In-Reply-To goes before references in the wrong order", () => {
    expect(parentsOf("threading/parent-priority")).toEqual({
      "B00-root": null,
      "B01-child": "B00-root",
      "B01-grand-child": "B01-child",
    });
  });

  it("a missing parent does not make a root of a message with other references", () => {
    expect(parentsOf("threading/ghost-root")).toMatchObject({
      "000-real-root": null,
      "001-child": "000-real-root",
      "001-fake-message-root": "001-child",
      "001-grand-child": "001-child",
      "001-grand-child2": "001-child",
      "001-great-grand-child": "001-grand-child",
    });
  });

  it("two messages that answer each other have one root", () => {
    expect(Object.values(parentsOf("broken/loop")).filter((parent) => parent === null)).toHaveLength(1);
  });
});

describe.skipIf(corporaAbsent)(`parents in real lists${note}`, () => {
  it("what the headers name and is there is the parent, for 99.5 of 100 messages and more", () => {
    let [given, equal] = [0, 0];
    for (const { headers } of readLists()) {
      const messages = firstOfEach(headers);
      const byId = new Map(messages.map((header) => [header.messageId, header]));
      const parents = parentsIn(threadMessages(messages));
      for (const { id, messageId, inReplyTo, references } of messages) {
        const named = [inReplyTo, ...[...references].reverse()].filter((each) => each !== messageId);
        const parent = named.map((each) => byId.get(each ?? "")).find((each) => each !== undefined);
        if (parent === undefined) continue;
        given += 1;
        if (parents.get(id) === parent.id) equal += 1;
      }
    }
    expect(given).toBeGreaterThan(3_000);
    expect(equal / given).toBeGreaterThanOrEqual(0.995);
  });

  it("Pipermail's parents are ours, but for recurring subjects which it takes for one conversation", () => {
    const messages = firstOfEach(readHeaders(readText(join(corpora, "list-twisted-python/2005-May.txt"))));
    const parents = parentsIn(threadMessages(messages));
    const theirs = pipermailParents(
      readText(join(corpora, "list-twisted-threads/2005-May/thread.html")),
      messages,
    );
    const different = messages.filter(({ id }) => parents.get(id) !== theirs.get(id));
    expect(theirs.size).toBe(357);
    expect(different.map(({ subject }) => normaliseSubject(subject).text)).toEqual(
      new Array(3).fill("Weekly Bug Summary"),
    );
  });
});
