import fc from "fast-check";
import { Parser } from "htmlparser2";
import { describe, expect, it } from "vitest";
import { aStory, plainWords, type Words } from "../../test/stories.ts";
import { escapeMarkdown, markdownLink } from "./escape-markdown.ts";
import { htmlOfDigest, htmlOfThread } from "./html.ts";
import { listDigest } from "./list-digest.ts";
import { markdownOfDigest, markdownOfThread } from "./markdown.ts";
import { threadReport } from "./thread-report.ts";

const pieces = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "</style>",
  "</main>",
  "<!--",
  "-->",
  "]]>",
  "<",
  ">",
  '"',
  "'",
  "`",
  "```",
  "&",
  "&lt;",
  "# ",
  "## x",
  "- ",
  "1. ",
  "* ",
  "> ",
  "| a | b |",
  "|",
  "---",
  "===",
  "[x](javascript:alert(1))",
  "![x](y)",
  "[a]: b",
  "*b*",
  "_i_",
  "~~s~~",
  "\\",
  "\\[",
  "\n",
  "\r\n\r\n",
  "\t",
  "    code",
  "\u2028",
  "\u202e",
  "\u0000",
  "$x$",
  "javascript:",
  "data:",
  "www.a.b",
  "a@b.c",
  "://",
  "word",
];
const hostile = fc
  .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 8 })
  .map((all) => `${all.join("")}w`);
const words: fc.Arbitrary<Words> = fc.record({ name: hostile, title: hostile, text: hostile, kind: hostile });

interface Seen {
  readonly tags: string[];
  readonly hrefs: string[];
  readonly attributes: Set<string>;
  readonly text: string[];
}

function readHtml(html: string): Seen {
  const seen: Seen = { tags: [], hrefs: [], attributes: new Set(), text: [] };
  const parser = new Parser({
    onopentag(name, attributes) {
      seen.tags.push(name);
      for (const [key, value] of Object.entries(attributes)) {
        seen.attributes.add(key);
        if (key === "href" || key === "src") seen.hrefs.push(value);
      }
    },
    oncomment() {
      seen.tags.push("comment");
    },
    ontext(text) {
      seen.text.push(text);
    },
  });
  parser.end(html);
  return seen;
}

const story = (given: Words) => aStory(given);
const pages = (given: Words) => [
  htmlOfThread(threadReport(story(given))),
  htmlOfDigest(listDigest({ list: given.title, threads: [story(given)] })),
];
const notes = (given: Words) => [
  markdownOfThread(threadReport(story(given))),
  markdownOfDigest(listDigest({ list: given.title, threads: [story(given)] })),
];

describe("HTML", () => {
  it("has the same elements whatever the mails say", () => {
    const plain = pages(plainWords).map((page) => readHtml(page).tags);
    fc.assert(
      fc.property(words, (given) => {
        expect(pages(given).map((page) => readHtml(page).tags)).toEqual(plain);
      }),
    );
  });

  it("shows the words of the mails as they are", () => {
    const given = { ...plainWords, title: '<b>&amp; "x"', text: "a < b && c > 'd' `e`" };
    const text = readHtml(pages(given)[0] as string).text.join("");
    expect(text).toContain(given.title);
    expect(text).toContain(given.text);
  });

  it("links to the web and inside itself only, and to the web without a referrer", () => {
    const text =
      'https://example.org/"onclick=x RFC 9000 javascript:alert(1) https://example.org/<b> data:text/html,x';
    const page = pages({ ...plainWords, text })[0] as string;
    const { hrefs, attributes } = readHtml(page);
    expect(hrefs.filter((href) => !href.startsWith("#"))).toEqual([
      "https://www.rfc-editor.org/rfc/rfc9000",
      "https://example.org/",
    ]);
    expect([...attributes].filter((name) => name.startsWith("on") || name === "style")).toEqual([]);
    expect(page.match(/<a href="http/g)?.length).toBe(page.match(/rel="noopener noreferrer"/g)?.length);
  });

  it("forbids scripts and everything from elsewhere", () => {
    for (const page of pages(plainWords)) {
      expect(page).toContain(`content="default-src 'none'; style-src 'sha256-`);
      expect(readHtml(page).tags).not.toContain("script");
    }
  });

  it("every jump leads to a message", () => {
    const page = pages(plainWords)[0] as string;
    const targets = new Set([...page.matchAll(/ id="([^"]*)"/g)].map((each) => `#${each[1]}`));
    const jumps = readHtml(page).hrefs.filter((href) => href.startsWith("#"));
    expect(jumps.length).toBeGreaterThan(5);
    expect(jumps.filter((href) => !targets.has(href))).toEqual([]);
  });
});

/** Lines without escaped characters, and then without words. */
const skeleton = (markdown: string): string[] =>
  markdown
    .replace(/\\[\p{P}\p{S}]/gu, "w")
    .replace(/&(?:amp|#64);/g, "w")
    .split("\n")
    .map(
      (line) => `${/^[ >]*(?:- |\d+[.)] |#+ |\|)?/.exec(line)?.[0]}${line.replace(/[^`*_[\]<>|~#$]/g, "")}`,
    );

describe("Markdown", () => {
  it("has the same structure whatever the mails say", () => {
    const plain = notes(plainWords).map(skeleton);
    fc.assert(
      fc.property(words, (given) => {
        expect(notes(given).map(skeleton)).toEqual(plain);
      }),
    );
  });

  it.each([
    ["# heading", "\\# heading"],
    ["- item", "\\- item"],
    ["12) item", "12\\) item"],
    ["a | b", "a \\| b"],
    ["<b>", "\\<b\\>"],
    ["[x](y)", "\\[x\\](y)"],
    ["&lt;", "&amp;lt;"],
    ["http://a www.b c@d", "http\\://a www\\.b c&#64;d"],
    ["two\nlines", "two lines"],
    ["\u202eabc\u0000", "abc"],
  ])("%j is written %j", (text, escaped) => {
    expect(escapeMarkdown(text)).toBe(escaped);
  });

  it("links to the web only, and an address cannot end its link", () => {
    expect(markdownLink("x", "javascript:alert(1)")).toBe("x");
    expect(markdownLink("a]b", "https://example.org/a>)(b |\n<")).toBe(
      "[a\\]b](<https://example.org/a%3E%29%28b%20%7C%0A%3C>)",
    );
    expect(markdownLink("x", "https://example.org/\ud800ü")).toBe(
      "[x](<https://example.org/%EF%BF%BD%C3%BC>)",
    );
  });

  it("reads well", () => {
    const markdown = notes(plainWords)[0] as string;
    expect(markdown).toContain(
      "# Key update\n\n**Key update** · 2024-01-02 – 2024-02-03 · 3 messages · 3 people\n",
    );
    expect(markdown).toContain("> **Rough consensus** (confidence 72 %)");
    expect(markdown).toContain("- I support this. (Ada, 2024-01-02, [1](#message-1))");
    expect(markdown).toContain(
      "| −1 | non-binding, not counted | Ada | “I support this.” ([1](#message-1)) |",
    );
    expect(markdown).toContain(
      "| Ada | supports | 2024-01-02 | “I support this.” ([2](#message-2)): adopted | objects: “",
    );
    expect(markdown).toContain('\n    - <a id="message-3"></a>3 **Ada**, 2024-02-03 04:05 (1 attachment)');
  });
});

describe("a hostile thread", () => {
  it.each(["<", "\\", "https://a.b/ "])(
    "of a million characters of %j in each place is a small report",
    (piece) => {
      const text = piece.repeat(1_000_000 / piece.length);
      const report = threadReport(aStory({ name: text, title: text, text, kind: text }));
      for (const page of [htmlOfThread(report), markdownOfThread(report)])
        expect(page.length).toBeLessThan(2_000_000);
    },
  );
});
