import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeHeaderText } from "./encoded-words.ts";

const read = (value: string, hint: string | null = null) => decodeHeaderText(value, hint).text;
const latin1 = (text: string) => Buffer.from(text, "utf8").toString("latin1");

describe("encoded words", () => {
  it.each([
    ["plain", "plain"],
    ["=?utf-8?Q?J=C3=B6rg?=", "Jörg"],
    ["=?UTF-8?b?SsO2cmc=?= Doe", "Jörg Doe"],
    ["=?utf-8?q?a_b?= =?utf-8?q?_c?=", "a b c"],
    ["=?utf-8?q?a?=\t =?iso-8859-1?q?=F6?= b", "aö b"],
    ["=?utf-8?B?4pw=?= =?utf-8?B?kw==?=", "✓"],
    ["=?utf-8?Q?=E2=9C?= =?utf-8?Q?=93?=", "✓"],
    ["=?utf-8?B?5L2g5aW9LOS4?= =?utf-8?B?lueVjA==?=", "你好,世界"],
    ["=?utf-8?B?SsO?= =?utf-8?B?2cmc=?=", "Jörg"],
    ["=?iso-8859-1*de?Q?f=FCr?=", "für"],
    ["=?utf-8?Q?with blanks inside?=", "with blanks inside"],
    ["=?utf-8?Q?not closed", "not closed"],
    ["=?utf-8?Q?cut =?utf-8?Q?_whole?=", "cut whole"],
    ["=?utf-8?Q?why??= because", "why? because"],
    ["=?utf-8?Q?a?=3D?=", "a?="],
    ['"=?utf-8?Q?J=C3=B6rg?=" x', '"Jörg" x'],
    ["=?utf-8?Q?=ZZ?=", "=ZZ"],
    ["a =? b ?= c", "a =? b ?= c"],
    ["=?utf-8?X?abc?=", "=?utf-8?X?abc?="],
    ["=?koi8-r?B?8NLJ18XU?=", "Привет"],
    ["=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=", "日本"],
    ["=?gb2312?B?xOO6ww==?=", "你好"],
    ["=?unknown-charset?Q?J=C3=B6rg?=", "Jörg"],
    ["=?us-ascii?Q?J=C3=B6rg?=", "Jörg"],
    ["=?utf-8?Q??=x", "x"],
  ])("%j read %j", (value, text) => expect(read(value)).toBe(text));

  it("may stand beside bare bytes, which are flagged", () => {
    const { text, flags } = decodeHeaderText(`${latin1("Größe")} =?utf-8?Q?=C3=B6?=`, null);
    expect(text).toBe("Größe ö");
    expect(flags).toContain("header.8bit");
  });

  it("are not needed where the charset of the body helps", () => {
    const bytes = Buffer.from("cff0e8e2e5f2", "hex").toString("latin1");
    expect(read(bytes, "windows-1251")).toBe("Привет");
    expect(read("\u001b$BF|K\\\u001b(B")).toBe("日本");
  });

  it("of any text come back, whatever the bytes per word", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 40 }),
        fc.integer({ min: 1, max: 45 }),
        (text, size) => {
          const bytes = Buffer.from(text, "utf8");
          const words: string[] = [];
          for (let i = 0; i < bytes.length; i += size) {
            words.push(`=?utf-8?B?${bytes.subarray(i, i + size).toString("base64")}?=`);
          }
          // An escape may be ISO-2022-JP, NUL UTF-16, and a byte order mark is not part of a text.
          fc.pre(!["\0", "\u001b"].some((one) => text.includes(one)) && !text.startsWith("\ufeff"));
          expect(read(words.join("\r\n "))).toBe(text);
        },
      ),
    );
  });
});
