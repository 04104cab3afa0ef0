import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import PostalMime from "postal-mime";
import { describe, expect, it } from "vitest";
import { decodeText } from "./charsets.ts";
import { type ParsedMail, parseMail } from "./parse.ts";
import { type Part, readPart, startWalk } from "./parts.ts";

const corpora = fileURLToPath(new URL("../../../../../shared/corpora/", import.meta.url));
const isAbsent = !existsSync(corpora);

const filesUnder = (folder: string): string[] =>
  readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = `${folder}/${name}`;
      return statSync(path).isDirectory() ? filesUnder(path) : [path];
    });
const foldersLike = (pattern: RegExp) => readdirSync(corpora).filter((name) => pattern.test(name));
const filesLike = (pattern: RegExp) =>
  foldersLike(pattern)
    .flatMap((name) => filesUnder(corpora + name))
    .filter((path) => !path.endsWith("SOURCE.txt"));
const isMail = (path: string) =>
  !/\.(xml|out|zip|html|yaml|png|au|wav|aiff|aifc|json|md|bmp|exr|gif|jpg|p[bgnp]m|ras|rgb|sgi|tiff|webp|xbm|exe|gitignore|gitattributes)$|_decoded/.test(
    path,
  );

/** The mails of an archive, roughly: the splitter has separate tests. */
const mailsOf = (path: string): Buffer[] => {
  const bytes = path.endsWith(".gz") ? gunzipSync(readFileSync(path)) : readFileSync(path);
  const isArchive = /\/list-|mbox/.test(path);
  if (!isArchive) return [bytes];
  return bytes
    .toString("latin1")
    .split(/\n(?=From [^\n]*\d{4}\r?\n)/)
    .map((mail) => Buffer.from(mail.replace(/^From [^\n]*\n/, ""), "latin1"));
};

const leavesOf = ({ content }: Part): Buffer[] => {
  if (content.kind === "leaf") return [content.bytes];
  return content.kind === "message" ? leavesOf(content.message) : content.parts.flatMap(leavesOf);
};

describe.skipIf(isAbsent)("the MIME suites and fuzz seeds (corpora absent: nothing to compare with)", () => {
  it("go through, each file, with no more text than they have bytes", () => {
    const paths = filesLike(/^mime-|^poison-gofuzz$/).filter((path) => !/gofuzz\/(json|gzip|zip)/.test(path));
    expect(paths.length).toBeGreaterThan(500);
    for (const path of paths) {
      const raw = readFileSync(path);
      const mail = parseMail(raw);
      expect(mail.text.length, path).toBeLessThanOrEqual(raw.length * 4 + 100);
      expect(JSON.stringify(mail), path).not.toMatch(/\\u0000/);
    }
  });

  /**
   * Cases where James is stricter than a reader of archives may be: James drops text without a proper header,
   * boundary or separator (our text keeps it), takes an escaped header for the body, and decodes the rubbish after
   * early-ending Base64.
   */
  const differently = new Set(
    [
      "basic-plain-with-bad-header-separator malformedHeader-nocrlfcrlf malformedHeader-noheader hdr-fakeout badbound",
      "malformedHeaderStartsBody-nocrlfcrlf malformedHeaderStartsBody-noheader missing-boundary missing-inner-boundary",
      "missing-inner-start-boundary multipartnestedemptyparts multipartnopart frag multi-frag",
    ].flatMap((names) => names.split(" ")),
  );

  it("of James have the decoded parts that James found", () => {
    const normal = (bytes: Buffer) => bytes.toString("latin1").replace(/\r\n?/g, "\n").trimEnd();
    let compared = 0;
    for (const folder of ["testmsgs", "mimetools-testmsgs"]) {
      const at = `${corpora}mime-james/core/src/test/resources/${folder}/`;
      const names = readdirSync(at);
      for (const stem of names.filter((name) => name.endsWith(".msg")).map((name) => name.slice(0, -4))) {
        if (!names.includes(`${stem}_decoded.xml`) || differently.has(stem)) continue;
        const places = names
          .filter((name) => name.startsWith(`${stem}_decoded_`))
          .map((name) => ({
            name,
            order: name.slice(stem.length + 9).replace(/\d+/g, (digits) => digits.padStart(4, "0")),
          }))
          .sort((a, b) => (a.order < b.order ? -1 : 1));
        const theirs = places
          .map(({ name }) => normal(readFileSync(at + name)))
          .filter((text) => text !== "");
        const ours = leavesOf(readPart(readFileSync(`${at}${stem}.msg`), startWalk())).map(normal);
        expect(
          ours.filter((text) => text !== ""),
          stem,
        ).toEqual(theirs);
        compared++;
      }
    }
    expect(compared).toBe(66);
  });

  it("have no broken characters where another reading exists", () => {
    const broken = filesLike(/^mime-/)
      .filter(isMail)
      .map((path) => ({ path, raw: readFileSync(path) }))
      // One mail was sent with U+FFFD.
      .filter(({ raw }) => !raw.includes("\ufffd") && JSON.stringify(pick(parseMail(raw))).includes("\ufffd"))
      .map(({ path }) => path.slice(path.lastIndexOf("/") + 1));
    expect(broken).toEqual([]);
  });

  it("of HyperKitty give the replies that it expects", () => {
    const reply = (name: string) =>
      parseMail(mailsOf(`${corpora}mime-hyperkitty/testdata/${name}-in-reply-to-header.txt`)[0]!).inReplyTo;
    expect(reply("wrong")).toBeNull();
    expect(reply("strange")).toMatch(/^\d+\.\d+\.other\.person@example\.com$/);
  });
});

const pick = ({ subject, from, text }: ParsedMail) => ({ subject, from, text });

describe.skipIf(isAbsent)(
  "the bodies that Pony Mail expects (corpora absent: nothing to compare with)",
  () => {
    const plainPart = (part: Part): Part | null => {
      const { content } = part;
      if (content.kind === "leaf")
        return part.type === "text/plain" && part.disposition !== "attachment" ? part : null;
      if (content.kind === "message") return plainPart(content.message);
      return content.parts.map(plainPart).find((found) => found !== null) ?? null;
    };
    /** Pony Mail hashes the first plain part before decoding `format=flowed`. */
    const plainText = (raw: Buffer) => {
      const part = plainPart(readPart(raw, startWalk()));
      if (part?.content.kind !== "leaf") return "";
      return decodeText(part.content.bytes, { charset: part.parameters.get("charset") ?? null }).text;
    };
    const sha3 = (text: string) => createHash("sha3-256").update(text).digest("hex");

    it("are the same bytes in 97 of 100 mails, and so are all attachments", () => {
      const folder = `${corpora}list-ponymail/`;
      const counts = { bodies: 0, equal: 0, attachments: 0, found: 0 };
      for (const yaml of readdirSync(`${folder}yaml`).filter((name) => name.startsWith("par"))) {
        for (const block of readFileSync(`${folder}yaml/${yaml}`, "utf8")
          .split(/\n(?= {2}corpus)/)
          .slice(1)) {
          const archive = folder + /corpus\/\S+?(?=:)/.exec(block)![0];
          if (!existsSync(archive)) continue;
          const mails = mailsOf(archive);
          for (const entry of block.split(/\n {2}- index: /).slice(1)) {
            const raw = mails[Number.parseInt(entry, 10)]!;
            const text = plainText(raw);
            const expected = /body_sha3_256: (\S+)/.exec(entry)?.[1];
            counts.bodies++;
            if ([text, `${text}\n`].some((form) => sha3(form) === expected)) counts.equal++;
            const hashes = parseMail(raw).attachments.map((each) => each.sha256);
            for (const [, hash] of entry.matchAll(/hash: (\S+)/g)) {
              counts.attachments++;
              if (hashes.includes(hash!)) counts.found++;
            }
          }
        }
      }
      // The rest: ">From " unescaped first by Pony Mail, the last line of an archive, text/enriched;
      // and two flowed mails with an unexplained difference.
      expect(counts.equal / counts.bodies).toBeGreaterThan(0.97);
      expect(counts.bodies).toBeGreaterThan(350);
      expect(counts.found).toBe(counts.attachments);
    });
  },
);

describe.skipIf(isAbsent)("postal-mime as a second opinion (corpora absent: nothing to compare with)", () => {
  const squeeze = (text: string) => text.replace(/[\s\u00a0]+/g, "");

  /** The peer knows an encoding by its header only, which pipermail throws away. */
  const isUndeclared = (raw: Buffer, { flags }: ParsedMail) =>
    flags.includes("encoding.mislabelled") && !/^content-transfer-encoding:/im.test(raw.toString("latin1"));

  /** Shares of mails read alike by both; of HTML-only mails the peer gives no text to compare. */
  const compare = async (pattern: RegExp, everyNth: number) => {
    const counts = { mails: 0, texts: 0, text: 0, undeclared: 0, subject: 0, attachments: 0 };
    const mails = filesLike(pattern).filter(isMail).flatMap(mailsOf);
    for (const raw of mails.filter((_, at) => at % everyNth === 0)) {
      const ours = parseMail(raw);
      const theirs = await PostalMime.parse(raw, { forceRfc822Attachments: true });
      counts.mails++;
      if (isUndeclared(raw, ours)) counts.undeclared++;
      else if (theirs.text !== undefined || theirs.html === undefined) {
        counts.texts++;
        if (squeeze(theirs.text ?? "") === squeeze(ours.text)) counts.text++;
      }
      if (squeeze(theirs.subject ?? "") === squeeze(ours.subject)) counts.subject++;
      if (theirs.attachments.length === ours.attachments.length) counts.attachments++;
    }
    return {
      mails: counts.mails,
      text: counts.text / counts.texts,
      undeclared: counts.undeclared / counts.mails,
      subject: counts.subject / counts.mails,
      attachments: counts.attachments / counts.mails,
    };
  };

  it("agrees on text, subject and number of attachments in 98 of 100 mails of real lists", async () => {
    const shares = await compare(/^list-(?!twisted-threads|cfc)/, 3);
    expect(shares.mails).toBeGreaterThan(1500);
    expect(shares.undeclared).toBeLessThan(0.03);
    expect(shares.text).toBeGreaterThanOrEqual(0.98);
    expect(shares.subject).toBeGreaterThanOrEqual(0.99);
    expect(shares.attachments).toBeGreaterThanOrEqual(0.99);
  });

  /** The suites consist of disputed cases: the peer drops mails without headers, and does not guess charsets. */
  it("agrees on fewer texts of the suites, and on their subjects", async () => {
    const shares = await compare(/^mime-/, 1);
    expect(shares.text).toBeGreaterThanOrEqual(0.75);
    expect(shares.subject).toBeGreaterThanOrEqual(0.99);
    expect(shares.attachments).toBeGreaterThanOrEqual(0.92);
  });
});
