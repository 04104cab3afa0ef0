import { decodeText } from "./charsets.ts";
import { decodeHeaderText } from "./encoded-words.ts";

/** A field such as `text/plain; charset=utf-8`. */
export interface Parameterised {
  /** In lower case, without blanks. */
  readonly value: string;
  /** Each byte one character; parameters encoded by RFC 2231 are UTF-8. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Reads a value and its parameters; of a repeated parameter the first counts. */
export function readParameters(field: string): Parameterised {
  const [first = "", ...others] = splitAtSemicolons(stripComments(field.slice(0, fieldCharactersMax)));
  const hasValue =
    !/^[\w*-]+\s*=/.test(first) || (first.indexOf("/") >= 0 && first.indexOf("/") < first.indexOf("="));
  const raw = new Map<string, string>();
  for (const piece of hasValue ? others : [first, ...others]) {
    const equals = piece.indexOf("=");
    if (equals <= 0 || raw.size >= parametersMax) continue;
    const name = piece.slice(0, equals).trim().toLowerCase();
    if (!raw.has(name)) raw.set(name, unquote(piece.slice(equals + 1).trim()));
  }
  const value = hasValue ? first.trim().replace(/^"|"$/g, "").toLowerCase() : "";
  return { value: value.split(/\s/, 1)[0] ?? "", parameters: joinContinuations(raw) };
}

/** A human-readable parameter, such as a file name, in any encoding. */
export const readableParameter = (value: string): string => decodeHeaderText(value, null).text;

const fieldCharactersMax = 20_000;
const parametersMax = 200;

function splitAtSemicolons(field: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let i = 0; i < field.length; i++) {
    const code = field.charCodeAt(i);
    if (code === 92 && isQuoted) i++;
    else if (code === 34) isQuoted = isQuoted ? false : opensQuote(field, i);
    else if (code === 59 && !isQuoted) {
      pieces.push(field.slice(start, i));
      start = i + 1;
    }
  }
  pieces.push(field.slice(start));
  return pieces.map((piece) => piece.trim());
}

/** A quotation mark opens a text only after `=`, and only if closed later. */
const opensQuote = (field: string, at: number) =>
  /[=\s]/.test(field[at - 1] ?? " ") && field.includes('"', at + 1);

function unquote(value: string): string {
  if (!value.startsWith('"')) return value.replace(/^'([^']*)'$/, "$1");
  let out = "";
  for (let i = 1; i < value.length; i++) {
    const character = value[i]!;
    if (character === '"') return out;
    // A Windows path has backslashes that escape nothing.
    if (character === "\\" && /["\\]/.test(value[i + 1] ?? "")) out += value[++i];
    else out += character;
  }
  return out;
}

/** Removes comments outside of quoted texts; `name=report (1).pdf` has none. */
function stripComments(field: string): string {
  if (!field.includes("(")) return field;
  let out = "";
  let isQuoted = false;
  for (let i = 0; i < field.length; i++) {
    const character = field[i]!;
    if (character === '"') isQuoted = !isQuoted;
    const end =
      character === "(" && !isQuoted && /[\s;]/.test(field[i - 1] ?? " ") ? endOfComment(field, i) : i;
    if (end < 0) return out + field.slice(i);
    if (end > i && /[\s;]/.test(field[end + 1] ?? " ")) i = end;
    else out += character;
  }
  return out;
}

function endOfComment(field: string, from: number): number {
  let depth = 0;
  for (let i = from; i < field.length; i++) {
    if (field[i] === "(") depth++;
    if (field[i] === ")" && --depth === 0) return i;
  }
  return -1;
}

/** RFC 2231: `name*0*=utf-8''%C3%A4; name*1=b` is one parameter in pieces. */
function joinContinuations(raw: ReadonlyMap<string, string>): Map<string, string> {
  const out = new Map<string, string>();
  const pieces = new Map<string, { index: number; isEncoded: boolean; text: string }[]>();
  for (const [name, text] of raw) {
    const [, stem, digits, star] = /^([^*]+)\*(?:(\d{1,4})(\*)?)?$/.exec(name) ?? [];
    if (!stem) {
      out.set(name, text);
      continue;
    }
    const piece = { index: Number(digits ?? 0), isEncoded: digits === undefined || star === "*", text };
    pieces.set(stem, [...(pieces.get(stem) ?? []), piece]);
  }
  for (const [stem, parts] of pieces) {
    const joined = decodePieces(parts.toSorted((a, b) => a.index - b.index));
    if (joined !== "") out.set(stem, joined);
  }
  return out;
}

function decodePieces(parts: readonly { isEncoded: boolean; text: string }[]): string {
  const first = parts[0]!;
  const [, charset, text] = (first.isEncoded && /^([^']*)'[^']*'(.*)$/s.exec(first.text)) || [];
  const joined = parts
    .map((part, at) => {
      const own = at === 0 && text !== undefined ? text : part.text;
      return part.isEncoded
        ? own.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
        : own;
    })
    .join("");
  if (joined.includes("=?")) return joined;
  const { text: decoded } = decodeText(Buffer.from(joined, "latin1"), { charset: charset || null });
  return Buffer.from(decoded).toString("latin1");
}
