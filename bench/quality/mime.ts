import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import PostalMime from "postal-mime";
import { decodeText } from "../../pipelines/consensus/src/mail/charsets.ts";
import { parseMail } from "../../pipelines/consensus/src/mail/parse.ts";
import { type Part, readPart, startWalk } from "../../pipelines/consensus/src/mail/parts.ts";
import { corpora, filesBelow, foldersLike, isMailFile, mailsOf, readBytes, readText } from "./corpora.ts";
import { type Figure, share } from "./figures.ts";

const area = "mime";

export async function mimeFigures(): Promise<readonly Figure[]> {
  return [readEverything(), unbroken(), james(), ...(await ponyMail()), ...(await postalMime())];
}

/** Every file of the suites, including files without any mail. */
function readEverything(): Figure {
  const paths = foldersLike(/^mime-|^poison-/).flatMap(filesBelow);
  const read = paths.filter((path) => {
    try {
      return typeof parseMail(readBytes(path)).text === "string";
    } catch {
      return false;
    }
  });
  return {
    area,
    what: "files of the MIME and poison suites read without a throw",
    ours: share(read.length, paths.length),
    against: "all of them, whatever they are",
    met: read.length === paths.length,
  };
}

/** U+FFFD in the shown text of a mail sent without U+FFFD. */
function unbroken(): Figure {
  const mails = foldersLike(/^mime-/)
    .flatMap(filesBelow)
    .filter(isMailFile)
    .map(readBytes)
    .filter((raw) => !raw.includes("\ufffd"));
  const whole = mails.filter((raw) => {
    const { subject, from, text } = parseMail(raw);
    return !JSON.stringify([subject, from, text]).includes("\ufffd");
  });
  return {
    area,
    what: "mails of the MIME suites without a broken character, any charset",
    ours: share(whole.length, mails.length),
    against: "no U+FFFD",
    met: whole.length === mails.length,
  };
}

const leavesOf = ({ content }: Part): readonly Buffer[] => {
  if (content.kind === "leaf") return [content.bytes];
  return content.kind === "message" ? leavesOf(content.message) : content.parts.flatMap(leavesOf);
};

/**
 * All decoded parts of a mail, in order, byte by byte but for line ends; also where James is stricter than we may be.
 */
function james(): Figure {
  const normal = (bytes: Buffer) => bytes.toString("latin1").replace(/\r\n?/g, "\n").trimEnd();
  const parts = (texts: readonly Buffer[]) => texts.map(normal).filter((text) => text !== "");
  let [mails, equal] = [0, 0];
  for (const folder of ["testmsgs", "mimetools-testmsgs"]) {
    const at = `mime-james/core/src/test/resources/${folder}`;
    const names = readdirSync(join(corpora, at));
    for (const stem of names.filter((name) => name.endsWith(".msg")).map((name) => name.slice(0, -4))) {
      if (!names.includes(`${stem}_decoded.xml`)) continue;
      const order = (name: string) =>
        name.slice(stem.length).replace(/\d+/g, (digits) => digits.padStart(4, "0"));
      const theirs = names
        .filter((name) => name.startsWith(`${stem}_decoded_`))
        .sort((a, b) => (order(a) < order(b) ? -1 : 1))
        .map((name) => readBytes(`${at}/${name}`));
      const ours = leavesOf(readPart(readBytes(`${at}/${stem}.msg`), startWalk()));
      mails++;
      if (JSON.stringify(parts(ours)) === JSON.stringify(parts(theirs))) equal++;
    }
  }
  return {
    area,
    what: "mails whose decoded parts are all James's",
    ours: share(equal, mails),
    against: "Apache James' expected answers; the rest are malformed mails of which we keep more",
    met: null,
  };
}

function plainPart(part: Part): Part | null {
  const { content, type, disposition } = part;
  if (content.kind === "leaf") return type === "text/plain" && disposition !== "attachment" ? part : null;
  if (content.kind === "message") return plainPart(content.message);
  return content.parts.map(plainPart).find((found) => found !== null) ?? null;
}

/** Pony Mail hashes the first plain part before decoding `format=flowed`. */
function plainText(raw: Buffer): string {
  const part = plainPart(readPart(raw, startWalk()));
  if (part?.content.kind !== "leaf") return "";
  return decodeText(part.content.bytes, { charset: part.parameters.get("charset") ?? null }).text;
}

async function ponyMail(): Promise<readonly Figure[]> {
  const counts = { mails: 0, ids: 0, bodies: 0, attachments: 0, found: 0 };
  const sha3 = (text: string) => createHash("sha3-256").update(text).digest("hex");
  for (const yaml of filesBelow("list-ponymail/yaml").filter((path) => path.includes("/par"))) {
    for (const block of readText(yaml)
      .split(/\n(?= {2}corpus)/)
      .slice(1)) {
      const archive = `list-ponymail/${/corpus\/\S+?(?=:)/.exec(block)![0]}`;
      if (!existsSync(join(corpora, archive))) continue;
      const mails = await mailsOf(archive);
      for (const entry of block.split(/\n {2}- index: /).slice(1)) {
        const raw = mails[Number.parseInt(entry, 10)]?.bytes ?? Buffer.alloc(0);
        const parsed = parseMail(raw);
        const text = plainText(raw);
        const [, id = ""] = /message-id: (?:'|<)?([^\s>']*)/.exec(entry) ?? [];
        const expected = /body_sha3_256: (\S+)/.exec(entry)?.[1];
        counts.mails++;
        if ((parsed.messageId ?? "") === id) counts.ids++;
        if ([text, `${text}\n`].some((form) => sha3(form) === expected)) counts.bodies++;
        const hashes = parsed.attachments.map(({ sha256 }) => sha256);
        const theirs = [...entry.matchAll(/hash: (\S+)/g)].map(([, hash]) => hash!);
        counts.attachments += theirs.length;
        counts.found += theirs.filter((hash) => hashes.includes(hash)).length;
      }
    }
  }
  const against = "Pony Mail's own tests (yaml)";
  return [
    {
      area,
      what: "Message-ID at the index where Pony Mail has it",
      ours: share(counts.ids, counts.mails),
      against,
      met: counts.ids === counts.mails,
    },
    {
      area,
      what: "plain bodies with the same SHA3",
      ours: share(counts.bodies, counts.mails),
      against: `${against}; the rest: text/enriched, which it does not read, and its own unescaping of ">From"`,
      met: null,
    },
    {
      area,
      what: "attachments with the same SHA-256",
      ours: share(counts.found, counts.attachments),
      against,
      met: counts.found === counts.attachments,
    },
  ];
}

/** Drops white space and quote marks: only we join flowed lines, and postal-mime leaves quote marks there. */
const squeeze = (text: string): string => text.replace(/[\s\u00a0>]+/g, "");

async function postalMime(): Promise<readonly Figure[]> {
  const agreed = { mails: 0, texts: 0, text: 0, subject: 0, attachments: 0 };
  const paths = foldersLike(/^mime-|^list-(?!twisted-threads|cfc)/)
    .flatMap(filesBelow)
    .filter(isMailFile);
  for (const path of paths) {
    const mails = path.startsWith("list-") ? await mailsOf(path) : [{ bytes: readBytes(path) }];
    for (const { bytes } of mails) {
      const ours = parseMail(bytes);
      const theirs = await PostalMime.parse(bytes, { forceRfc822Attachments: true });
      agreed.mails++;
      if (theirs.text !== undefined) agreed.texts++;
      if (theirs.text !== undefined && squeeze(theirs.text) === squeeze(ours.text)) agreed.text++;
      if (squeeze(theirs.subject ?? "") === squeeze(ours.subject)) agreed.subject++;
      if (theirs.attachments.length === ours.attachments.length) agreed.attachments++;
    }
  }
  const against = "postal-mime 4.0.0 on the same bytes; 97 % asked";
  const figure = (what: string, equal: number, whole: number): Figure => ({
    area,
    what,
    ours: share(equal, whole),
    against,
    met: equal / whole >= 0.97,
  });
  return [
    figure("same text but for white space and quote marks", agreed.text, agreed.texts),
    figure("same subject", agreed.subject, agreed.mails),
    figure("same number of attachments", agreed.attachments, agreed.mails),
  ];
}
