import { createHash } from "node:crypto";
import { decodeText } from "./charsets.ts";
import { takeEmbeddedFiles } from "./embedded-files.ts";
import { decodeHeaderText } from "./encoded-words.ts";
import { enrichedToText } from "./enriched.ts";
import { cleanFilename } from "./filenames.ts";
import { unflow } from "./flowed.ts";
import { firstField } from "./headers.ts";
import { htmlToText } from "./html-to-text.ts";
import type { Part } from "./parts.ts";

export interface Attachment {
  readonly filename: string | null;
  readonly type: string;
  readonly size: number;
  readonly sha256: string;
}

export interface Body {
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** The bytes of each attachment. */
  readonly files: readonly Buffer[];
  readonly flags: readonly string[];
}

/** The readable text of a mail, and its attachments. */
export function readBody(root: Part, hint: string | null): Body {
  const reading: Reading = { root, hint, attachments: [], files: [], flags: new Set(), messages: [] };
  const pieces = readPieces(root, reading);
  let text = joinPieces(pieces);
  // A mail with only a forwarded mail: the forwarded words count as its own.
  if (text.trim() === "" && reading.messages.length === 1) text = readMessage(reading.messages[0]!, reading);
  if (pieces.length > 0 && pieces.every((piece) => piece.isHtml)) reading.flags.add("html.only");
  const { attachments, files, flags } = reading;
  return { text, attachments, files, flags: [...flags] };
}

interface Reading {
  readonly root: Part;
  readonly hint: string | null;
  readonly attachments: Attachment[];
  readonly files: Buffer[];
  readonly flags: Set<string>;
  readonly messages: Part[];
}

interface Piece {
  readonly text: string;
  readonly isHtml: boolean;
}

function readPieces(part: Part, reading: Reading): Piece[] {
  const { content } = part;
  switch (content.kind) {
    case "parts": {
      if (part.type === "multipart/alternative") return readAlternative(content.parts, reading);
      if (part.type === "multipart/digest") return readDigest(content.parts, reading);
      const pieces = content.parts.flatMap((child) => readPieces(child, reading));
      return withoutTwins(pieces);
    }
    case "message":
      attach(part, content.bytes, reading);
      reading.messages.push(content.message);
      return [];
    case "leaf":
      return readLeaf(part, content.bytes, reading);
  }
}

/** The plain version, unless empty or only a reference to another version. */
function readAlternative(parts: readonly Part[], reading: Reading): Piece[] {
  const versions = parts.map((part) => readPieces(part, reading)).filter((pieces) => pieces.length > 0);
  const isPlain = (pieces: Piece[]) => pieces.some((piece) => !piece.isHtml && piece.text.trim() !== "");
  const plain = versions.find(isPlain);
  const html = versions.findLast((pieces) => pieces !== plain && joinPieces(pieces).trim() !== "");
  if (plain && !(html && isStub(joinPieces(plain)))) return plain;
  return html ?? plain ?? [];
}

const stubCharactersMax = 500;
const stubPattern =
  /\bhtml\b.{0,80}\b(e-?mail|message|mail|format|browser|version|capable|enabled|client|viewer|support)|\b(e-?mail|message|mail|client|reader|view|browser|support)\b.{0,80}\bhtml\b|view (this|it|the).{0,40}(browser|online)|^\s*(\[image: [^\]]*\]|\[?cid:\S+\]?)\s*$/is;

const isStub = (text: string) =>
  text.trim().length <= stubCharactersMax && countLines(text) <= 8 && stubPattern.test(text);

const countLines = (text: string) => text.split("\n").filter((line) => line.trim() !== "").length;

function readDigest(parts: readonly Part[], reading: Reading): Piece[] {
  return parts.flatMap((part) => {
    if (part.content.kind !== "message") return readPieces(part, reading);
    attach(part, part.content.bytes, reading);
    return [{ text: readMessage(part.content.message, reading), isHtml: false }];
  });
}

/** A mail inside a mail, below lines with its sender, date and subject. */
function readMessage(message: Part, reading: Reading): string {
  const inner: Reading = { ...reading, root: message, attachments: [], files: [], messages: [] };
  const head = ["From", "Date", "Subject"].flatMap((name) => {
    const value = decodeHeaderText(firstField(message.headers, name.toLowerCase()), null).text.trim();
    return value === "" ? [] : [`${name}: ${value}`];
  });
  const text = joinPieces(readPieces(message, inner));
  const own =
    text.trim() === "" && inner.messages.length === 1 ? readMessage(inner.messages[0]!, reading) : text;
  return [...(head.length > 0 ? [...head, ""] : []), own].join("\n");
}

/** Some mailers put both versions of a text side by side. */
function withoutTwins(pieces: readonly Piece[]): Piece[] {
  const squeeze = (text: string) => text.replace(/\s+/g, "");
  if (!pieces.some((piece) => piece.isHtml) || pieces.every((piece) => piece.isHtml)) return [...pieces];
  const plain = new Set(pieces.filter((piece) => !piece.isHtml).map((piece) => squeeze(piece.text)));
  return pieces.filter((piece) => !piece.isHtml || !plain.has(squeeze(piece.text)));
}

/** Text for programs: listed, not shown. */
const unreadTypes = new Set(
  "calendar vcard x-vcard directory css csv javascript x-vcalendar rfc822-headers x-amp-html watch-html xml x-moz-deleted"
    .split(" ")
    .map((subtype) => `text/${subtype}`),
);

function readLeaf(part: Part, bytes: Buffer, reading: Reading): Piece[] {
  const isText = part.type.startsWith("text/") || part.type === "message/partial";
  if (!isText || part.disposition === "attachment" || unreadTypes.has(part.type)) {
    if (part.type !== "text/x-amp-html" && part.type !== "text/watch-html") attach(part, bytes, reading);
    return [];
  }
  // A mail of only text is not its own attachment, even with a file name.
  if (part.filename !== null && part !== reading.root) attach(part, bytes, reading);
  const { rest, files } = part.type === "text/html" ? { rest: bytes, files: [] } : takeEmbeddedFiles(bytes);
  for (const file of files) {
    reading.attachments.push(describe(cleanFilename(file.filename), "application/octet-stream", file.bytes));
    reading.files.push(file.bytes);
  }
  const text = decodeLeaf(part, rest, reading);
  const isHtml =
    part.type === "text/html" ||
    (part.type === "text/plain" && /^\s{0,100}<(!doctype html|html[\s>])/i.test(text));
  if (isHtml) return [{ text: htmlToText(text), isHtml: true }];
  return [{ text: toPlain(part, text), isHtml: false }];
}

function decodeLeaf(part: Part, bytes: Buffer, reading: Reading): string {
  const label = part.parameters.get("charset") ?? (part.type === "text/html" ? charsetInPage(bytes) : null);
  const decoded = decodeText(bytes, { charset: label, hint: reading.hint });
  for (const flag of decoded.flags) reading.flags.add(flag);
  return decoded.text.replace(/\r\r?\n|\r/g, "\n");
}

const charsetInPage = (bytes: Buffer): string | null =>
  /<meta\s[^>]{0,200}charset\s?=\s?["']?([\w:.-]{2,40})/i.exec(
    bytes.toString("latin1", 0, Math.min(4096, bytes.length)),
  )?.[1] ?? null;

function toPlain(part: Part, text: string): string {
  if (part.type === "text/enriched") return enrichedToText(text, false);
  if (part.type === "text/richtext") return enrichedToText(text, true);
  if (part.parameters.get("format")?.toLowerCase() !== "flowed") return text;
  return unflow(text, part.parameters.get("delsp")?.toLowerCase() === "yes");
}

/** Parts are separated by an empty line. */
const joinPieces = (pieces: readonly Piece[]) => {
  const texts = pieces.map((piece) => piece.text).filter((text) => text.trim() !== "");
  if (texts.length <= 1) return texts[0] ?? pieces[0]?.text ?? "";
  return texts.map((text, at) => (at < texts.length - 1 ? text.replace(/\n{0,3}$/, "") : text)).join("\n\n");
};

function attach(part: Part, bytes: Buffer, reading: Reading) {
  reading.attachments.push(describe(part.filename, part.type, bytes));
  reading.files.push(bytes);
}

const describe = (filename: string | null, type: string, bytes: Buffer): Attachment => ({
  filename,
  type,
  size: bytes.length,
  sha256: createHash("sha256").update(bytes).digest("hex"),
});
