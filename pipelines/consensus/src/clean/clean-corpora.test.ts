import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { cleanText } from "./clean.ts";

const corpora = fileURLToPath(new URL("../../../../../shared/corpora/", import.meta.url));
const hasCorpora = existsSync(corpora);
const absent = hasCorpora ? "" : " (corpora absent: nothing to compare with)";
const read = (path: string) => (hasCorpora ? readFileSync(`${corpora}${path}`, "utf8") : "");
const filesIn = (path: string) => (hasCorpora ? readdirSync(`${corpora}${path}`) : []);

/** Normalises line ends, trailing spaces and blank lines. */
const normalise = (text: string) =>
  text
    .split(/\r\n?|\n/)
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .replace(/^\n+|\n+$/g, "");

/** The reference keeps quotes without attribution, or drops every word below a quote; we do neither. */
const disagreements = [
  "embedded_email_1.txt",
  "embedded_email_16.txt",
  "embedded_email_17.txt",
  "embedded_email_7.txt",
  "quote_and_text.txt",
  "quote_only.txt",
];

describe(`replies trimmed by Discourse${absent}`, () => {
  it("are equal to ours, except where theirs keep what somebody else wrote", () => {
    const different = filesIn("clean-discourse/emails").filter(
      (name) =>
        cleanText(read(`clean-discourse/emails/${name}`)).clean !==
        normalise(read(`clean-discourse/trimmed/${name}`)),
    );
    expect(different.sort()).toEqual(hasCorpora ? disagreements : []);
  });
});

describe(`mails of GitHub's reply parser${absent}`, () => {
  /** The first and last own words of each mail, and words of other authors. */
  const expected: readonly (readonly [name: string, own: readonly string[], foreign: readonly string[]])[] = [
    ["correct_sig", ["correct -- signature."], ["rick"]],
    ["email_1_1", ["Hi folks", "-Abhishek Kona"], ["mailing list"]],
    [
      "email_1_2",
      ["Hi,", "You can list", "delete them all individually"],
      ["What is the best", "wrote:", "mailing list"],
    ],
    ["email_1_3", ["Oh thanks.", "-Abhishek Kona"], ["Russell", "would do it"]],
    ["email_1_4", ["Awesome!"], ["Loader", "wrote"]],
    ["email_1_5", ["One: Here", "for a while."], []],
    ["email_1_6", ["I get proper rendering as well."], ["torch", "caching", "wrote"]],
    ["email_1_7", [":+1:"], ["Steps", "wrote"]],
    ["email_1_8", ["I will reply under this one", "and under this."], ["okay", "my signature", "Tim"]],
    ["email_2_1", ["Outlook with a reply"], ["Sync", "From"]],
    ["email_2_2", ["Outlook with a reply directly above line"], ["CRM", "comment"]],
    ["email_2_3", ["Outlook with a reply directly above line"], ["CRM", "comment"]],
    ["email_BlackBerry", ["Here is another email"], ["BlackBerry"]],
    ["email_bullets", ["test 2 this", "- and another"], ["Joe Smith", "Give us"]],
    ["email_iPhone", ["Here is another email"], ["iPhone"]],
    ["email_multi_word_sent_from_my_mobile_device", ["Here is another email"], ["Verizon"]],
    ["email_one_is_not_on", ["One outstanding question", "when I run..."], ["Dave", "good news"]],
    ["email_sent_from_my_not_signature", ["Sent from my desk, is much easier"], []],
    ["email_sig_delimiter_in_middle_of_line", ["-- this is not a signature.", "kthxbai"], []],
    ["greedy_on", ["On your remote host", "the tunnel is not working."], ["George", "odd issue"]],
    [
      "pathological",
      ["I think you're onto something.", "back to a computer."],
      ["John Sullivan", "shortening"],
    ],
    ["email_long_quote", ["running a test?"], ["\n>>>>"]],
  ];

  it.each(expected)("%s keeps its own words and no others", (name, own, foreign) => {
    const { clean } = cleanText(read(`clean-github/emails/${name}.txt`));
    for (const words of hasCorpora ? own : []) expect(clean).toContain(words);
    for (const words of foreign) expect(clean).not.toContain(words);
  });
});

describe(`mails of real lists${absent}`, () => {
  const bodies = read("list-twisted-python/2005-May.txt")
    .split(/^From .*\d\d:\d\d.*\n/m)
    .map((message) => message.slice(message.search(/\r?\n\r?\n/)).trim());

  it("are empty only where they quote and say nothing, and stay as they are when cleaned again", () => {
    const cleaned = bodies.map((text) => ({ text, clean: cleanText(text).clean }));
    const emptied = cleaned.filter(({ text, clean }) => text !== "" && clean === "");
    for (const { text } of emptied) expect(text).toMatch(/^\s?>/m);
    expect(emptied.length).toBeLessThanOrEqual(bodies.length / 200);
    const changed = cleaned.filter(({ clean }) => cleanText(clean).removed.length > 0);
    expect(changed.length).toBeLessThanOrEqual(bodies.length / 100);
  });
});
