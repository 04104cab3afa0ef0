import type { Recogniser } from "../src/recogniser.ts";

/** A recogniser for every file, for tests of intake itself. */
export const anyFile: Recogniser = {
  recognise: (head) => ({ kind: head.length === 0 ? "empty" : "wanted", because: "It has bytes." }),
  guessList: () => "files",
  guessListOfUrl: () => "files",
  nameList: (name) => name,
  foreignEndings: new Set(),
  linkEnding: /./,
  accept: "*/*",
  words: { content: "files", whole: "a file", one: "a file", many: "files", folder: "a folder with files" },
};
