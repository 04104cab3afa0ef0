import type { Person } from "./findings.ts";
import { nameWords } from "./people.ts";
import type { Signal } from "./stances.ts";

/**
 * Short marks of approval and refusal that are no sentences: the trailers of kernel lists, ACK and NAK, thumbs.
 *
 * | written                                | is                                             |
 * |----------------------------------------|------------------------------------------------|
 * | Acked-by, Reviewed-by, Tested-by       | support of the one named, if they write it     |
 * | Nacked-by, NAK, NACK                   | objection                                      |
 * | Signed-off-by                          | support, in a short answer to a patch; else    |
 * |                                        | everybody who touches a patch signs            |
 * | Reported-by, Cc                        | nothing                                        |
 * | 👍, 👎                                  | support, objection                             |
 */
export function readMarks(text: string, author: Person, isPatchAnswer: boolean): readonly Signal[] {
  const signals: Signal[] = [];
  const isShort = isPatchAnswer && text.length < answerLengthMax;
  let start = 0;
  let previous = "";
  for (const whole of text.split("\n")) {
    const line = whole.slice(0, 300);
    const span = { start, end: start + line.length };
    start += whole.length + 1;
    const found =
      readTrailer(line, author) ??
      (isShort ? readSignature(line, author) : undefined) ??
      (goesOn(previous, line) ? undefined : readShort(line));
    previous = whole.slice(-wrappedLengthMax);
    if (found !== undefined) signals.push({ ...found, span });
  }
  return signals;
}

const wrappedLengthMax = 200;
/** A longer answer with a Signed-off-by is a patch of its own. */
const answerLengthMax = 300;

/** Whether a line continues a sentence of the previous line: "record your↵NACK in the log". */
export const goesOn = (previous: string, line: string): boolean =>
  previous.length >= 30 &&
  /[\p{L}\p{N},]\r?$/u.test(previous) &&
  /^[+−–-]?[\p{L}\p{N}.]{1,8}[ \t]+\p{Ll}/u.test(line) &&
  !/^\S{1,8}[ \t]+(?:from (?:me|my)|on|for|to|non|binding|as|with|but)\b/i.test(line);

type Mark = Omit<Signal, "span">;

const trailer =
  /^[ \t*]{0,8}(acked|reviewed|reviwed|tested|nacked|nak|naked|approved|seconded|supported|ack|rejected)(?:-and-[a-z]{3,10})?-by[ \t]?:[ \t]*(.{0,200})$/i;

function readTrailer(line: string, author: Person): Mark | undefined {
  const match = trailer.exec(line);
  if (!match) return undefined;
  const kind = match[1]!.toLowerCase();
  const named = match[2]!;
  if (!isSelf(named, author)) return undefined;
  if (/^(?:na|rej)/.test(kind)) return { lean: -1, strength: 1, because: `writes ${match[1]}-by` };
  return { lean: 1, strength: kind === "tested" ? 0.7 : 0.9, because: `writes ${match[1]}-by` };
}

const signature = /^[ \t*]{0,8}(?:please add my[ \t]{1,2})?signed-off-by[ \t]?:[ \t]*(\S.{2,200})$/i;

/** A reader of somebody else's patch who adds a signature stands behind the patch. */
function readSignature(line: string, author: Person): Mark | undefined {
  const named = signature.exec(line)?.[1];
  if (named === undefined || !isSelf(named, author)) return undefined;
  return { lean: 1, strength: 0.85, because: "writes Signed-off-by" };
}

/** A patch carries the marks of other people too. */
function isSelf(named: string, author: Person): boolean {
  const address = /<([^<>\s]{3,200})>/.exec(named)?.[1]?.toLowerCase();
  if (address !== undefined && address === author.address.toLowerCase()) return true;
  const words = nameWords(named.split("<", 1)[0] ?? "");
  const own = new Set(nameWords(author.name));
  return words.length === 0 || (own.size > 0 && words.every((word) => own.has(word)));
}

const thumb = /(👍|👎|:\+1:|:-1:|:thumbs ?up:|:thumbs ?down:|(?<!\S)\(y\)(?!\S))/iu;
const ack =
  /^[ \t*]{0,4}(?:(?:sorry|so|hence|no|yes|thus|hmm|well)[,:]?[ \t]{1,2})?(?:(concept|approach|code review|strong|full|tested|weak|light|big)[ \t-]+)?(u?t?(?:ack|nack)|nak)(?![\w-])(?![ \t]*(?:packet|s\b|frame|number|flag|message|timer|range|delay|\?|of|the|is|from(?! (?:me|my|us))))/i;

function readShort(line: string): Mark | undefined {
  const shown = thumb.exec(line)?.[1];
  if (shown !== undefined) {
    const isDown = /👎|-1|down/i.test(shown);
    return { lean: isDown ? -1 : 1, strength: 0.7, because: isDown ? "thumbs down" : "thumbs up" };
  }
  const match = ack.exec(line);
  if (!match || /\?[ \t\r]{0,4}$/.test(line)) return undefined;
  const isNo = /^na|nack/i.test(match[2]!);
  // "ack" in technical talk is a packet; alone or in capitals an answer.
  if (match[2] !== match[2]!.toUpperCase() && !/^[ \t*]{0,4}\w{2,5}[.,!]?[ \t\r]{0,4}$/.test(line) && !isNo)
    return undefined;
  return { lean: isNo ? -1 : 1, strength: 0.85, because: isNo ? "writes NAK" : "writes ACK" };
}
