/**
 * The text with all foreign words blanked: leftovers of quoting, forwarded mail, code, diffs, web addresses and words
 * in quotation marks. The length is unchanged, so positions agree.
 */
export function blankForeignWords(clean: string): string {
  const lines = blankForeignLines(clean.split("\n"));
  let text = lines.join("\n");
  for (const pattern of foreignStretches) text = text.replace(pattern, blank);
  return text;
}

const blank = (stretch: string): string => stretch.replace(/[^\n]/g, " ");

/** A quotation ends within a few lines and does not cross an empty line. */
const inside = (closing: string): string => `(?:[^${closing}\\n]|\\n(?![ \\t\\r]{0,8}\\n)){1,400}`;
const foreignStretches: readonly RegExp[] = [
  /(?:https?|ftp|git|ssh):\/\/[^\s<>]{1,2000}/g,
  new RegExp(`\`${inside("`")}\``, "g"),
  new RegExp(`(?<![\\p{L}\\p{N}])"${inside('"')}"`, "gu"),
  new RegExp(`“${inside("“”")}”`, "g"),
  new RegExp(`„${inside("„“”")}[“”]`, "g"),
  new RegExp(`«${inside("«»")}»`, "g"),
  // A single quotation mark inside a word is an apostrophe.
  /(?<![\p{L}\p{N}'’])['‘](?=[\p{L}\p{N}+-])[^'‘’\n]{0,120}[\p{L}\p{N}.!?+-]['’](?![\p{L}\p{N}])/gu,
];

const quotedLine = /^[ \t]{0,4}(?:>|\|[ \t]|[A-Z][A-Za-z]{0,3}>)/;
const attribution =
  /(?:\bwrote|\bwrites|\bsaid|a écrit|schrieb|escribió|ha scritto|skrev|schreef|escreveu|пишет|написал)[ \t\u00A0]{0,3}(?:\.{3})?:[ \t\r]{0,8}$/i;
const attributionOpening = /^[ \t]{0,4}(?:On|Le|Am|El|Il|Den|Op|Em|At)\s.{0,200}\d/;
const restIsForeign =
  /^[ \t]{0,4}(?:-{2,}\s{0,2}(?:Original Message|Message d'origine|Ursprüngliche Nachricht|Mensaje original|Forwarded message|Original-Nachricht|Messaggio originale)\b|Begin forwarded message:|-- ?\r?$|_{20,}\r?$)/i;
const outlookHeader = /^(?:From|De|Von)\s?:\s?\S.{0,200}$/;
const outlookHeaderNext = /^(?:Sent|Date|To|Envoyé|Gesendet|Enviado|À|An)\s?:/;
const hunkHeader = /^[ \t]{0,2}@@ -\d{1,7}(?:,(\d{1,7}))? \+\d{1,7}(?:,(\d{1,7}))? @@/;
const diffHeader = /^(?:diff --git |index [0-9a-f]{4,}|--- (?:a\/|\/dev)|\+\+\+ (?:b\/|\/dev)|Index: )/;
/** A program's comment in the mail; a Markdown heading is not indented. */
const codeComment = /^(?:[ \t]{2,}|\t)(?:#(?!\d)|\/\/|\/\*|\*\/)/;
const fence = /^[ \t]{0,6}(?:```|~~~)/;

function blankForeignLines(lines: readonly string[]): string[] {
  const hunkLines = new Set([...linesOfHunks(lines), ...linesOfPrograms(lines)]);
  let fenced = false;
  let foreign = false;
  return lines.map((line, index) => {
    if (foreign || hunkLines.has(index)) return blank(line);
    const isFence = fence.test(line);
    if (isFence) fenced = !fenced;
    if (fenced || isFence) return blank(line);
    foreign = restIsForeign.test(line) || startsOutlookQuote(line, lines[index + 1]);
    const isForeign =
      foreign ||
      quotedLine.test(line) ||
      diffHeader.test(line) ||
      codeComment.test(line) ||
      attributes(line, lines[index + 1]);
    return isForeign ? blank(line) : line;
  });
}

/** A diff hunk states its number of lines; a reviewer's words in between end it early. */
function linesOfHunks(lines: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (let index = 0; index < lines.length; index++) {
    const header = hunkHeader.exec(lines[index]!);
    if (!header) continue;
    found.add(index);
    let before = Number(header[1] ?? 1);
    let after = Number(header[2] ?? 1);
    while (before + after > 0 && index + 1 < lines.length && /^(?:[ \t+\\-]|\r?$)/.test(lines[index + 1]!)) {
      const sign = lines[++index]![0];
      if (sign !== "+") before = Math.max(0, before - 1);
      if (sign !== "-") after = Math.max(0, after - 1);
      found.add(index);
    }
  }
  return found;
}

const prompt = /^[ \t]{0,8}(?:[\w.~/@:-]{0,60}[$%]|#) [\w./]/;
const reading = /^[ \t]{0,8}[\w./ -]{1,40}?[ \t]{0,4}[:=][ \t]{0,4}([+-]?\d[\d.]{0,12})[ \t\r]*$/;
const indented = /^(?: {4}|\t)/;

/** A transcript of a shell, a table of readings, an indented block: what a program says is nobody's vote. */
function linesOfPrograms(lines: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>();
  const isWholeIndented = lines.every((line) => line.trim() === "" || indented.test(line));
  for (let start = 0; start < lines.length; start++) {
    let end = start;
    while (end < lines.length && lines[end]!.trim() !== "") end++;
    const paragraph = lines.slice(start, end);
    const typed = paragraph.findIndex((line) => prompt.test(line));
    const readings = paragraph.map((line) => reading.exec(line)?.[1]);
    const isTable =
      readings.filter((value) => value !== undefined).length > 1 &&
      readings.some((value) => value !== undefined && !/^[+-]?[01]$/.test(value));
    const isBlock =
      paragraph.length > 1 && !isWholeIndented && paragraph.every((line) => indented.test(line));
    for (const [at] of paragraph.entries())
      if (isBlock || (typed >= 0 && at >= typed) || (isTable && readings[at] !== undefined))
        found.add(start + at);
    start = end;
  }
  return found;
}

function startsOutlookQuote(line: string, next: string | undefined): boolean {
  return outlookHeader.test(line) && outlookHeaderNext.test(next ?? "");
}

/** "On such a day somebody wrote:", also wrapped. */
function attributes(line: string, next: string | undefined): boolean {
  return attribution.test(line) || (attributionOpening.test(line) && attribution.test(next ?? ""));
}
