import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Post } from "../src/summary/post.ts";

/** A thread of the BC3 corpus, with the number of readers (of three) who wanted each sentence in a summary. */
export interface JudgedThread {
  readonly name: string;
  readonly posts: readonly Post[];
  readonly sentences: readonly JudgedSentence[];
}
export interface JudgedSentence {
  readonly post: number;
  readonly start: number;
  readonly end: number;
  readonly words: number;
  readonly votes: number;
}

const folder = new URL("../../../../shared/corpora/truth-bc3/dev/", import.meta.url);
export const bc3IsHere = existsSync(fileURLToPath(new URL("corpus.xml", folder)));

export function readBc3(): readonly JudgedThread[] {
  const votes = readVotes(readFileSync(new URL("annotation.xml", folder), "utf8"));
  const threads = sections(readFileSync(new URL("corpus.xml", folder), "utf8"), "thread");
  return threads.map((thread) => readThread(thread, votes.get(inner(thread, "listno")) ?? new Map()));
}

type Votes = ReadonlyMap<string, number>;

function readVotes(xml: string): ReadonlyMap<string, Votes> {
  const all = new Map<string, Map<string, number>>();
  for (const thread of sections(xml, "thread")) {
    const votes = new Map<string, number>();
    for (const chosen of sections(thread, "sentences")) {
      for (const id of new Set(Array.from(chosen.matchAll(/<sent id="([\d.]+)"/g), (found) => found[1]!))) {
        votes.set(id, (votes.get(id) ?? 0) + 1);
      }
    }
    all.set(inner(thread, "listno"), votes);
  }
  return all;
}

function readThread(xml: string, votes: Votes): JudgedThread {
  const sentences: JudgedSentence[] = [];
  const posts = sections(xml, "DOC").map((doc, at): Post => {
    let clean = "";
    for (const [, id, raw] of doc.matchAll(/<Sent id="([\d.]+)">([^<]*)<\/Sent>/g)) {
      const text = decode(decode(raw!));
      // Quoted lines and signatures are not in `clean`.
      if (/^\s*>/.test(text)) continue;
      if (/^\s*--\s*$/.test(text)) break;
      const start = clean.length;
      // The corpus has lost the line breaks of the mails, and knows sentences only.
      clean += `${text.trim()}\n\n`;
      const words = text.split(/\s+/).filter((word) => word !== "").length;
      sentences.push({ post: at, start, end: clean.length, words, votes: votes.get(id!) ?? 0 });
    }
    const from = /^\s*"?([^"<]*?)"?\s*<([^>]*)>/.exec(decode(inner(doc, "From")));
    const [name, address] = from ? [from[1]!, from[2]!] : ["", decode(inner(doc, "From"))];
    const parent = at === 0 ? null : "1";
    const subject = decode(inner(doc, "Subject"));
    return { id: `${at + 1}`, parent, from: { name, address }, date: null, subject, clean };
  });
  return { name: inner(xml, "name"), posts, sentences };
}

const sections = (xml: string, tag: string): readonly string[] =>
  xml
    .split(`<${tag}>`)
    .slice(1)
    .map((rest) => rest.split(`</${tag}>`, 1)[0]!);
const inner = (xml: string, tag: string): string => sections(xml, tag)[0]?.trim() ?? "";
const decode = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'")
    .replaceAll("&amp;", "&");

/** The judged sentences in a summary: cited by more than half. */
export function judgedOf(
  thread: JudgedThread,
  spans: readonly { readonly post: number; readonly start: number; readonly end: number }[],
): readonly JudgedSentence[] {
  return thread.sentences.filter((judged) => {
    const covered = spans
      .filter((span) => span.post === judged.post)
      .reduce(
        (sum, span) => sum + Math.max(0, Math.min(span.end, judged.end) - Math.max(span.start, judged.start)),
        0,
      );
    return covered * 2 > judged.end - judged.start;
  });
}

/** The fulfilled share of the readers' wishes, and the mean demand for the chosen sentences (0 to 1). */
export function scoreChoice(thread: JudgedThread, chosen: readonly JudgedSentence[]) {
  const wanted = thread.sentences.reduce((sum, { votes }) => sum + votes, 0);
  const got = chosen.reduce((sum, { votes }) => sum + votes, 0);
  const readers = 3;
  return {
    recall: wanted === 0 ? 0 : got / wanted,
    precision: chosen.length === 0 ? 0 : got / (readers * chosen.length),
  };
}
