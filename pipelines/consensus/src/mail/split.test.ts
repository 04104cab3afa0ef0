import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FoundMail, SplitOptions } from "./split.ts";
import { splitMails } from "./split.ts";

async function* inPieces(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (let turn = 0; at < bytes.length; turn++) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? bytes.length);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function split(
  archive: string | Buffer,
  options: SplitOptions & { readonly pieces?: readonly number[] } = {},
): Promise<FoundMail[]> {
  const bytes = typeof archive === "string" ? Buffer.from(archive, "latin1") : archive;
  const found: FoundMail[] = [];
  for await (const mail of splitMails(inPieces(bytes, options.pieces ?? [bytes.length]), options))
    found.push(mail);
  return found;
}

const texts = async (archive: string | Buffer, options: SplitOptions = {}) =>
  (await split(archive, options)).map(({ bytes }) => bytes.toString("latin1"));

const line = "From ann@example.org Sat Jan  1 00:00:00 2000";
const mail = (name: string, body = "Hello.") => `From: ${name}@example.org\nSubject: ${name}\n\n${body}\n`;

describe("separators", () => {
  it("end a mail after a blank line, which belongs to neither mail", async () => {
    expect(await texts(`${line}\n${mail("a")}\n${line}\n${mail("b")}\n`)).toEqual([mail("a"), mail("b")]);
  });

  it("are no prose", async () => {
    const body = "One.\n\nFrom the beginning, this was odd.\n\nFrom: is a header\n\nFrom Monday on, we rest.";
    expect(await texts(`${line}\n${mail("a", body)}\n${line}\n${mail("b")}`)).toEqual([
      mail("a", body),
      mail("b"),
    ]);
  });

  it("are no complete From_ line in a body that prose follows", async () => {
    const body = `The log says:\n\n${line}\nwhich is not the truth.\n\n${line}\n\nNeither is this.`;
    const archive = `From bob@example.org Sat Jan  1 00:00:00 2000\n${mail("a", body)}`;
    expect(await texts(archive)).toEqual([mail("a", body)]);
  });

  it("may lack the blank line before when headers follow", async () => {
    expect(await texts(`${line}\n${mail("a")}${line}\n${mail("b")}`)).toEqual([mail("a"), mail("b")]);
  });

  it("may follow a line that is almost blank", async () => {
    expect(
      await split(`${line}\n${mail("a")} \t \nFrom Ann B Sat Jan  1 00:00:00 2000\n${mail("b")}`),
    ).toHaveLength(2);
  });

  it("stand before what is binary and at the very end, where a damaged mail begins", async () => {
    const found = await texts(`${line}\n${mail("a")}\n${line}\n\x01\x02\x03\xff\xfe\x00\x04\n\n${line}\n`);
    expect(found).toEqual([mail("a"), "\x01\x02\x03\xff\xfe\x00\x04\n", ""]);
  });

  it("of Git patches count where the archive is made of them, and not inside of a mail", async () => {
    const patch = `From ${"0123456789".repeat(4)} Mon Sep 17 00:00:00 2001`;
    expect(await split(`${patch}\n${mail("a")}\n${patch}\n${mail("b")}`)).toHaveLength(2);
    expect(await split(`${line}\n${mail("a")}\n${patch}\n${mail("b")}`)).toHaveLength(1);
  });

  it("without a date or a sender count where the first one is like that", async () => {
    expect(await split(`From \n${mail("a")}\nFrom \n${mail("b")}`)).toHaveLength(2);
    expect(await split(`${line}\n${mail("a")}\nFrom \n${mail("b")}`)).toHaveLength(1);
  });

  it("before mails without headers count where the first mail has none, or the sender is the first one's", async () => {
    expect(await texts(`${line}\n\none\n\nFrom bo@example.org Sat Jan  1 00:00:00 2000\n\ntwo\n`)).toEqual([
      "\none\n",
      "\ntwo\n",
    ]);
    expect(await split(`${line}\n${mail("a")}\n${line}\n\ntwo\n`)).toHaveLength(2);
  });
});

describe("an archive", () => {
  it("tells where each mail lies, so that its bytes can be found again", async () => {
    const archive = Buffer.from(`${line}\n${mail("a", ">From here.")}\n${line}\n${mail("b")}`);
    const found = await split(archive);
    expect(found.map(({ offset, size }) => archive.toString("latin1", offset, offset + size))).toEqual([
      mail("a", ">From here."),
      mail("b"),
    ]);
  });

  it.each([
    ["LF", "\n"],
    ["CRLF", "\r\n"],
    ["CR", "\r"],
  ])("may have %s line ends", async (_, end) => {
    const withEnds = (text: string) => text.replaceAll("\n", end);
    const found = await texts(withEnds(`${line}\n${mail("a", "x\n>From y")}\n${line}\n${mail("b")}\n`));
    expect(found).toEqual([withEnds(mail("a", "x\nFrom y")), withEnds(mail("b"))]);
  });

  it("may begin with a byte order mark, NULs, blank lines or something else", async () => {
    for (const lead of ["\xef\xbb\xbf", "\0\0\0\0", "\n\n", " \r\n", "This file was made by hand.\n\n"])
      expect(await texts(`${lead}${line}\n${mail("a")}\n${line}\n${mail("b")}`)).toEqual([
        mail("a"),
        mail("b"),
      ]);
  });

  it("may begin with a mail whose separator is lost", async () => {
    expect(await texts(`${mail("a")}\n${line}\n${mail("b")}`)).toEqual([mail("a"), mail("b")]);
    expect(await texts(`2005\n${mail("a").replace("\n", "\nDate: x\n")}`)).toEqual([
      mail("a").replace("\n", "\nDate: x\n"),
    ]);
  });

  it("may end in the middle of a mail", async () => {
    expect(await texts(`${line}\n${mail("a")}\n${line}\nSubject: ha`)).toEqual([mail("a"), "Subject: ha"]);
  });

  it("has the same mails when it has grown", async () => {
    const first = `${line}\n${mail("a")}\n`;
    const [before] = await split(first);
    const [after] = await split(`${first}${line}\n${mail("b")}\n`);
    expect(after).toEqual(before);
  });

  it("that is no mail has none", async () => {
    for (const other of [
      "",
      "\n \n",
      "%PDF-1.7\nFrom x",
      "<html><body>From",
      "PK\x03\x04",
      "Just words.\nMore.",
    ])
      expect(await split(other)).toEqual([]);
  });

  it("in MMDF has its mails between lines of four ^A", async () => {
    const bar = "\x01\x01\x01\x01\n";
    const body = `Text\n\n${line}\nX: y\n>From`;
    const archive = `${bar}${mail("a", body)}${bar}${bar}${line}\n${mail("b")}${bar}${bar}${mail("c")}`;
    expect(await texts(archive)).toEqual([mail("a", body), mail("b"), mail("c")]);
    expect((await split(archive))[1]?.envelope.sender).toBe("ann@example.org");
  });
});

describe("a single mail", () => {
  it("is taken as it is, escapes and last blank lines included", async () => {
    expect(await texts(mail("a", ">From x\n\n"))).toEqual([mail("a", ">From x\n\n")]);
  });

  it("keeps the archive that is attached to it", async () => {
    const parts = `--b\nContent-Type: application/mbox\n\n${line}\n${mail("x")}\n${line}\n${mail("y")}\n--b--\n`;
    const whole = `Content-Type: multipart/mixed;\n boundary="b"\nFrom: a@example.org\n\n${parts}`;
    expect(await texts(whole)).toEqual([whole]);
    expect(await texts(`${whole}\n${line}\n${mail("z")}`)).toEqual([whole, mail("z")]);
  });

  it("is not split where it is a digest of others", async () => {
    const digest = mail(
      "list",
      `Today:\n\n${"-".repeat(30)}\n\n${mail("a")}\n${"-".repeat(30)}\n\n${mail("b")}`,
    );
    expect(await texts(digest)).toEqual([digest]);
  });
});

describe("Content-Length", () => {
  const sized = (body: string, length = body.length) => `Content-Length: ${length}\nSubject: a\n\n${body}`;
  const forwarded = `Look:\n\n${line}\n${mail("x")}>From me\n`;

  it("covers an archive within a mail, which then has no escapes", async () => {
    expect(await texts(`${line}\n${sized(forwarded)}\n${line}\n${mail("b")}`)).toEqual([
      sized(forwarded),
      mail("b"),
    ]);
    expect(await texts(`${line}\n${sized(forwarded)}`)).toEqual([sized(forwarded)]);
  });

  it("is ignored when it does not lead to a separator or the end", async () => {
    for (const length of [0, 3, 99, 1_000_000, 999_999_999_999])
      expect(await split(`${line}\n${sized(forwarded, length)}\n${line}\n${mail("b")}`)).toHaveLength(3);
  });
});

describe("escapes", () => {
  it("are undone by one level, at line starts of the body only", async () => {
    const escaped = "X: >From\n>From header\n\n>From a\n>>From b\n> From c\n x >From d\n>Fromage\n";
    const plain = "X: >From\n>From header\n\nFrom a\n>From b\n> From c\n x >From d\n>Fromage\n";
    expect(await texts(`${line}\n${escaped}`)).toEqual([plain]);
  });

  it("of pipermail are the first level only, because Mailman adds no second one", async () => {
    const archive = `From ann at example.org  Sat Jan  1 00:00:00 2000\n${mail("a", ">From a\n>>From b")}`;
    expect(await texts(archive)).toEqual([mail("a", "From a\n>>From b")]);
  });

  it("of any mail that an mboxrd writer archived are undone to its bytes", async () => {
    const word = fc.constantFrom("From ", ">From ", ">>From ", line, "> ", ">", "x", "From: y", "", " ");
    const body = fc.array(
      fc.array(word, { maxLength: 3 }).map((words) => words.join("")),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(body, { minLength: 1, maxLength: 4 }), async (bodies) => {
        const mails = bodies.map((lines, at) => mail(`m${at}`, lines.join("\n")));
        const archive = mails.map((text) => {
          const [head = "", ...rest] = text.split("\n\n");
          return `${line}\n${head}\n\n${rest.join("\n\n").replace(/^(>*From )/gm, ">$1")}\n`;
        });
        expect(await texts(archive.join(""))).toEqual(mails);
      }),
    );
  });
});

describe("limits", () => {
  it("cut a mail that is too large, and count all of it", async () => {
    const large = mail("a", "x".repeat(300_000));
    const found = await split(`${line}\n${large}\n${line}\n${mail("b")}`, {
      mailBytesMax: 1000,
      pieces: [4096],
    });
    expect(found.map(({ size, cut, bytes }) => [size, cut, bytes.length])).toEqual([
      [large.length, true, 1000],
      [mail("b").length, false, mail("b").length],
    ]);
    expect(found[0]?.bytes.toString()).toBe(large.slice(0, 1000));
  });

  it("keep memory flat over 300 MB of mails and one mail of 100 MB", async () => {
    const some = Buffer.from(
      Array.from({ length: 200 }, (_, at) => `${line}\n${mail(`m${at}`, "y".repeat(5000))}\n`).join(""),
    );
    const filler = Buffer.from(`${"z".repeat(1023)}\n`.repeat(1024));
    async function* archive(): AsyncGenerator<Uint8Array> {
      for (let sent = 0; sent < 300_000_000; sent += some.length) yield some;
      yield Buffer.from(`${line}\n${mail("large")}`);
      for (let sent = 0; sent < 100; sent++) yield filler;
    }
    const used = () => process.memoryUsage().rss;
    const before = used();
    let peak = before;
    let count = 0;
    let last: FoundMail | null = null;
    for await (const found of splitMails(archive())) {
      last = found;
      if (++count % 1000 === 0) peak = Math.max(peak, used());
    }
    expect(count).toBe(Math.ceil(300_000_000 / some.length) * 200 + 1);
    expect([last?.cut, last?.bytes.length, last?.size]).toEqual([
      true,
      8 * 1024 * 1024,
      mail("large").length + 100 * filler.length,
    ]);
    expect(Math.max(peak, used()) - before).toBeLessThan(150_000_000);
  }, 30_000);

  it("stop the reading when it is given up, and close the source", async () => {
    let closed = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Buffer.from(`${line}\n${mail("a")}\n`);
      } finally {
        closed = true;
      }
    }
    const given = new AbortController();
    const reading = async () => {
      for await (const _ of splitMails(endless(), { signal: given.signal }))
        given.abort(new Error("given up"));
    };
    await expect(reading()).rejects.toThrow("given up");
    expect(closed).toBe(true);
  });
});

describe("any bytes", () => {
  const scrap = fc.constantFrom(
    ...[
      line,
      "From ",
      "\n",
      "\r\n",
      "\r",
      "\n\n",
      "Subject: x\n",
      "Content-Length: 20\n",
      "\x01\x01\x01\x01",
      "\x01",
    ],
    ...[
      "\0",
      "text ",
      ">From ",
      "From x Sat Jan 1 00:00 99\n",
      "--b--",
      "Content-Type: multipart/x; boundary=b\n",
      "\xff",
    ],
  );
  const archives = fc.array(scrap, { maxLength: 60 }).map((parts) => Buffer.from(parts.join(""), "latin1"));

  it("give the same mails however they arrive", async () => {
    const pieces = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        archives,
        pieces,
        fc.integer({ min: 1, max: 200 }),
        async (archive, sizes, mailBytesMax) => {
          const whole = await split(archive, { mailBytesMax });
          expect(await split(archive, { mailBytesMax, pieces: sizes })).toEqual(whole);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("give mails in order that do not overlap, each with at most its own size", async () => {
    await fc.assert(
      fc.asyncProperty(archives, async (archive) => {
        let end = 0;
        for (const found of await split(archive)) {
          expect(found.offset).toBeGreaterThanOrEqual(end);
          expect(found.bytes.length).toBeLessThanOrEqual(found.size);
          end = found.offset + found.size;
        }
        expect(end).toBeLessThanOrEqual(archive.length);
      }),
    );
  });

  it.each([
    ["From lines without a mail", "\nFrom "],
    ["separators only", `${line}\n`],
    ["separators with blank lines", `${line}\n\n`],
    ["escapes", "\n>>>>From "],
    ["quotes", ">"],
    ["control bars", "\x01\x01\x01\x01"],
    ["wrong lengths", `${line}\nContent-Length: 7000000\n\nx\n\n`],
    ["dates", "\nFrom Sat Jan 1 Sat Jan 1 Sat Jan 1 Sat Jan 1 "],
  ])("of a megabyte of %s are read to the end", async (_, part) => {
    const archive = Buffer.from(
      `${line}\n${mail("a")}${part.repeat(Math.ceil(1_000_000 / part.length))}`,
      "latin1",
    );
    const found = await split(archive);
    const last = found.at(-1);
    expect(archive.length - ((last?.offset ?? 0) + (last?.size ?? 0))).toBeLessThanOrEqual(2);
  });
});

describe("a LISTSERV log", () => {
  const bar = "=".repeat(73);
  const logged = (name: string, body = "Hello.") =>
    `${bar}\nDate:         Mon, 2 Jan 1995 10:00:00 EST\nReply-To:     Tides\n              <TIDES@EXAMPLE.ORG>\nFrom:         ${name}\nSubject:      ${name}\n\n${body}\n\n`;
  const names = async (archive: string, pieces: readonly number[] = [archive.length]) =>
    (await split(archive, { pieces })).map(
      ({ bytes }) => /^Subject: +(\w+)/m.exec(bytes.toString("latin1"))?.[1],
    );

  it("has a mail after each of its lines, whatever pieces it comes in", async () => {
    const archive = [..."abcdefgh"].map((name) => logged(name)).join("");
    for (const pieces of [[archive.length], [1], [7, 80]])
      expect(await names(archive, pieces)).toEqual([..."abcdefgh"]);
  });

  it("may hold such a line in a mail, above a heading or a table", async () => {
    const body = `Results\n${bar}\nTime: 10\nplace  depth\n${bar}\nDate: see above.\n\nBye.`;
    expect(await names(logged("a", body) + logged("b"))).toEqual(["a", "b"]);
  });

  it("with lines that end in CR and LF is the same", async () => {
    expect(await names((logged("a") + logged("b")).replaceAll("\n", "\r\n"))).toEqual(["a", "b"]);
  });
});
