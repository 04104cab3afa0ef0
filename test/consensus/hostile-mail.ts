/** Mails written to make a careless reader spin, recurse or swell; long mails have the given number of bytes. */
export const hostileMails: Readonly<Record<string, (bytes: number) => string>> = {
  "encoded words that never begin": (bytes) => mail({ Subject: fill("=?", bytes) }),
  "encoded words that never end": (bytes) => mail({ Subject: fill("=?utf-8?q?a", bytes) }),
  "one endless header line": (bytes) => mail({ "X-Long": fill("a", bytes) }),
  "a hundred thousand addresses": () =>
    mail({ To: Array.from({ length: 100_000 }, (_, at) => `a${at}@example.org`).join(", ") }),
  "a hundred thousand senders": () =>
    mail({ From: Array.from({ length: 100_000 }, (_, at) => `"A, ${at}" <a${at}@example.org>`).join(", ") }),
  "a hundred thousand references": () =>
    mail({ References: Array.from({ length: 100_000 }, (_, at) => `<r${at}@example.org>`).join(" ") }),
  "two hundred thousand multiparts in one another": () =>
    mail(
      { "Content-Type": 'multipart/mixed; boundary="b0"' },
      Array.from(
        { length: 200_000 },
        (_, at) => `--b${at}\nContent-Type: multipart/mixed; boundary="b${at + 1}"\n\n`,
      ).join(""),
    ),
  "two hundred thousand parts side by side": () =>
    mail({ "Content-Type": "multipart/mixed; boundary=b" }, "--b\n\nx\n".repeat(200_000)),
  "mails in mails in mails": (bytes) => mail({}, fill("Content-Type: message/rfc822\n\n", bytes)),
  "a hundred thousand nested elements": () => page(`${"<div>".repeat(100_000)}x`),
  "a hundred thousand nested quotes of a page": () => page(`${"<blockquote>".repeat(100_000)}x`),
  "a hundred thousand tables in one another": () => page(`${"<table><tr><td>".repeat(100_000)}x`),
  "nothing but quote marks": (bytes) => mail({}, fill(">", bytes)),
  "quote marks, one a line": (bytes) => mail({}, fill(">\n", bytes)),
  "quotes that grow deeper with each line": () =>
    mail({}, Array.from({ length: 1_400 }, (_, at) => `${">".repeat(at)} x`).join("\n")),
  "attribution lines without end": (bytes) =>
    mail({}, fill("On Mon, Mar 4, 2024 at 10:00 AM Anna Lind <anna@example.org>\n", bytes)),
  "forwarded headers without end": (bytes) => mail({}, fill("From: a\nSent: b\nTo: c\nSubject: d\n", bytes)),
  "signature marks without end": (bytes) => mail({}, fill("-- \n", bytes)),
  "one endless word": (bytes) => mail({}, fill("a", bytes)),
  "nothing but spaces": (bytes) => mail({}, `${fill(" ", bytes)}x`),
  "nothing but full stops": (bytes) => mail({}, fill(". ", bytes)),
  "votes without end": (bytes) => mail({}, fill("+1\n", bytes)),
  "nothing but agreement": (bytes) => mail({}, fill("I agree with you, but I do not support this. ", bytes)),
  "nothing but negation": (bytes) => mail({}, fill("not ", bytes)),
  "one endless question": (bytes) => mail({}, fill("why not ? ", bytes)),
  "nothing but links": (bytes) => mail({}, fill("http://a/?", bytes)),
  "nothing but drawing": (bytes) => mail({}, fill("+--+--+\n|  |  |\n", bytes)),
  "nothing but diff": (bytes) => mail({}, fill("+a\n-b\n@@ -1 +1 @@\n", bytes)),
  "a bomb of Base64": () => encoded("base64", Buffer.alloc(750_000).toString("base64")),
  "Base64 of Base64": (bytes) => encoded("base64", Buffer.from(fill("QUFB", bytes)).toString("base64")),
  "nothing but combining marks": (bytes) => encoded("8bit", `a${fill("\u0301", bytes)}`, "utf-8"),
  "nothing but surrogates and controls": (bytes) =>
    encoded("8bit", fill("\u0000\uFFFE\u202E", bytes), "utf-8"),
};

const fill = (piece: string, bytes: number): string => piece.repeat(Math.ceil(bytes / piece.length));

function mail(fields: Readonly<Record<string, string>>, body = "Hello."): string {
  const all = {
    From: "Mallory <mallory@example.org>",
    Date: "Mon, 4 Mar 2024 10:00:00 +0000",
    Subject: "Hello",
    ...fields,
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\n`);
  return `${head.join("")}\n${body}\n`;
}

const page = (html: string): string => mail({ "Content-Type": "text/html" }, html);

const encoded = (encoding: string, body: string, charset = "us-ascii"): string =>
  mail(
    { "Content-Type": `text/plain; charset=${charset}`, "Content-Transfer-Encoding": encoding },
    charset === "utf-8" ? Buffer.from(body).toString("latin1") : body,
  );
