import { cleanText } from "../../pipelines/consensus/src/clean/clean.ts";
import { filesBelow, readText } from "./corpora.ts";
import { type Figure, share } from "./figures.ts";

/** Normalises line ends, trailing spaces and blank lines. */
const normalise = (text: string): string =>
  text
    .split(/\r\n?|\n/)
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .replace(/^\n+|\n+$/g, "");

const repliesAsked = 55;

export function replyFigures(): readonly Figure[] {
  const names = filesBelow("clean-discourse/emails").map((path) => path.slice(path.lastIndexOf("/") + 1));
  const equal = names.filter(
    (name) =>
      cleanText(readText(`clean-discourse/emails/${name}`)).clean ===
      normalise(readText(`clean-discourse/trimmed/${name}`)),
  );
  const short = filesBelow("clean-github/emails").map(readText);
  const marked = short.filter((text) => /^>/m.test(text));
  const quoteless = marked.filter((text) => !/^>/m.test(cleanText(text).clean));
  return [
    {
      area: "clean",
      what: "Discourse's replies trimmed to the same characters",
      ours: share(equal.length, names.length),
      against: `Discourse's email_reply_trimmer; ${repliesAsked} asked`,
      met: equal.length >= repliesAsked,
    },
    {
      area: "clean",
      what: "mails of GitHub's reply parser left without a quoted line",
      ours: share(quoteless.length, marked.length),
      against: "their corpus; which words stay is checked one by one in clean-corpora.test.ts",
      met: quoteless.length === marked.length,
    },
  ];
}
