import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readThreads } from "./archive-posts.test-support.ts";
import { type Weighed, weigh } from "./weigh.ts";

const corpora = new URL("../../../../../shared/corpora/", import.meta.url);
const maven = new URL("list-ponymail/corpus/maven-dev-2017-11-listsao.mbox", corpora);
const fixture = new URL("list-cfc-fixture/tests/fixtures/mailbox_sample/test-archive.mbox", corpora);
const patches = new URL("list-bpf-ietf/bpf-ietf-2023H1.dev.mbox", corpora);

function weighThread(file: URL, subject: string): Weighed {
  const thread = readThreads(file).find((posts) => posts[0]?.subject.replace(/\s+/g, " ").endsWith(subject));
  if (thread === undefined) expect.fail(`no thread ends with "${subject}"`);
  return weigh(thread);
}

describe.skipIf(!existsSync(maven))("Apache votes whose result was declared (corpora absent)", () => {
  it.each([
    [
      "[VOTE] Release Apache Maven JDeprScan Plugin version 3.0.0-alpha-1",
      "strong",
      [5, 0, 0],
      "vote-passed",
    ],
    ["[VOTE] Release Apache Maven Javadoc Plugin version 3.0.0", "undecided", [0, 1, 0], "cancelled"],
    ["[VOTE] Release Apache Maven Javadoc Plugin version 3.0.0 (take 2)", "undecided", null, "cancelled"],
    ["[VOTE] Release Maven Indexer 6.0.0", "strong", [5, 0, 0], undefined],
  ])("%s is %s", (subject, level, tally, decision) => {
    const weighed = weighThread(maven, subject);
    expect(weighed.level).toBe(level);
    expect(weighed.tally && [weighed.tally.for, weighed.tally.against, weighed.tally.abstain]).toEqual(tally);
    expect(weighed.decisions.at(-1)?.kind).toBe(decision);
    expect(weighed.calls.map(({ kind }) => kind)).toContain("vote");
    expect(weighed.reasons.join(" ")).not.toContain("differs");
  });
});

describe.skipIf(!existsSync(fixture))("the fixture of the reference product (corpora absent)", () => {
  it.each([
    ["QUIC connection migration strategy", "none"],
    ["TLS 1.3 integration concerns", "none"],
    ["HTTP/3 prioritization proposal", "undecided"],
    ["Version negotiation clarification", "none"],
  ])("%s is %s", (subject, level) => {
    expect(weighThread(fixture, subject).level).toBe(level);
  });
});

describe.skipIf(!existsSync(patches))("a list with patches (corpora absent)", () => {
  it("sees what maintainers took in, and no objection where there was none", () => {
    const weighed = weighThread(patches, "bpf, docs: Add signed comparison example");
    expect(weighed.level).toBe("strong");
    expect(weighed.decisions.at(-1)?.kind).toBe("merged");
    expect(weighed.positions.map(({ stance }) => stance)).toEqual(["support", "support"]);
  });
});
