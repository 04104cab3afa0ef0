/** The charset meant by a label of a real archive, as named by `decodeCharset`; null for unknown words. */
export function readCharsetLabel(label: string): string | null {
  const plain = label
    .slice(0, 80)
    .toLowerCase()
    .replace(/["'\s<>\\]/g, "")
    .replace(/^charset=/, "");
  const word = /^[a-z0-9_.:+-]+/.exec(plain)?.[0] ?? "";
  return aliases.get(squeeze(word)) ?? patternOf(squeeze(word)) ?? knownToPlatform(word);
}

/** Labels differ in hyphens, underscores and an `x-` in front, never in meaning. */
const squeeze = (label: string) =>
  label
    .replace(/[^a-z0-9]/g, "")
    .replace(/^x(?!\d)/, "")
    .replace(/^cs(?=[a-z])/, "");

const aliases: ReadonlyMap<string, string> = new Map(
  [
    ["us-ascii", "ascii usascii ansix341968 ansix341986 iso646us 646 us isoir6 ibm367 cp367 7bit usaskey en"],
    ["utf-8", "utf8 utf unicode11utf8 unicode20utf8 utf8mb4 utf8mac cp65001 utf8n"],
    ["utf-7", "utf7 unicode11utf7 unicode20utf7 utf7imap cp65000"],
    ["utf-16", "utf16 unicode ucs2 iso10646ucs2 isoir10646"],
    ["utf-16le", "utf16le ucs2le unicodefffe"],
    ["utf-16be", "utf16be ucs2be unicodefeff"],
    ["utf-32", "utf32 ucs4 iso10646ucs4 utf32le utf32be"],
    [
      "windows-1252",
      "iso88591 latin1 l1 isolatin1 iso885911987 8859 88591 isoir100 ibm819 cp819 ansi westerneuropean",
    ],
    ["iso-8859-2", "latin2 l2 isolatin2 88592"],
    ["iso-8859-9", "latin5 l5 88599"],
    ["iso-8859-8-i", "iso88598i iso88598e hebrew"],
    ["iso-8859-15", "latin9 latin0 l9 885915"],
    ["windows-874", "tis620 tis6202533 iso885911 thai ibm874 cp874"],
    [
      "gb18030",
      "gb2312 gb231280 gb23121980 gb gbk cp936 ms936 windows936 euccn gb18030 isoir58 chinese gb180302000",
    ],
    ["hz", "hz hzgb2312"],
    ["big5", "big5 big5hkscs big5tw big5eten cp950 ms950 windows950 chinesebig5 cnbig5"],
    ["shift_jis", "shiftjis sjis mskanji cp932 ms932 windows932 windows31j sjisopen"],
    ["euc-jp", "eucjp ujis cp51932 eucpkdfmtjapanese eucjpms"],
    ["iso-2022", "iso2022jp iso2022jp1 iso2022jp2 iso2022jp3 iso2022jp2004 iso2022jpms jis cp50220 cp50221"],
    ["iso-2022", "iso2022kr iso2022cn iso2022cnext iso2022int1 junetcode jisencoding"],
    ["euc-kr", "euckr ksc56011987 ksc5601 ksc56011989 cp949 ms949 uhc windows949 korean isoir149 johab"],
    ["koi8-r", "koi8r koi8 koi koi8ru koi7"],
    ["koi8-u", "koi8u"],
    ["ibm866", "cp866 ibm866 866 alt dos866"],
    ["macintosh", "macintosh mac macroman applemacroman"],
    ["x-mac-cyrillic", "maccyrillic macukrainian"],
    ["mac-ce", "macce maccentraleurope maccentraleurroman maclatin2"],
    ["mac-greek", "macgreek"],
    ["mac-turkish", "macturkish"],
    ["mac-icelandic", "macicelandic maciceland"],
    ["mac-croatian", "maccroatian"],
    ["mac-romanian", "macromanian macromania"],
    ["iso-8859-16", "iso885916 latin10"],
    ["viscii", "viscii vietnamese"],
  ].flatMap(([charset, labels]) => labels!.split(" ").map((label): [string, string] => [label, charset!])),
);

function patternOf(squeezed: string): string | null {
  const [, family, number] = /^(windows|win|cp|ibm|dos|msdos|oem|pc|iso)(\d{2,6})/.exec(squeezed) ?? [];
  if (!family || !number) return null;
  if (/^125[0-8]$/.test(number)) return `windows-${number}`;
  const iso = /^8859(\d{1,2})/.exec(number)?.[1];
  if (iso) return readIsoNumber(Number(iso));
  return oemPages.has(number) ? `cp${number}` : null;
}

/** ISO 8859-1 and -9 mean their Windows supersets, as in every mail reader. */
function readIsoNumber(number: number): string | null {
  if (number === 1) return "windows-1252";
  if (number === 9) return "windows-1254";
  if (number === 11) return "windows-874";
  return number >= 2 && number <= 16 && number !== 12 ? `iso-8859-${number}` : null;
}

const oemPages = new Set("437 737 775 850 852 857 858 862 863 865".split(" "));

function knownToPlatform(word: string): string | null {
  if (word === "") return null;
  try {
    return new TextDecoder(word).encoding;
  } catch {
    return null;
  }
}
