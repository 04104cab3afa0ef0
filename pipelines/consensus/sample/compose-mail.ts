import { createHash } from "node:crypto";
import { mailDate } from "./attributions.ts";
import { canEncode, encodeBase64, encodeHeader, encodeQuotedPrintable, encodeText } from "./encode-text.ts";
import type { Authored } from "./read-threads.ts";

export interface Person {
  readonly name: string;
  readonly address: string;
  readonly zone: string;
  readonly writes: string;
  readonly charset?: string;
  readonly encoding?: string;
  readonly flowed?: boolean;
  readonly signature?: string;
}

/** An authored mail with all header fields. */
export interface Ready {
  readonly mail: Authored;
  readonly person: Person;
  /** On the author's clock. */
  readonly date: Date;
  readonly messageId: string;
  readonly inReplyTo: string | null;
  readonly references: readonly string[];
  /** The body with quotes and signature, before wrapping and encoding. */
  readonly text: string;
}

export const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

const footer = [
  "_______________________________________________",
  "tidewg mailing list -- tidewg@lists.example.org",
  "To unsubscribe send an email to tidewg-leave@lists.example.org",
  "",
].join("\n");

interface Entity {
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** The bytes of a mail, headers first. */
export function composeMail(ready: Ready, delivery: number): Buffer {
  const entity = composeBody(ready);
  const headers = [...transportHeaders(ready, delivery), ...addressHeaders(ready), ...entity.headers];
  return Buffer.concat([Buffer.from(`${headers.join("\n")}\n\n`), entity.body]);
}

function transportHeaders({ mail, person, date }: Ready, delivery: number): string[] {
  const domain = person.address.split("@")[1];
  const queue = digest(`${mail.id} ${delivery}`).slice(0, 10).toUpperCase();
  const arrived = new Date(date.getTime() + (delivery * 7 + 4) * 1000);
  const relay = delivery === 0 ? "mx1" : "mx2";
  if (mail.fields.get("drop")?.includes("received")) return [];
  return [
    "Return-Path: <tidewg-bounces@lists.example.org>",
    `Received: from out.${domain} (out.${domain} [192.0.2.${(Number.parseInt(queue.slice(0, 2), 16) % 250) + 1}])`,
    `\tby ${relay}.lists.example.org (Postfix) with ESMTPS id ${queue}`,
    `\tfor <tidewg@lists.example.org>; ${mailDate(arrived, person.zone)}`,
  ];
}

function addressHeaders(ready: Ready): string[] {
  const { mail, person, date, messageId, inReplyTo, references } = ready;
  const dropped = mail.fields.get("drop") ?? "";
  const charset = person.charset ?? "utf-8";
  const lines = [
    dropped.includes("date") ? "" : `Date: ${mail.fields.get("date") ?? mailDate(date, person.zone)}`,
    `From: ${encodeHeader(person.name, charset)} <${person.address}>`,
    "To: tidewg@lists.example.org",
    dropped.includes("message-id") ? "" : `Message-ID: ${messageId}`,
    inReplyTo === null ? "" : `In-Reply-To: ${inReplyTo}`,
    references.length === 0 ? "" : `References: ${references.join("\n ")}`,
    `Subject: ${encodeHeader(mail.fields.get("subject") ?? "", charset)}`,
    "List-Id: Tide gauge telemetry working group <tidewg.lists.example.org>",
    "Precedence: list",
    "MIME-Version: 1.0",
  ];
  return lines.filter((line) => line !== "");
}

function composeBody(ready: Ready): Entity {
  const [main = "", ...attached] = ready.text.split(/^%attach /m);
  const text = textEntity(ready, main.trimEnd(), attached.length === 0);
  const shaped = shape(ready, text, main.trimEnd());
  if (attached.length === 0) return shaped;
  return multipart(`mixed-${digest(ready.mail.id).slice(0, 16)}`, "mixed", [
    shaped,
    ...attached.map(attachment),
  ]);
}

/** What the `as` field asks for beyond plain text. */
function shape(ready: Ready, plain: Entity, main: string): Entity {
  const kind = ready.mail.fields.get("as");
  const boundary = `part-${digest(ready.mail.id).slice(0, 20)}`;
  if (kind === "html") return htmlEntity(main);
  if (kind === "alternative") return multipart(boundary, "alternative", [plain, htmlEntity(main)]);
  if (kind !== "pgp") return plain;
  const signature = [
    "-----BEGIN PGP SIGNATURE-----",
    "",
    encodeBase64(Buffer.from(`${digest(main)}${digest(ready.mail.id)}`)),
    "-----END PGP SIGNATURE-----",
    "",
  ];
  const seal: Entity = {
    headers: [
      'Content-Type: application/pgp-signature; name="signature.asc"',
      "Content-Description: OpenPGP digital signature",
    ],
    body: Buffer.from(signature.join("\n")),
  };
  return multipart(boundary, 'signed; micalg=pgp-sha256; protocol="application/pgp-signature"', [
    plain,
    seal,
  ]);
}

function textEntity({ mail, person }: Ready, main: string, alone: boolean): Entity {
  const charset = mail.fields.get("charset") ?? charsetFor(main, person.charset ?? "utf-8");
  const label = mail.fields.get("label") ?? (charset === "utf-8" && isAscii(main) ? "us-ascii" : charset);
  const encoding =
    mail.fields.get("encoding") ??
    person.encoding ??
    (isAscii(main) || charset === "iso-2022-jp" ? "7bit" : "8bit");
  const flowed = person.flowed === true && !mail.fields.has("as");
  const withFooter = alone && !mail.fields.has("as") && mail.fields.get("footer") !== "none";
  const wrapped = main
    .split("\n")
    .map((line) => wrap(line, flowed))
    .join("\n");
  const bytes = encodeText(`${wrapped}\n${withFooter ? footer : ""}`, charset);
  const type = `Content-Type: text/plain; charset=${label}${flowed ? "; format=flowed" : ""}`;
  const headers = label === "none" ? [] : [type, `Content-Transfer-Encoding: ${encoding}`];
  return { headers, body: transfer(bytes, encoding) };
}

/** Mail programs fall back to UTF-8 for names outside their charset. */
function charsetFor(text: string, preferred: string): string {
  return canEncode(text, preferred) ? preferred : "utf-8";
}

function transfer(bytes: Buffer, encoding: string): Buffer {
  if (encoding === "base64") return Buffer.from(`${encodeBase64(bytes)}\n`);
  return encoding === "quoted-printable" ? Buffer.from(encodeQuotedPrintable(bytes)) : bytes;
}

const isAscii = (text: string) => [...text].every((character) => character.charCodeAt(0) < 0x80);

/** Wraps a paragraph authored as one long line; indented lines are tables or code and stay. */
function wrap(line: string, flowed: boolean): string {
  if (line.length <= 76 || line.startsWith("  ")) return line;
  const mark = /^(?:(?:> ?)+| - | [A-Z0-9]\. )?/.exec(line)?.[0] ?? "";
  const hanging = mark.startsWith(" ") ? " ".repeat(mark.length) : mark;
  const lines: string[] = [];
  let current = mark;
  for (const word of line.slice(mark.length).split(" ")) {
    if (current.length > mark.length && current.length + word.length > 71) {
      lines.push(current + (flowed ? " " : ""));
      current = hanging;
    }
    current += current.length > mark.length ? ` ${word}` : word;
  }
  return [...lines, current].join("\n");
}

function htmlEntity(main: string): Entity {
  const plain = (text: string) =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const blocks = main.split("\n\n").map((block) => {
    if (!block.startsWith(">")) return `<p>${plain(block).replaceAll("\n", "<br>\n")}</p>`;
    const quoted = block.split("\n").map((line) => plain(line.replace(/^> ?/, "")));
    return `<blockquote style="border-left:1px solid #ccc;padding-left:1ex">${quoted.join("<br>\n")}</blockquote>`;
  });
  const page = `<html><head><style>p { margin: 0 0 1em }</style></head>\n<body>\n${blocks.join("\n")}\n</body></html>\n`;
  const headers = ["Content-Type: text/html; charset=utf-8", "Content-Transfer-Encoding: quoted-printable"];
  return { headers, body: Buffer.from(encodeQuotedPrintable(Buffer.from(page))) };
}

/** `%attach name type` and then its lines. */
function attachment(part: string): Entity {
  const [first = "", ...lines] = part.split("\n");
  const [name = "", type = ""] = first.split(" ");
  return {
    headers: [
      `Content-Type: ${type}; name="${name}"`,
      "Content-Transfer-Encoding: base64",
      `Content-Disposition: attachment; filename="${name}"`,
    ],
    body: Buffer.from(`${encodeBase64(Buffer.from(lines.join("\n")))}\n`),
  };
}

function multipart(boundary: string, type: string, parts: readonly Entity[]): Entity {
  const encoded = parts.map(({ headers, body }) =>
    Buffer.concat([Buffer.from(`--${boundary}\n${headers.join("\n")}\n\n`), body, Buffer.from("\n")]),
  );
  return {
    headers: [`Content-Type: multipart/${type};\n boundary="${boundary}"`],
    body: Buffer.concat([...encoded, Buffer.from(`--${boundary}--\n`)]),
  };
}
