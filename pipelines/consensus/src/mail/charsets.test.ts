import { describe, expect, it } from "vitest";
import { readCharsetLabel } from "./charset-labels.ts";
import { decodeText } from "./charsets.ts";

/** Label, text, and its bytes in the charset. */
const sentences = [
  [
    "koi8-r",
    "Привет, мир! Как дела сегодня?",
    "f0d2c9d7c5d42c20cdc9d22120ebc1cb20c4c5ccc120d3c5c7cfc4ced13f",
  ],
  ["koi8-u", "Привіт, як справи?", "f0d2c9d7a6d42c20d1cb20d3d0d2c1d7c93f"],
  [
    "windows-1251",
    "Привет, мир! Как дела сегодня?",
    "cff0e8e2e5f22c20ece8f02120cae0ea20e4e5ebe020f1e5e3eee4edff3f",
  ],
  [
    "iso-8859-5",
    "Привет, мир! Как дела сегодня?",
    "bfe0d8d2d5e22c20dcd8e02120bad0da20d4d5dbd020e1d5d3ded4ddef3f",
  ],
  ["cp866", "Привет, мир! Как дела сегодня?", "8fe0a8a2a5e22c20aca8e021208aa0aa20a4a5aba020e1a5a3aea4adef3f"],
  [
    "x-mac-cyrillic",
    "Привет, мир! Как дела сегодня?",
    "8ff0e8e2e5f22c20ece8f021208ae0ea20e4e5ebe020f1e5e3eee4eddf3f",
  ],
  [
    "windows-1252",
    "Été à l’école : çà et là, où ?",
    "c974e920e0206c92e9636f6c65203a20e7e0206574206ce02c206ff9203f",
  ],
  ["iso-8859-1", "Été à l'école", "c974e920e0206c27e9636f6c65"],
  ["iso-8859-15", "100 € œuvre", "31303020a420bd75767265"],
  ["iso-8859-2", "Zażółć gęślą jaźń", "5a61bff3b3e62067eab66cb1206a61bcf1"],
  ["windows-1250", "Zażółć gęślą jaźń", "5a61bff3b3e62067ea9c6cb9206a619ff1"],
  ["windows-1253", "Καλημέρα κόσμε", "cae1ebe7ecddf1e120eafcf3ece5"],
  ["iso-8859-7", "Καλημέρα κόσμε", "cae1ebe7ecddf1e120eafcf3ece5"],
  ["windows-1254", "Şeker ışığı güneş", "de656b657220fdfefdf0fd2067fc6e65fe"],
  ["iso-8859-9", "Şeker ışığı güneş", "de656b657220fdfefdf0fd2067fc6e65fe"],
  ["windows-1255", "שלום עולם", "f9ece5ed20f2e5eced"],
  ["iso-8859-8-i", "שלום עולם", "f9ece5ed20f2e5eced"],
  ["windows-1256", "مرحبا بالعالم", "e3d1cdc8c720c8c7e1dac7e1e3"],
  ["iso-8859-6", "مرحبا بالعالم", "e5d1cdc8c720c8c7e4d9c7e4e5"],
  ["windows-1257", "Ąžuolas šiąnakt", "c0fe756f6c617320f069e06e616b74"],
  ["iso-8859-13", "Ąžuolas šiąnakt", "c0fe756f6c617320f069e06e616b74"],
  ["iso-8859-4", "Ąžuolas šiąnakt", "a1be756f6c617320b969b16e616b74"],
  ["tis-620", "สวัสดีชาวโลก", "cac7d1cab4d5aad2c7e2c5a1"],
  ["gb2312", "你好，世界。这是一个测试邮件", "c4e3bac3a3accac0bde7a1a3d5e2cac7d2bbb8f6b2e2cad4d3cabcfe"],
  ["gb_2312-80", "你好，世界。这是一个测试邮件", "c4e3bac3a3accac0bde7a1a3d5e2cac7d2bbb8f6b2e2cad4d3cabcfe"],
  ["x-gbk", "你好，世界。这是一个测试邮件", "c4e3bac3a3accac0bde7a1a3d5e2cac7d2bbb8f6b2e2cad4d3cabcfe"],
  [
    "gb18030",
    "你好，世界。这是一个测试邮件€",
    "c4e3bac3a3accac0bde7a1a3d5e2cac7d2bbb8f6b2e2cad4d3cabcfea2e3",
  ],
  ["big5", "你好，世界。這是一個測試郵件", "a741a66ea141a540acc9a143b36fac4fa440add3b4fab8d5b66ca5f3"],
  ["big5-hkscs", "你好，世界。這是一個測試郵件", "a741a66ea141a540acc9a143b36fac4fa440add3b4fab8d5b66ca5f3"],
  [
    "shift_jis",
    "こんにちは世界。これはテストです",
    "82b182f182c982bf82cd90a28a45814282b182ea82cd83658358836782c582b7",
  ],
  [
    "cp932",
    "こんにちは世界。これはテストです",
    "82b182f182c982bf82cd90a28a45814282b182ea82cd83658358836782c582b7",
  ],
  [
    "euc-jp",
    "こんにちは世界。これはテストです",
    "a4b3a4f3a4cba4c1a4cfc0a4b3a6a1a3a4b3a4eca4cfa5c6a5b9a5c8a4c7a4b9",
  ],
  [
    "iso-2022-jp",
    "こんにちは世界。これはテストです",
    "1b244224332473244b2441244f4024332621232433246c244f254625392548244724391b2842",
  ],
  [
    "iso-2022-jp-2",
    "こんにちは世界。これはテストです你",
    "1b244224332473244b2441244f4024332621232433246c244f254625392548244724391b242844305f1b2842",
  ],
  [
    "euc-kr",
    "안녕하세요 세계, 이것은 시험입니다",
    "bec8b3e7c7cfbcbcbfe420bcbcb0e82c20c0ccb0cdc0ba20bdc3c7e8c0d4b4cfb4d9",
  ],
  [
    "ks_c_5601-1987",
    "안녕하세요 세계, 이것은 시험입니다",
    "bec8b3e7c7cfbcbcbfe420bcbcb0e82c20c0ccb0cdc0ba20bdc3c7e8c0d4b4cfb4d9",
  ],
  [
    "iso-2022-kr",
    "안녕하세요 세계, 이것은 시험입니다",
    "1b2429430e3e483367474f3c3c3f640f200e3c3c30680f2c200e404c304d403a0f200e3d4347684054344f34590f",
  ],
  [
    "hz-gb-2312",
    "你好，世界。这是一个测试邮件",
    "7e7b44633a43232c4a403d67212355624a47523b387632624a54534a3c7e7e7d",
  ],
  [
    "utf-7",
    "Été à l’école : çà et là, où ?こんにちは世界。これはテストです",
    "2b414d6b2d742b414f6b202b414f41206c2b49426b4136512d636f6c65203a202b414f63413441206574206c2b414f412c206f2b41506b203f2b4d464d776b7a42724d4745776230345764557777416a42544d497777627a44474d4c6b777944426e4d466b2d",
  ],
  [
    "unicode-1-1-utf-7",
    "Привет, мир! Как дела сегодня?",
    "2b4242384551415134424449454e5152432c202b424477454f41524121202b42426f454d415136202b424451454e515137424441202b424545454e51517a424434454e4151394245383f",
  ],
  [
    "utf-16le",
    "Привет, мир! Как дела сегодня?",
    "1f04400438043204350442042c0020003c0438044004210020001a0430043a042000340435043b04300420004104350433043e0434043d044f043f00",
  ],
  [
    "utf-16be",
    "こんにちは世界。これはテストです",
    "30533093306b3061306f4e16754c30023053308c306f30c630b930c830673059",
  ],
  [
    "utf-16",
    "Grüße aus Köln, schöne Tage",
    "fffe47007200fc00df006500200061007500730020004b00f6006c006e002c002000730063006800f6006e00650020005400610067006500",
  ],
  [
    "utf-32",
    "Grüße aus Köln, schöne Tage",
    "fffe00004700000072000000fc000000df0000006500000020000000610000007500000073000000200000004b000000f60000006c0000006e0000002c00000020000000730000006300000068000000f60000006e000000650000002000000054000000610000006700000065000000",
  ],
  ["cp437", "Müller ½ ░▒", "4d816c6c657220ab20b0b1"],
  ["cp-850", "Grüße aus Köln, schöne Tage", "477281e16520617573204b946c6e2c20736368946e652054616765"],
  ["ibm852", "Zażółć gęślą jaźń", "5a61bea288862067a9986ca5206a61abe4"],
  ["cp858", "5 € für ï", "3520d520668172208b"],
  ["macintosh", "Été ∞ “x”", "83748e20b020d278d3"],
  ["x-mac-ce", "Zażółć gęślą jaźń", "5a61fd97b88d2067abe66c88206a6190c4"],
  ["x-mac-greek", "Καλημέρα κόσμε", "bae1ece8eddbf2e120ebdef3ede5"],
  ["x-mac-turkish", "Şeker ışığı güneş", "de656b657220dddfdddbdd20679f6e65df"],
  ["iso-8859-16", "Țară și sus", "de6172e320ba6920737573"],
  ["iso-8859-10", "Þetta er íslenska", "de6574746120657220ed736c656e736b61"],
  ["iso-8859-14", "Ŵy Cymru", "d0792043796d7275"],
  ["iso-8859-3", "Ĝis la revido ĉiuj", "d86973206c612072657669646f20e669756a"],
  ["windows-1258", "Đông à", "d0f46e6720e0"],
  ["viscii", "Tiếng Việt", "5469aa6e67205669ae74"],
] as const;

describe("text in a charset that real mail is written in", () => {
  it.each(sentences)("%s reads %s", (label, text, hex) => {
    expect(decodeText(Buffer.from(hex, "hex"), { charset: label })).toEqual({ text, flags: [] });
  });
});

const bytesOf = (label: string) => Buffer.from(sentences.find((row) => row[0] === label)![2], "hex");
const textOf = (label: string) => sentences.find((row) => row[0] === label)![1];

describe("text with a missing or wrong label", () => {
  const guessed =
    "koi8-r windows-1251 windows-1252 iso-8859-2 windows-1253 windows-1255 windows-1256 tis-620 gb2312 big5 shift_jis euc-jp euc-kr cp866 iso-2022-jp";
  it.each(guessed.split(" "))("in %s is read without any label, and flagged", (charset) => {
    expect(decodeText(bytesOf(charset), { charset: null })).toEqual({
      text: textOf(charset),
      flags: ["charset.guessed"],
    });
  });

  it.each("koi8-r windows-1251 gb2312 big5 shift_jis euc-jp euc-kr windows-1252".split(" "))(
    "in %s is read although it says UTF-8",
    (charset) => {
      expect(decodeText(bytesOf(charset), { charset: "utf-8" })).toEqual({
        text: textOf(charset),
        flags: ["charset.mislabelled"],
      });
    },
  );

  it.each("koi8-r windows-1251 gb2312 big5 shift_jis euc-jp euc-kr".split(" "))(
    "in %s is read although it says ISO-8859-1",
    (charset) => {
      expect(decodeText(bytesOf(charset), { charset: "iso-8859-1" }).text).toBe(textOf(charset));
    },
  );

  it.each(["iso-8859-1", "windows-1252", "us-ascii", "koi8-r", "x-unknown", "windows-1251", "no-such-thing"])(
    "in UTF-8 is read although it says %s",
    (label) => {
      const text = "Grüße, Ödön: “schön”";
      expect(decodeText(Buffer.from(text), { charset: label }).text).toBe(text);
    },
  );

  it("in UTF-8 with a footer in Latin-1 loses neither", () => {
    const bytes = Buffer.concat([
      Buffer.from("Grüße, Jürgen, schöne Tage ✓\n"),
      Buffer.from("Liste f\xfcr alle", "latin1"),
    ]);
    expect(decodeText(bytes, { charset: "utf-8" })).toEqual({
      text: "Grüße, Jürgen, schöne Tage ✓\nListe für alle",
      flags: ["charset.mislabelled"],
    });
  });

  it("in UTF-8 that was cut in a character loses that character only", () => {
    expect(decodeText(Buffer.from("Grüße ✓").subarray(0, -1), { charset: "utf-8" }).text).toBe("Grüße ");
  });

  it("that is a single accent at the end is not taken for cut UTF-8", () => {
    expect(decodeText(Buffer.from("caf\xe9", "latin1"), { charset: null }).text).toBe("café");
  });

  it("in UTF-16 is found by its mark or its zeros", () => {
    const text = "Hello, this is wide text.";
    const little = Buffer.from(text, "utf16le");
    const big = Buffer.from(little).swap16();
    expect(decodeText(little, { charset: null }).text).toBe(text);
    expect(decodeText(big, { charset: null }).text).toBe(text);
    expect(decodeText(Buffer.concat([Buffer.from([0xff, 0xfe]), little]), { charset: "us-ascii" }).text).toBe(
      text,
    );
    expect(decodeText(Buffer.from(text), { charset: "utf-16" }).text).toBe(text);
  });

  it("takes the charset that the mail uses elsewhere first", () => {
    expect(decodeText(Buffer.from("e9", "hex"), { charset: null, hint: "koi8-r" }).text).toBe("И");
  });

  it("of blanks that do not break is not taken for Russian", () => {
    const bytes = Buffer.from("\xa0\xa0 a \xa0\xa0 b", "latin1");
    expect(decodeText(bytes, { charset: "windows-1252" })).toEqual({
      text: "\u00a0\u00a0 a \u00a0\u00a0 b",
      flags: [],
    });
  });

  it("of single accented letters is not taken for Russian", () => {
    const bytes = Buffer.from("\xe9 \xe8 \xe7 \xe0 \xee \xef \xeb \xe4", "latin1");
    expect(decodeText(bytes, { charset: null }).text).toBe("é è ç à î ï ë ä");
  });
});

describe("a label", () => {
  it.each([
    ["UTF8", "utf-8"],
    ['"utf-8"', "utf-8"],
    ["utf-8;", "utf-8"],
    ["charset=us-ascii", "us-ascii"],
    ["ANSI_X3.4-1968", "us-ascii"],
    ["cp1252", "windows-1252"],
    ["x-cp1251", "windows-1251"],
    ["win-1250", "windows-1250"],
    ["ISO_8859-1:1987", "windows-1252"],
    ["iso8859-15", "iso-8859-15"],
    ["ks_c_5601-1987", "euc-kr"],
    ["gb_2312-80", "gb18030"],
    ["x-gbk", "gb18030"],
    ["unicode-1-1-utf-7", "utf-7"],
    ["csISO2022JP", "iso-2022"],
    ["cp-850", "cp850"],
    ["x-sjis", "shift_jis"],
    ["windows-31j", "shift_jis"],
    ["tis-620", "windows-874"],
  ])("%s means %s", (label, charset) => expect(readCharsetLabel(label)).toBe(charset));

  it.each(["", "x-unknown", "fakescii", "???", "_"])("%j means nothing", (label) =>
    expect(readCharsetLabel(label)).toBeNull(),
  );

  it("that nobody knows is flagged, and one that says so is not", () => {
    expect(decodeText(Buffer.from("abc"), { charset: "fakescii" }).flags).toEqual(["charset.unknown"]);
    expect(decodeText(Buffer.from("abc"), { charset: "x-unknown" }).flags).toEqual([]);
  });
});
