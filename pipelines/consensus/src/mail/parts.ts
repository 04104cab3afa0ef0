import { splitMultipart } from "./boundaries.ts";
import { cleanFilename } from "./filenames.ts";
import { firstField, type Headers, readHeaders } from "./headers.ts";
import { readParameters } from "./parameters.ts";
import { decodeTransfer, readEncoding, type Unpacked } from "./transfer-encodings.ts";
import { decodeUndeclared } from "./undeclared-encodings.ts";

/** A mail or a part of a mail. */
export interface Part {
  readonly headers: Headers;
  /** In lower case, e.g. `text/plain`. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly disposition: "inline" | "attachment" | null;
  readonly filename: string | null;
  readonly content:
    | { readonly kind: "parts"; readonly parts: readonly Part[] }
    | { readonly kind: "message"; readonly bytes: Buffer; readonly message: Part }
    | { readonly kind: "leaf"; readonly bytes: Buffer };
}

/** Findings on the way through a mail, and the remaining limits. */
export interface Walk {
  readonly flags: Set<string>;
  partsLeft: number;
}

export const startWalk = (): Walk => ({ flags: new Set(), partsLeft: partsMax });

const depthMax = 40;
const partsMax = 2000;

/** Reads the structure of a mail; parts beyond the limits of depth or number stay in one piece. */
export function readPart(raw: Buffer, walk: Walk, depth = 0, defaultType: string | null = null): Part {
  // Only parts between boundaries have a default type from outside.
  const isWholeMail = defaultType === null;
  walk.partsLeft--;
  const headers = readHeaders(raw, isWholeMail);
  for (const flag of headers.flags) if (depth === 0 || flag !== "header.missing") walk.flags.add(flag);
  const head = readHead(headers, defaultType ?? "text/plain");
  const body = raw.subarray(headers.bodyStart);
  if (depth >= depthMax) {
    walk.flags.add("mime.too-deep");
    return { ...head, content: { kind: "leaf", bytes: body } };
  }
  if (head.type.startsWith("multipart/")) return readMultipart(head, body, walk, depth);
  const { bytes, flags } = unpack(head, body);
  for (const flag of flags) walk.flags.add(flag);
  if (messageTypes.has(head.type) && bytes.length > 0) {
    return { ...head, content: { kind: "message", bytes, message: readPart(bytes, walk, depth + 1) } };
  }
  return { ...head, content: { kind: "leaf", bytes } };
}

function unpack(head: Head, body: Buffer): Unpacked {
  const encoding = firstField(head.headers, "content-transfer-encoding");
  const isShownText = head.type.startsWith("text/") && head.disposition !== "attachment";
  return encoding === "" && isShownText ? decodeUndeclared(body) : decodeTransfer(body, encoding);
}

const messageTypes = new Set(["message/rfc822", "message/global", "message/news"]);

type Head = Omit<Part, "content">;

function readHead(headers: Headers, defaultType: string): Head {
  const { value, parameters } = readParameters(firstField(headers, "content-type"));
  const disposition = readParameters(firstField(headers, "content-disposition"));
  const name =
    disposition.parameters.get("filename") ?? parameters.get("name") ?? disposition.parameters.get("name");
  return {
    headers,
    type: readType(value, defaultType),
    parameters,
    disposition:
      disposition.value === ""
        ? null
        : /^(inline|"?inline)/.test(disposition.value)
          ? "inline"
          : "attachment",
    filename: name === undefined ? null : cleanFilename(name),
  };
}

function readType(value: string, defaultType: string): string {
  const [, type, subtype] = /^([\w!#$&^.+-]{1,60})\/([\w!#$&^.+-]{1,120})/.exec(value) ?? [];
  if (type && subtype) return `${type}/${subtype}`;
  // "Content-Type: text" is the notation of mailers before MIME.
  if (value === "" || value.startsWith("text")) return value.startsWith("text") ? "text/plain" : defaultType;
  return value.startsWith("multipart") ? "multipart/mixed" : "text/plain";
}

function readMultipart(head: Head, body: Buffer, walk: Walk, depth: number): Part {
  const split = splitMultipart(body, head.parameters.get("boundary") ?? null);
  for (const flag of split.flags) walk.flags.add(flag);
  if (split.sections.length === 0) {
    const encoding = firstField(head.headers, "content-transfer-encoding");
    const text = readEncoding(encoding) === "none" ? split.preamble : decodeTransfer(body, encoding).bytes;
    return { ...head, type: "text/plain", content: { kind: "leaf", bytes: text } };
  }
  const childType = head.type === "multipart/digest" ? "message/rfc822" : "text/plain";
  const root: Part[] = [];
  const open: { parts: Part[] }[] = [{ parts: root }];
  for (const section of split.sections) {
    if (walk.partsLeft <= 0) {
      walk.flags.add("mime.too-many-parts");
      break;
    }
    const part = readSection(section.bytes, walk, depth + 1, childType, head.parameters.get("boundary"));
    open.at(-1)!.parts.push(part.part);
    if (part.opens && open.length + depth < depthMax) open.push({ parts: part.opens });
    if (section.isLast && open.length > 1) open.pop();
  }
  return { ...head, content: { kind: "parts", parts: root } };
}

/** A multipart inside a multipart with the same boundary has an empty body here: its parts follow. */
function readSection(bytes: Buffer, walk: Walk, depth: number, type: string, boundary: string | undefined) {
  const mayBeSame = boundary !== undefined && bytes.length < sameBytesMax && bytes.includes(boundary);
  const headers = mayBeSame ? readHeaders(bytes, false) : null;
  const head = headers && readHead(headers, type);
  const isSame = head?.type.startsWith("multipart/") && head.parameters.get("boundary") === boundary;
  if (!head || !isSame || !headers || !isBlank(bytes.subarray(headers.bodyStart))) {
    return { part: readPart(bytes, walk, depth, type), opens: null };
  }
  walk.partsLeft--;
  const parts: Part[] = [];
  const part: Part = { ...head, content: { kind: "parts", parts } };
  return { part, opens: parts };
}

const sameBytesMax = 5000;

const isBlank = (bytes: Buffer) => bytes.toString("latin1").trim() === "";
