import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { parseMail } from "./parse.ts";

const parse = (text: string, envelope?: { sender: string | null; date: string | null }) =>
  parseMail(Buffer.from(text, "utf8"), envelope);
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const head = "From: Ann <ann@host>\nDate: Fri, 6 Apr 2007 15:43:55 +0000\nMessage-ID: <1@host>\nSubject: s\n";
const multipart = (type: string, ...parts: string[]) =>
  `${head}Content-Type: multipart/${type}; boundary="b"\n\npreamble\n${parts.map((part) => `--b\n${part}\n`).join("")}--b--\nepilogue\n`;
const plain = (text: string) => `Content-Type: text/plain\n\n${text}`;
const html = (text: string) => `Content-Type: text/html\n\n${text}`;

describe("a mail", () => {
  it("is read whole", () => {
    const raw = `${head}In-Reply-To: <0@host>\nReferences: <00@host> <0@host>\nList-Id: Talk <talk.Lists.host>\n\nHello\r\nworld\n`;
    expect(parse(raw)).toEqual({
      messageId: "1@host",
      subject: "s",
      from: { name: "Ann", address: "ann@host" },
      date: "2007-04-06T15:43:55.000Z",
      inReplyTo: "0@host",
      references: ["00@host", "0@host"],
      listId: "talk.lists.host",
      text: "Hello\nworld\n",
      attachments: [],
      flags: [],
    });
  });

  it("of nothing is a mail with nothing in it", () => {
    expect(parse("")).toMatchObject({
      messageId: null,
      subject: "",
      from: { name: "", address: "" },
      date: null,
      text: "",
      flags: ["body.empty", "date.missing", "from.missing", "messageId.missing"],
    });
  });

  it("with the line ends of old Macintoshes is read", () => {
    const mail = parse(multipart("mixed", plain("one"), plain("two")).replaceAll("\n", "\r"));
    expect([mail.subject, mail.text]).toEqual(["s", "one\n\ntwo"]);
  });

  it("gives what a database can hold: no NUL, no half characters", () => {
    const mail = parse(
      `${head.replace("Subject: s", "Subject: a\0b")}Content-Type: text/plain; charset=utf-7\n\nx\0y+2AA-z`,
    );
    expect(mail.subject).toBe("a b");
    expect(mail.text).toBe("xy\ufffdz");
    expect(mail.flags).toContain("content.nul");
  });

  it("takes References of the field that has some", () => {
    expect(parse(`References: \nReferences: <1@a>\n${head}\nx`).references).toEqual(["1@a"]);
  });
});

describe("the date of a mail", () => {
  const dated = (fields: string, envelope: string | null = null) =>
    parse(`From: a@b\nMessage-ID: <1@a>\n${fields}\n\nx`, { sender: null, date: envelope });
  const received = "Received: from a by b; Fri, 6 Apr 2007 16:00:00 +0000";
  const at = "2007-04-06T16:00:00.000Z";

  it.each([
    [received, "date.missing", at],
    [`${received}\nDate: soon`, "date.unreadable", at],
    [`${received}\nDate: Fri, 6 Apr 2035 15:43:55 +0000`, "date.absurd", at],
    [`${received}\nDate: Fri, 6 Apr 1945 15:43:55 +0000`, "date.absurd", at],
    [`${received}\nDate: Thu, 1 Jan 1970 00:00:00 +0000`, "date.absurd", at],
    [`Received: from a by b; nonsense\n${received}`, "date.missing", at],
  ])("in %j is when it was received", (fields, flag, date) => {
    expect(dated(fields)).toMatchObject({ date, flags: [flag] });
  });

  it("is what the archive says when nothing else does", () => {
    expect(dated("X: y", "2001-02-03T04:05:06.000Z")).toMatchObject({
      date: "2001-02-03T04:05:06.000Z",
      flags: ["date.missing"],
    });
    expect(dated("X: y")).toMatchObject({ date: null, flags: ["date.missing"] });
  });

  it("may be old, and a few hours ahead", () => {
    expect(dated(`${received}\nDate: Fri, 6 Apr 1990 15:43:55 +0000`)).toMatchObject({ flags: [] });
    expect(dated(`${received}\nDate: Sat, 7 Apr 2007 06:00:00 +0000`)).toMatchObject({ flags: [] });
  });
});

describe("a multipart", () => {
  it.each([
    ["alternative", [plain("plain"), html("<p>html</p>")], "plain"],
    ["alternative", [html("<p>html</p>"), plain("plain")], "plain"],
    ["alternative", [plain("  \n"), html("<p>html</p>")], "html"],
    [
      "alternative",
      [plain("This message is in HTML format. Please use an HTML capable reader."), html("real")],
      "real",
    ],
    [
      "alternative",
      [plain("The word HTML alone does no harm."), "Content-Type: image/png\n\nx"],
      "The word HTML alone does no harm.",
    ],
    ["mixed", [plain("one"), plain("two")], "one\n\ntwo"],
    ["mixed", [plain("same words"), html("<p>same words</p>")], "same words"],
    ["mixed", [plain("one"), html("<p>two</p>")], "one\n\ntwo"],
    ["related", [html("<p>html</p>"), "Content-Type: image/png\n\nx"], "html"],
    ["signed", [plain("signed"), "Content-Type: application/pgp-signature\n\nx"], "signed"],
    ["mixed", ["\nno header"], "no header"],
    ["unheard-of", [plain("one"), plain("two")], "one\n\ntwo"],
  ])("/%s of %j reads %j", (type, parts, text) => expect(parse(multipart(type, ...parts)).text).toBe(text));

  it("of HTML only is flagged", () => {
    expect(parse(multipart("alternative", html("<p>x</p>"))).flags).toEqual(["html.only"]);
  });

  it("is read although its end is missing", () => {
    const mail = parse(multipart("mixed", plain("one"), plain("two")).replace("--b--\nepilogue\n", ""));
    expect([mail.text.trimEnd(), mail.flags]).toEqual(["one\n\ntwo", ["mime.truncated"]]);
  });

  it("is read although its boundary is not the one it says, or none", () => {
    for (const content of ['multipart/mixed; boundary="other"', "multipart/mixed"]) {
      const raw = `${head}Content-Type: ${content}\n\n--real_boundary\n${plain("one")}\n--real_boundary--\n`;
      expect(parse(raw)).toMatchObject({ text: "one", flags: ["mime.boundary-missing"] });
    }
    expect(parse(`${head}Content-Type: multipart/mixed\n\nonly words`).text).toBe("only words");
  });

  it("is not cut at a boundary that only begins alike", () => {
    const inner = `Content-Type: multipart/alternative; boundary="b1"\n\n--b1\n${plain("one")}\n--b1--`;
    expect(parse(multipart("mixed", inner, plain("two"))).text).toBe("one\n\ntwo");
    expect(parse(multipart("mixed", plain("--bx\n --b\nkept"))).text).toBe("--bx\n --b\nkept");
  });

  it("inside another with the same boundary is told apart", () => {
    const inner = `Content-Type: multipart/alternative; boundary="b"\n`;
    const raw = `${head}Content-Type: multipart/mixed; boundary="b"\n\n--b\n${inner}\n--b\n${plain("one")}\n--b\n${html("one too")}\n--b--\n--b\n${plain("two")}\n--b--\n`;
    expect(parse(raw).text).toBe("one\n\ntwo");
  });

  it("ignores a transfer encoding of its own", () => {
    const raw = multipart("mixed", plain("a=3Db")).replace(
      "Subject: s",
      "Subject: s\nContent-Transfer-Encoding: quoted-printable",
    );
    expect(parse(raw).text).toBe("a=3Db");
  });
});

describe("attachments", () => {
  it("are listed with name, type, size and hash of what they hold", () => {
    const part =
      'Content-Type: application/PDF; name="x"\nContent-Disposition: attachment; filename="../a.pdf"\nContent-Transfer-Encoding: base64\n\naGVsbG8=';
    expect(parse(multipart("mixed", plain("text"), part))).toMatchObject({
      text: "text",
      attachments: [{ filename: "a.pdf", type: "application/pdf", size: 5, sha256: sha256("hello") }],
    });
  });

  it("that are text are read only when they are inline", () => {
    const patch = (disposition: string) =>
      `Content-Type: text/x-patch\nContent-Disposition: ${disposition}; filename=a.diff\n\n-a\n+b`;
    expect(parse(multipart("mixed", plain("see"), patch("inline")))).toMatchObject({
      text: "see\n\n-a\n+b",
      attachments: [{ filename: "a.diff", type: "text/x-patch" }],
    });
    expect(parse(multipart("mixed", plain("see"), patch("attachment")))).toMatchObject({
      text: "see",
      attachments: [{ filename: "a.diff", type: "text/x-patch" }],
    });
  });

  it("in the text are taken out of it", () => {
    expect(parse(`${head}\nsee\nbegin 644 a.txt\n%:&5L;&\\\n\`\nend\nbye\n`)).toMatchObject({
      text: "see\nbye\n",
      attachments: [{ filename: "a.txt", size: 5, sha256: sha256("hello") }],
    });
  });

  it("may be mails, which are listed and not mixed into the text", () => {
    const inner = `Content-Type: message/rfc822\n\n${head.replace("Subject: s", "Subject: inner")}\ninner words`;
    expect(parse(multipart("mixed", plain("outer words"), inner))).toMatchObject({
      text: "outer words",
      attachments: [{ filename: null, type: "message/rfc822" }],
    });
  });

  it("that are all there is of a mail are read as well, and so is a digest", () => {
    const inner = "Subject: inner\nFrom: bob@host\n\ninner words";
    const forwarded = parse(`${head}Content-Type: message/rfc822\n\n${inner}`);
    expect(forwarded.text).toBe("From: bob@host\nSubject: inner\n\ninner words");
    expect(forwarded.attachments).toHaveLength(1);
    const digest = parse(multipart("digest", `\n${inner}`, `\n${inner}`));
    expect(digest.text.match(/inner words/g)).toHaveLength(2);
    expect(digest.attachments.map((each) => each.type)).toEqual(["message/rfc822", "message/rfc822"]);
  });

  it("include calendars, cards and signatures, but not the other version of the text", () => {
    const parts = [plain("text"), html("<p>text</p>"), "Content-Type: text/calendar\n\nBEGIN:VCALENDAR"];
    expect(parse(multipart("alternative", ...parts)).attachments.map((each) => each.type)).toEqual([
      "text/calendar",
    ]);
  });
});

describe("text", () => {
  it.each([
    ["format=flowed", "one \ntwo\n", "one two\n"],
    ["format=flowed; delsp=yes", "one \ntwo\n", "onetwo\n"],
    ["format=fixed", "one \ntwo\n", "one \ntwo\n"],
  ])("with %s is read as such", (parameter, body, text) => {
    expect(parse(`${head}Content-Type: text/plain; ${parameter}\n\n${body}`).text).toBe(text);
  });

  it("that is a page without saying so is read as one", () => {
    expect(parse(`${head}\n<!DOCTYPE html><html><body><p>one</p></body></html>`).text).toBe("one");
  });

  it("of a page has the charset that the page says", () => {
    const raw = Buffer.from(
      `${head}Content-Type: text/html\n\n<meta charset="koi8-r"><p>\xf0\xd2\xc9\xd7\xc5\xd4</p>`,
      "latin1",
    );
    expect(parseMail(raw).text).toBe("Привет");
  });
});

describe("the list", () => {
  it.each([
    ['List-Id: "Talk" <talk.host.org>', "talk.host.org"],
    ["List-Id: talk.host.org", "talk.host.org"],
    ["X-Mailing-List: <talk@host.org> archive/latest/1", "talk.host.org"],
    ["Mailing-List: contact talk-help@host.org; run by ezmlm", "talk.host.org"],
    ["List-Post: <mailto:talk@host.org>", "talk.host.org"],
    ["X-BeenThere: talk@host.org", "talk.host.org"],
    ["X-Nothing: x", null],
  ])("of %j is %s", (field, id) => expect(parse(`${head}${field}\n\nx`).listId).toBe(id));
});
