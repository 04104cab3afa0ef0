/**
 * Similarity of a text to language, as the mean over its characters beyond ASCII: about 2 in the right charset, below
 * 0 in a wrong charset. Letters are judged by frequency and neighbours. Charsets of China and Korea contain Japanese
 * letters too, unused there.
 */
export function scoreText(text: string, expectsKana = true): number {
  let sum = 0;
  let count = 0;
  let before = 32;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // A no-break space occurs in any language.
    if (code >= 128 && code !== 0xa0) {
      const score = scoreCharacter(code, before, i + 1 < text.length ? text.charCodeAt(i + 1) : 32);
      sum += !expectsKana && isKana(code) ? -1 : score;
      count++;
    }
    before = code;
  }
  return count === 0 ? 2 : sum / count;
}

const isKana = (code: number) => code >= 0x3041 && code < 0x30fd;

function scoreCharacter(code: number, before: number, after: number): number {
  if (code === 0xfffd) return -10;
  if (code < 0xa0) return -8;
  if (isLatin(code)) return scoreLatin(code, before, after);
  if (code < 0x250 || (code >= 0x2000 && code < 0x2400)) return scoreSign(code, before, after);
  if (isAsciiLetter(before) && isAsciiLetter(after)) return -3;
  if (code >= 0x4e00 && code < 0x9fa6) return common.has(code) ? 2.5 : 0.3;
  if (code >= 0xac00 && code < 0xd7a4) return common.has(code) ? 2.5 : 0.2;
  if (code >= 0x3000 && code < 0x3100) return scoreKana(code);
  if (code >= 0x370 && code < 0x530) return scoreCased(code, before, after);
  if (code >= 0x590 && code < 0xe60) return scoreUncased(code, before, after);
  if (code >= 0xff01 && code < 0xff5f) return 1;
  if (code >= 0xff61 && code < 0xffa0) return -1.5;
  return code >= 0xe000 && code < 0xf900 ? -6 : -2;
}

/** In Western languages a letter beyond ASCII stands between ASCII letters; several in a row show a wrong charset. */
function scoreLatin(code: number, before: number, after: number): number {
  const isUpper =
    (code < 0xdf && code >= 0xc0) ||
    (code > 0xff && String.fromCharCode(code).toLowerCase() !== String.fromCharCode(code));
  if (isUpper && isLower(before)) return -3;
  const neighbours = (isLatin(before) ? 1 : 0) + (isLatin(after) ? 1 : 0);
  // Polish and Czech do have three in a row.
  if (neighbours === 2) return Math.max(code, before, after) > 0xff ? 0 : -3;
  const worth = common.has(code) ? 1.5 : -0.5;
  return neighbours === 1 ? worth - 1 : worth;
}

const isLatin = (code: number) => code >= 0xc0 && code < 0x250 && code !== 0xd7 && code !== 0xf7;
const isAsciiLetter = (code: number) => (code | 32) >= 97 && (code | 32) <= 122 && code < 128;
const isLower = (code: number) => (code >= 97 && code <= 122) || (code >= 0xdf && code <= 0xff);

/** Signs do not stand inside words, apostrophes aside. */
function scoreSign(code: number, before: number, after: number): number {
  if (isAsciiLetter(before) && isAsciiLetter(after) && code !== 0x2019 && code !== 0x2018 && code !== 0xb7)
    return -3;
  return common.has(code) ? 1 : -2;
}

const scoreKana = (code: number) =>
  code < 0x3003 ? 2 : code >= 0x3041 && code < 0x3094 ? 2.5 : code >= 0x30a1 && code < 0x30fd ? 1.8 : -0.5;

/** Greek and Cyrillic: a capital inside a word shows the wrong charset of the same script. */
function scoreCased(code: number, before: number, after: number): number {
  if (isAsciiLetter(before) || isAsciiLetter(after)) return -3;
  const isAlone = !isCased(before) && !isCased(after);
  if (isAlone) return 0.2;
  const isCapital = isCasedCapital(code);
  if (isMisplaced(code, before, after)) return -4;
  if (!isCapital) return common.has(code) ? 2.5 : plain.has(code) ? 0.8 : -2;
  const afterLetter = isCased(before);
  if (afterLetter && !isCasedCapital(before)) return -4;
  if (afterLetter) return 0.2;
  return plain.has(code + 32) || common.has(code + 32) ? 1.2 : -1;
}

/**
 * The short i follows a vowel, the hard sign stands between letters; in Hebrew the same bytes are the most frequent.
 */
function isMisplaced(code: number, before: number, after: number): boolean {
  if (code === 0x439) return isCased(before) && !vowels.has(before);
  return code === 0x44a && (!isCased(before) || vowels.has(before) || !isCased(after));
}

/** Hebrew, Arabic and Thai. */
function scoreUncased(code: number, before: number, after: number): number {
  if (isAsciiLetter(before) || isAsciiLetter(after)) return -3;
  if (before < 0x590 && after < 0x590) return 0;
  // Five Hebrew letters have a separate form at the end of a word.
  if ("םןךףץ".includes(String.fromCharCode(code)) && after >= 0x5d0 && after < 0x5eb) return -3;
  if (common.has(code)) return 2.3;
  return code >= 0x5d0 && code < 0x5eb ? 1 : 0.2;
}

const isCased = (code: number) => code >= 0x370 && code < 0x530;

const isCasedCapital = (code: number) =>
  (code >= 0x386 && code <= 0x3ab && code !== 0x390) || (code >= 0x400 && code < 0x430);

const codesOf = (characters: string) => new Set([...characters].map((each) => each.charCodeAt(0)));

const vowels = codesOf("аеёиоуыэюяАЕЁИОУЫЭЮЯіїєІЇЄ");

/** Rarer letters of Greek and Cyrillic. */
const plain = codesOf("гзбчйхжшюцщэфъёіїєґўβγδζθλμξφχψωϊϋΐΰ");

const common = codesOf(
  [
    "éèêàâçîôûùëïüöäßñíóáúåøæãõœìòýÉÈÀÇÜÖÄÅØÆÑÍÓÁÚÊÂÎ",
    "ąęłśżźćńőűřšžěčďťňůăşţșțğıŁŚŻŹŠŽČŘİŞ",
    "’“”‘–—…€£§°±·«»¿¡™©®²•„‚",
    "оеаинтсрвлкмдпуяыь",
    "αοιετσνηυρπκςάίόέήώύ",
    "יוהלאםתרשבמןנחדע",
    "اليمونرتبةعدسفهكقح",
    "านรกอเงม่้ัยวลีทสตะดคป",
    "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可",
    "里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三",
    "已老从动两长知样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问",
    "世界水木火金山川风雨春秋朋友工作问题讨论意见建议支持反对您请谢邮件测试题吗给版网件体系统信息加关于电子送最新式代码程序",
    "這來國個說們為時會過學對裡後麼沒於還發當無開見經頭從動兩長現將與進實點種聲話問請謝郵測試題嗎",
    "給網體統關電送式碼應該謝",
    "語使用場合思言今何方彼私前入立出生気付予定変更開発確認願致質問様御社員会議資料連絡件名返",
    "이다는을가에의고하지로한은기사도를어자인그리시대해나아있서것들게수니만일보전과부정안면라제내여",
    "스주상요오습세신당원우구없때합위러문모공동장되화생성간려무개했경말마음방용메중국저비학님답녕",
    "，。、；：？！（）《》「」『』・ー　",
  ].join(""),
);
