import { readFileSync } from "node:fs";
import { Tokenizer } from "@huggingface/tokenizers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeWordPieces } from "./word-pieces.ts";

const vocabulary = readVocabulary();
const pieces = makeWordPieces(vocabulary);
const peer = openPeer();

/** Output of @huggingface/tokenizers 0.2.0 with the tokenizer of all-MiniLM-L6-v2. */
const known: readonly (readonly [text: string, ids: string])[] = [
  ["", ""],
  ["   \n\t ", ""],
  ["Hello, world!", "7592 1010 2088 999"],
  ["+1", "1009 1015"],
  ["-1 (binding)", "1011 1015 1006 8031 1007"],
  ["±0", "1081 2692"],
  ["I strongly object.", "1045 6118 4874 1012"],
  ["don't", "2123 1005 1056"],
  ["DON'T SHOUT", "2123 1005 1056 11245"],
  ["draft-ietf-quic-transport-34", "4433 1011 29464 24475 1011 21864 2278 1011 3665 1011 4090"],
  ["RFC 9000, Section 4.1", "14645 7706 2692 1010 2930 1018 1012 1015"],
  ["e.g. this", "1041 1012 1043 1012 2023"],
  ["naïve café", "15743 7668"],
  ["NAÏVE CAFÉ", "15743 7668"],
  ["Ångström", "17076 15687"],
  ["cafe\u0301", "7668"],
  ["Straße", "2358 27807"],
  ["İstanbul", "9960"],
  ["Łódź", "17814"],
  ["Привет, мир", "1194 16856 10325 25529 15290 22919 1010 1191 10325 16856"],
  ["ΑΘΗΝΑ", "1155 29725 24824 16177 14608"],
  ["共识达成", "100 100 100 1854"],
  ["日本語のメール", "1864 1876 1950 1671 30252 30265 30259"],
  ["안녕하세요", "1463 30006 30021 29992 30010 30025 30005 30006 29997 30009 29999 30013"],
  ["한국 consensus", "1469 30006 30021 29991 30014 30020 10465"],
  ["שלום", "1266 29799 29792 29800"],
  ["مرحبا", "1295 17149 29820 29816 25573"],
  ["नमस्ते", "1327 29867 29874 29859"],
  ["สวัสดี", "100"],
  ["😀", "100"],
  ["👍🏽 ship it", "100 2911 2009"],
  ["a\u200bb", "11113"],
  ["soft\u00adhyphen", "3730 10536 8458 2368"],
  ["non\u00a0breaking", "2512 4911"],
  ["ideographic\u3000space", "8909 8780 14773 2686"],
  ["tab\tnew\nline", "21628 2047 2240"],
  ["form\ffeed", "2433 7959 2098"],
  ["nul\u0000byte", "16371 14510 2618"],
  ["\ufffdreplacement", "6110"],
  ["\ufeffbom", "8945 2213"],
  ["“quoted” — dash…", "1523 9339 1524 1517 11454 1529"],
  ["≠ ≤ ∑", "1027 1608 100"],
  ["½ cup", "1092 2452"],
  ["x²", "1060 10701"],
  ["ﬁnance", "1984 7229 3401"],
  ["①②", "100"],
  ["antidisestablishmentarianism", "3424 10521 4355 7875 13602 3672 12199 2964"],
  ["zzzzqqqxv", "1062 13213 2480 4160 4160 4160 2595 2615"],
  ["foo_bar(baz)", "29379 1035 3347 1006 8670 2480 1007"],
  [
    "https://example.org/a?b=c#d",
    "16770 1024 1013 1013 2742 1012 8917 1013 1037 1029 1038 1027 1039 1001 1040",
  ],
  ["john.doe@example.org", "2198 1012 18629 1030 2742 1012 8917"],
  ["$9.99", "1002 1023 1012 5585"],
  ["50%", "2753 1003"],
  ["C++ vs C#", "1039 1009 1009 5443 1039 1001"],
  ["v1.2.3-rc4", "1058 2487 1012 1016 1012 1017 1011 22110 2549"],
  ["[PATCH v2 1/3] net: fix", "1031 8983 1058 2475 1015 1013 1017 1033 5658 1024 8081"],
  ["> quoted", "1028 9339"],
  ["-----BEGIN PGP-----", "1011 1011 1011 1011 1011 4088 18720 2361 1011 1011 1011 1011 1011"],
  [
    "a".repeat(100),
    "13360 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 11057 2050",
  ],
  ["a".repeat(101), "100"],
  ["|---+---|", "1064 1011 1011 1011 1009 1011 1011 1011 1064"],
  ["\ud83d lone", "10459"],
  ["unaffable", "14477 20961 3468"],
  ["1234567890", "13138 19961 2575 2581 2620 21057"],
  ["ǅ", "100"],
  ["𝔘𝔫𝔦𝔠𝔬𝔡𝔢", "100"],
  ["ẛ\u0323", "100"],
  ["e\u0301\u0323\u0308t", "3802"],
];

describe("texts become the tokens of uncased BERT", () => {
  it.each(known)("%j", (text, ids) => {
    expect(pieces.encode(text).ids.join(" ")).toBe(ids);
  });

  it("any text becomes the same tokens as with @huggingface/tokenizers", () => {
    fc.assert(
      fc.property(mixedText, (text) => {
        expect(pieces.encode(text).ids).toEqual(peer(text));
      }),
      { numRuns: 500 },
    );
  });

  it("every seventh character of the basic plane becomes the same tokens as with @huggingface/tokenizers", () => {
    const different: string[] = [];
    for (let point = 1; point < 0xffff; point += 7) {
      // Σ at the end of a word: lower-cased one by one here, as in the tokenizer used for training
      if ((point >= 0xd800 && point <= 0xdfff) || point === 0x3a3) continue;
      const character = String.fromCodePoint(point);
      const text = `a${character}b ${character}`;
      if (pieces.encode(text).ids.join() !== peer(text).join()) different.push(point.toString(16));
    }
    expect(different).toEqual([]);
  });

  it("a rare ideograph is a word of its own", () => {
    expect(pieces.encode("a\u{20000}b").ids).toEqual([...pieces.encode("a \u{20000} b").ids]);
  });

  it("names of special tokens in a mail are plain text", () => {
    expect(pieces.encode("[SEP]").ids).toEqual(pieces.encode("[ SEP ]").ids);
    expect(pieces.encode("[SEP]").ids).toHaveLength(3);
  });

  it("a vocabulary without the pieces of a word makes one unknown token of it", () => {
    const small = makeWordPieces(["[UNK]", "agree", "##ment", "dis"]);
    expect(small.encode("agreement disagree agreed").ids).toEqual([1, 2, 0, 0]);
  });

  it("an empty vocabulary does no harm", () => {
    expect(makeWordPieces([]).encode("a b").ids).toEqual([0, 0]);
  });
});

describe("tokens know where they come from", () => {
  it("each token stands for the characters between its start and end", () => {
    const text = "  Unaffable Café-owners\u00a0AGREE: 👍";
    const { starts, ends } = pieces.encode(text);
    const words = starts.map((start, i) => text.slice(start, ends[i]));
    expect(words).toEqual(["Una", "ffa", "ble", "Café", "-", "owners", "AGREE", ":", "👍"]);
  });

  it("accents and soft hyphens belong to the letter before them", () => {
    const text = "cafe\u0301 con\u00adsensus\u00ad!";
    const { starts, ends } = pieces.encode(text);
    expect(starts.map((start, i) => text.slice(start, ends[i]))).toEqual([
      "cafe\u0301",
      "con\u00adsensus\u00ad",
      "!",
    ]);
  });

  it("offsets of any text rise, lie inside it and never split a character", () => {
    fc.assert(
      fc.property(fc.oneof(mixedText, anyUnits(20)), (text) => {
        const { ids, starts, ends } = pieces.encode(text);
        expect([starts.length, ends.length]).toEqual([ids.length, ids.length]);
        const wrong = starts.filter((start, i) => {
          const end = ends[i] as number;
          const outside = start < (starts[i - 1] ?? 0) || end <= start || end > text.length;
          return outside || splitsPair(text, start) || splitsPair(text, end);
        });
        expect(wrong).toEqual([]);
      }),
    );
  });

  it("words between spaces have the same tokens alone and together", () => {
    fc.assert(
      fc.property(fc.array(mixedText), (texts) => {
        const together = pieces.encode(texts.join(" ")).ids;
        expect(together).toEqual(texts.flatMap((text) => pieces.encode(text).ids));
      }),
    );
  });
});

describe("hostile texts cost no more than others", () => {
  it.each([
    ["one word", "z".repeat(1_000_000), 1],
    ["words of the longest length", `${"abcdefghij".repeat(10)} `.repeat(10_000), 500_000],
    ["accents on one letter", `e${"\u0301".repeat(1_000_000)}`, 1],
    ["emoji", "😀".repeat(500_000), 1],
    ["half characters", "\ud800".repeat(1_000_000), 0],
    ["syllables that fold to three letters each", "각".repeat(1_000_000), 1],
    ["signs", "!".repeat(1_000_000), 1_000_000],
    ["spaces", " ".repeat(1_000_000), 0],
  ])("a megabyte of %s", (_, text, tokens) => {
    expect(pieces.encode(text).ids).toHaveLength(tokens);
  });
});

/** Half characters included; quicker than fast-check's own, which builds large tables first. */
const anyUnits = (maxLength: number) =>
  fc.array(fc.nat(0xffff), { maxLength }).map((units) => String.fromCharCode(...units));

const mixedText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "agree",
        "Consensus",
        "draft-ietf-",
        "ÄÖÜ",
        "e\u0301",
        "共识",
        "한국",
        "👍",
        " ",
        "\n",
        "'",
        "≠",
      ),
      fc.string({ unit: "grapheme", maxLength: 5 }),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(""))
  // see above: Σ at the end of a word, and ideographs beyond the basic plane, which the peer takes for letters
  .filter((text) => !/[\u03a3\u{20000}-\u{3ffff}]/u.test(text));

const splitsPair = (text: string, at: number): boolean =>
  (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;

/** The vocabulary follows the header of the static model. */
function readVocabulary(): string[] {
  const file = readFileSync(new URL("../assets/static-minilm.bin", import.meta.url));
  const words = file.subarray(32, 32 + file.readUInt32LE(20)).toString("utf8");
  return words.split("\n").slice(0, file.readUInt32LE(12));
}

function openPeer(): (text: string) => number[] {
  const tokenizer = new Tokenizer(
    {
      version: "1.0",
      added_tokens: [],
      normalizer: {
        type: "BertNormalizer",
        clean_text: true,
        handle_chinese_chars: true,
        strip_accents: null,
        lowercase: true,
      },
      pre_tokenizer: { type: "BertPreTokenizer" },
      post_processor: null,
      decoder: { type: "WordPiece", prefix: "##", cleanup: true },
      model: {
        type: "WordPiece",
        unk_token: "[UNK]",
        continuing_subword_prefix: "##",
        max_input_chars_per_word: 100,
        vocab: Object.fromEntries(vocabulary.map((token, id) => [token, id])),
      },
    },
    {},
  );
  return (text) => tokenizer.encode(text, { add_special_tokens: false }).ids;
}
