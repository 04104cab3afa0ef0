import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Post, type Weighed, weigh } from "./weigh.ts";

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
    ["QUIC connection migration strategy", "undecided"],
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
    expect(weighed.level).toBe("rough");
    expect(weighed.decisions.at(-1)?.kind).toBe("merged");
    expect(weighed.positions.map(({ stance }) => stance)).toEqual(["support", "support"]);
  });
});

/**
 * Threads of an archive, read just well enough for the tests of weighing; the pipeline has separate rooms for this.
 */
function readThreads(file: URL): readonly (readonly Post[])[] {
  const posts = splitMails(readFileSync(file).toString("latin1")).flatMap(readPost);
  const byId = new Map(posts.map((each) => [each.id, each]));
  const rootOf = (post: Post): Post => {
    let at = post;
    for (let steps = 0; steps < 100 && at.parent !== null && byId.has(at.parent); steps++)
      at = byId.get(at.parent)!;
    return at;
  };
  const roots = new Map<string, Post[]>();
  for (const post of byId.values()) {
    const root = rootOf(post);
    const subject = plainSubject(root.subject);
    roots.set(subject, [...(roots.get(subject) ?? []), post]);
  }
  return [...roots.values()].map((thread) =>
    thread.sort((a, b) => (a.date ?? "").localeCompare(b.date ?? "") || a.id.localeCompare(b.id)),
  );
}

/** Groups mails with lost references; results belong to their votes. */
const plainSubject = (subject: string): string =>
  subject
    .toLowerCase()
    .replace(/\b(?:re|fwd?|aw)\s*:/g, "")
    .replace(/\[(?:result|results|cancell?ed)\]/g, "")
    .replace(/\s+/g, " ")
    .trim();

const splitMails = (archive: string): readonly string[] =>
  archive
    .split(/(?:^|\r?\n)From [^\n]{3,200}\d{4}[^\n]{0,20}\r?\n(?=[A-Za-z][\w-]*:)/)
    .filter((mail) => mail.includes(":"));

function readPost(mail: string): Post[] {
  const gap = /\r?\n\r?\n/.exec(mail);
  if (!gap) return [];
  const head = mail.slice(0, gap.index).replace(/\r?\n[ \t]+/g, " ");
  const header = (name: string): string =>
    new RegExp(`^${name}:[ \\t]*(.*)$`, "im").exec(head)?.[1]?.trim() ?? "";
  const id = /<([^<>]+)>/.exec(header("message-id"))?.[1];
  if (id === undefined) return [];
  const references = [...header("references").matchAll(/<([^<>]+)>/g)].map((match) => match[1]!);
  const parent = /<([^<>]+)>/.exec(header("in-reply-to"))?.[1] ?? references.at(-1) ?? null;
  const time = Date.parse(header("date").replace(/\(.*\)/, ""));
  const body = readBody(
    mail.slice(gap.index + gap[0].length),
    header("content-type"),
    header("content-transfer-encoding"),
  );
  return [
    {
      id,
      parent,
      from: readFrom(decodeWords(header("from"))),
      date: Number.isNaN(time) ? null : new Date(time).toISOString(),
      subject: decodeWords(header("subject")),
      clean: trimQuotes(body),
    },
  ];
}

function readFrom(from: string): Post["from"] {
  const angled = /^(.*?)<([^<>]*)>/.exec(from);
  if (angled) return { name: angled[1]!.replace(/"/g, "").trim(), address: angled[2]! };
  const pipermail = /^(\S+) at (\S+)(?: \((.*)\))?/.exec(from);
  if (pipermail) return { name: pipermail[3] ?? "", address: `${pipermail[1]}@${pipermail[2]}` };
  return { name: "", address: from };
}

function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(/=\?([^?\s]+)\?([bq])\?([^?]*)\?=/gi, (_, charset: string, how: string, data: string) => {
      const bytes = /b/i.test(how) ? Buffer.from(data, "base64") : fromQuoted(data.replace(/_/g, " "));
      return bytes.toString(/utf-?8/i.test(charset) ? "utf8" : "latin1");
    });
}

const fromQuoted = (text: string): Buffer =>
  Buffer.from(
    text
      .replace(/=\r?\n/g, "")
      .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );

function readBody(body: string, type: string, encoding: string): string {
  const boundary = /boundary="?([^";]+)"?/i.exec(type)?.[1];
  if (boundary !== undefined) {
    for (const part of body.split(`--${boundary}`).slice(1)) {
      const gap = /\r?\n\r?\n/.exec(part);
      if (!gap) continue;
      const head = part.slice(0, gap.index).replace(/\r?\n[ \t]+/g, " ");
      const partType = /^content-type:[ \t]*(.*)$/im.exec(head)?.[1] ?? "text/plain";
      if (!/text\/plain|multipart/i.test(partType)) continue;
      const partEncoding = /^content-transfer-encoding:[ \t]*(\S*)/im.exec(head)?.[1] ?? "";
      return readBody(part.slice(gap.index + gap[0].length), partType, partEncoding);
    }
    return "";
  }
  const bytes = /base64/i.test(encoding)
    ? Buffer.from(body, "base64")
    : /quoted/i.test(encoding)
      ? fromQuoted(body)
      : Buffer.from(body, "latin1");
  const utf8 = bytes.toString("utf8");
  return (utf8.includes("\uFFFD") ? bytes.toString("latin1") : utf8).replace(/\r\n/g, "\n");
}

/** Without quoted lines, introductions, signatures and footers. */
function trimQuotes(body: string): string {
  const kept = body.split(/\n(?:-- ?|_{30,}|-{60,})\n|\n-+ ?(?:Original Message|Message d'origine)/)[0]!;
  return kept
    .replace(/^(?:On|Le|Am) [^\n]{0,200}\n?[^\n]{0,100}(?:wrote|écrit|schrieb) ?:\s*$/gm, "")
    .split("\n")
    .filter((line) => !/^\s?[>|]/.test(line) && !/(?:wrote| a écrit ?| wrote on [\d :-]+):\s*$/.test(line))
    .join("\n")
    .trim();
}
