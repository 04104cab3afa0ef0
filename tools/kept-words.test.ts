import { expect, it } from "vitest";
import { lexiconStems, lexiconWords } from "../pipelines/consensus/src/anonymize/lexicon-words.ts";
import { readLexicon } from "./kept-words.ts";

it("the words that an anonymous copy keeps are those of the rules", () => {
  expect({ words: lexiconWords, stems: lexiconStems }, "run npm run kept-words").toEqual(readLexicon());
});
