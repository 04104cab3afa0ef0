/** Words that say "wrote" before or after a name, in the languages of the world's mailers. */
const verbs = [
  // English, with what people like to say instead
  "wrote|writes|write|written|said|says|typed|spake|spoke|scribbled|stated|replied|responded|posted",
  "mentioned",
  "asked|asks|quoth|opined|commented|babbled|scrawled|blurted|expounded|thusly|uttered|sayeth",
  "explained|noted|suggested",
  // German, Dutch, Afrikaans
  "schrieb|schrieben|schreibt|geschrieben|meinte|sagte|schreef|schrijft|geschreven|het geskryf",
  // Swedish, Norwegian, Danish, Icelandic, Finnish, Estonian
  "skrev|skriver|skrifaði|kirjoitti|kirjutas|kirjoittaa|följande",
  // French, Spanish, Catalan, Portuguese, Galician, Italian, Romanian
  "a écrit|a ecrit|écrit|écrivait|escribió|escribio|ha escrito|escribe|va escriure|escriure|ha escrit",
  "escreveu|escreve|escribiu|ha scritto|scrive|scriveva|scrisse|a scris|scrie",
  // Polish, Czech, Slovak, Slovenian, Croatian, Serbian, Hungarian, Lithuanian, Latvian
  "pisze|napisał|napisała|napisał\\(a\\)|pisał|napsal|napsala|napsal\\(a\\)|napísal|napísala",
  "napísal\\(a\\)|píše|piše",
  "napisal|napisala|je napisao|napisao|napisao\\/la|napisala\\/o|írta|ezt írta|rašė|rakstīja|rakstija",
  // Russian, Ukrainian, Belarusian, Bulgarian, Greek, Turkish, Vietnamese, Indonesian
  "пишет|писал|писала|написал|написала|написал\\(а\\)|пише|писав|написав|написала|напісаў|написа",
  "έγραψε|έγραψες",
  "yazdı|yazmış|şunu yazdı|şunları yazdı|đã viết|viết|menulis|idatzi zuen",
  // Hebrew, Arabic, Persian, Hindi, Thai
  "כתב|כתבה|כתב\\/ה|‏כתב|كتب|كتبت|نوشت|نوشته است|ने लिखा|เขียนว่า|เขียน",
];

/** East Asian languages have no spaces, so the word need not stand alone. */
const joinedVerbs =
  "写道|寫道|写到|寫到|wrote|写了|さんは書きました|のメール|のメッセージ|が書きました|님이 작성|님이 쓴 글|님의 말|작성";

const wordEdge = { before: "(?<![\\p{L}\\p{N}])", after: "(?![\\p{L}\\p{N}])" };

/** Found anywhere in a line. */
export const verb = new RegExp(
  `${wordEdge.before}(?:${verbs.join("|")})${wordEdge.after}|${joinedVerbs}`,
  "iu",
);

/** Found at the end of a line, before at most a colon and ornaments. */
export const verbAtEnd = new RegExp(
  `(?:${wordEdge.before}(?:${verbs.join("|")})|${joinedVerbs})(?: the following| folgendes| het volgende| this)?\\s?(?:[:：,;]|\\.\\.\\.|…)?\\s?[-*_>]{0,10}$`,
  "iu",
);

/** A line broken by a mailer inside an address: `> wrote:`. */
export const verbAlone = new RegExp(
  `^>?\\s?(?:${verbs.join("|")}|${joinedVerbs})\\s?[:：]?$|^>\\s?[:：]$`,
  "iu",
);

/** Beginning of a sentence that introduces a quote; a date or an address has to follow. */
export const lead = new RegExp(
  `^["'[(*_\\u200e\\u200f\\u202a\\u202b-]{0,6}\\s{0,2}(?:${[
    "On|At|In (?:article|message|reply to)|In(?= <| news:)|In an? (?:e-?mail|message)|From|Quoting",
    "Thus spake|Once upon a time|Yesterday|Earlier|Today|Previously",
    "Am|Um|Zitat von|Zitiere|In Artikel|Im Artikel|Vom|Le|L'|Selon|Dans l'article|En réponse à",
    "Citation de|El|Con fecha|Citando|Mensaje citado por",
    "Il(?: giorno)?|In data|Alle|Scrive|Em|No dia|A|Na|Op|In bericht|Citeren van|Quoting|Den|Dne|Dňa",
    "Dana|Dnia|W dniu|W|Cytowanie|Cytat",
    "Þann|På|Kl|Pe|În|La data de|La|Data|Στις|Στο|В|У|На|Вы писали|Vào|Pada|Tanggal|בתאריך|ב-|‫בתאריך",
    "في|بتاريخ|در|เมื่อ|在|于|於",
  ].join("|")})(?=[\\s,:;<"'’\\d]|$)`,
  "iu",
);

const month = "\\p{L}{3,12}\\.?";
/** A calendar date or a time of day, as mailers write them. */
export const dated = new RegExp(
  [
    "(?<!\\d)\\d{1,2}[./-]\\s?\\d{1,2}[./-]\\s?\\d{2,4}(?!\\d)",
    "(?<!\\d)\\d{4}[./-]\\s?\\d{1,2}[./-]\\s?\\d{1,2}(?!\\d)",
    "(?<!\\d)[0-2]?\\d[:h][0-5]\\d(?!\\d)",
    "\\d{4}\\s?[年년]",
    `(?<!\\d)\\d{1,2}(?:st|nd|rd|th|\\.|º)?[\\s-](?:de\\s|d’)?${month}[\\s,-]{1,2}(?:de\\s|del\\s)?(?:19|20)?\\d{2}(?!\\d)`,
    `${month}\\s{1,2}\\d{1,2}(?:st|nd|rd|th)?,?\\s{1,2}(?:19|20)\\d{2}(?!\\d)`,
    `(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? (?:the )?(?:\\d{1,2}|${month} \\d{1,2})`,
    "(?:19|20)\\d{2}\\. \\p{L}{3,12}",
  ].join("|"),
  "iu",
);

/** Weekday or month without more: a date for a sentence that also has a verb of writing. */
export const weekday =
  /(?<!\p{L})(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.? \d{1,2})(?!\p{L})/iu;

/** `x@y`, `x at y`, `[mailto:…]` and addresses as rewritten by archives. */
export const address =
  /[^\s<>()@]@[^\s<>()@]|&lt;|<[\w.+-]{1,64} (?:at|@|\(at\)|\[at\]) [\w.-]{1,80}|\([\w.+-]{1,64} (?:at|@) [\w.-]{1,80}\)|\[mailto:|<mailto:|<news:|\.\.\.>/iu;
