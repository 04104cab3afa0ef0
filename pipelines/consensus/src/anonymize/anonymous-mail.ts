import type { DocumentOf } from "@headway/engine";
import type { readings } from "../collections.ts";
import { normaliseSubject } from "../threads/subject.ts";
import type { Pseudonyms } from "./pseudonyms.ts";

type Reading = DocumentOf<typeof readings>;

/** A mail with the build of another mail and none of its words, as in an mbox. */
export function anonymousMail(reading: Reading, pseudonyms: Pseudonyms): string {
  const { from, date, inReplyTo, references, listId, attachments } = reading;
  const ids = (all: readonly string[]) => all.map((id) => `<${pseudonyms.messageId(id)}>`).join("\n ");
  const fields = [
    fromField(from, pseudonyms),
    date === null ? null : `Date: ${new Date(date).toUTCString()}`,
    `Message-ID: <${pseudonyms.messageId(reading.messageId)}>`,
    inReplyTo === null ? null : `In-Reply-To: ${ids([inReplyTo])}`,
    references.length === 0 ? null : `References: ${ids(references)}`,
    listId === null ? null : `List-Id: <${pseudonyms.label(listId)}.invalid>`,
    `Subject: ${encoded(subjectOf(reading.subject, pseudonyms))}`,
    "MIME-Version: 1.0",
  ].filter((field) => field !== null);
  const body = escaped(pseudonyms.text(reading.text.replace(/\r\n?/g, "\n")));
  const content = attachments.length === 0 ? plainText(body) : withAttachments(body, attachments, pseudonyms);
  // The line of public-inbox, with a date without meaning.
  return `From mboxrd@z Thu Jan  1 00:00:00 1970\n${fields.join("\n")}\n${content}\n\n`;
}

function fromField({ name, address }: Reading["from"], pseudonyms: Pseudonyms): string | null {
  const said = pseudonyms
    .name(name)
    .replace(/[^\p{L}\p{Nd} .,()'-]/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  const reached = pseudonyms.address(address);
  if (said === "") return reached === "" ? null : `From: ${reached}`;
  return `From: ${encoded(said, '"')} <${reached}>`;
}

/** Prefixes of the subject are kept; tags of lists are not, because the list has a new name. */
function subjectOf(subject: string, pseudonyms: Pseudonyms): string {
  const { text, isReply, isForward } = normaliseSubject(subject);
  return `${isReply ? "Re: " : ""}${isForward ? "Fwd: " : ""}${pseudonyms.text(text)}`.replace(
    /\p{Cc}/gu,
    " ",
  );
}

/** Fields are ASCII, in lines of limited length. */
function encoded(text: string, quote = ""): string {
  if (/^[\x20-\x7e]{0,200}$/.test(text) && !text.includes("=?")) return `${quote}${text}${quote}`;
  const pieces = text.match(/.{1,12}/gsu) ?? [];
  return pieces.map((piece) => `=?utf-8?B?${Buffer.from(piece).toString("base64")}?=`).join("\n ");
}

/** A line of a text with the look of the next mail's beginning. */
const escaped = (text: string): string => text.replace(/^(>*From )/gm, ">$1");

const plainText = (body: string): string =>
  `Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n${body}`;

function withAttachments(body: string, attachments: Reading["attachments"], pseudonyms: Pseudonyms): string {
  const boundary = "=_anonymous_part";
  const parts = attachments.map(({ filename, type, sha256 }) => {
    const name = pseudonyms.label(filename ?? sha256);
    const ending = /\.[a-z0-9]{1,4}$/i.exec(filename ?? "")?.[0] ?? "";
    const kind = /^(application|image|audio|video)\/[\w.+-]{1,80}$/.test(type)
      ? type
      : "application/octet-stream";
    const bytes = Buffer.from(name).toString("base64");
    return `Content-Type: ${kind}\nContent-Disposition: attachment; filename="${name}${ending}"\nContent-Transfer-Encoding: base64\n\n${bytes}`;
  });
  const sections = [plainText(body), ...parts].map((part) => `--${boundary}\n${part}\n`);
  return `Content-Type: multipart/mixed; boundary="${boundary}"\n\n${sections.join("")}--${boundary}--`;
}
