import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { openDatabase } from "../../engine/src/engine.ts";
import { isKept } from "../../pipelines/consensus/src/anonymize/kept-words.ts";
import { canonical, wordPattern } from "../../pipelines/consensus/src/anonymize/pseudonyms.ts";
import { samplePath } from "../../pipelines/consensus/src/sample.ts";
import { runHeadway } from "../consensus/headway-process.ts";
import { headway, type SmallList, statement, useSmallLists } from "./small-list.ts";

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 });

/** Mails full of what must not come out. Each of these is looked for in every byte of the copy. */
const planted = {
  names: ["Zebulon", "Quackenbush", "Åsa", "Öhrström", "Xu", "Wojciechowska"],
  addresses: [
    "zebulon.q@kvarnby.example",
    "asa@wharf.example",
    "grazyna",
    "kvarnby",
    "tidelist@gauges.example",
  ],
  phones: ["555 0199 221", "5550199221", "070-123 45 67"],
  words: ["barnacle", "breakwater", "lighthouse", "Hafenmeister", "маяк", "seiche", "limnology"],
  ids: ["zq-20240304-0001", "asa-reply-77", "grazyna.late"],
  files: ["zebulons-will"],
};

const footer = `_______________________________________________
Tidelist mailing list
tidelist@gauges.example
https://gauges.example/listinfo/tidelist`;

const mails = [
  `From zebulon.q@kvarnby.example Mon Mar  4 10:00:00 2024
From: Zebulon Quackenbush <zebulon.q@kvarnby.example>
Date: Mon, 4 Mar 2024 10:00:00 +0000
Message-ID: <zq-20240304-0001@kvarnby.example>
List-Id: Tide gauges <tidelist.gauges.example>
Subject: [Tidelist] The breakwater, by Zebulon
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="cut"

--cut
Content-Type: text/plain; charset=utf-8

The lighthouse has a barnacle problem, says the Hafenmeister. Call me: +46 70-123 45 67, or 555 0199 221.

-- 
Zebulon Quackenbush, limnology
${footer}

--cut
Content-Type: application/pdf
Content-Disposition: attachment; filename="zebulons-will.pdf"
Content-Transfer-Encoding: base64

YmFybmFjbGU=
--cut--

`,
  `From asa@wharf.example Mon Mar  4 11:00:00 2024
From: =?utf-8?Q?=C3=85sa_=C3=96hrstr=C3=B6m?= <asa@wharf.example>
Date: Mon, 4 Mar 2024 11:00:00 +0000
Message-ID: <asa-reply-77@wharf.example>
In-Reply-To: <zq-20240304-0001@kvarnby.example>
References: <zq-20240304-0001@kvarnby.example>
Subject: Re: [Tidelist] The breakwater, by Zebulon
Content-Type: text/plain; charset=utf-8

On Mon, 4 Mar 2024 at 10:00, Zebulon Quackenbush <zebulon.q@kvarnby.example> wrote:
> The lighthouse has a barnacle problem, says the Hafenmeister.

+1. Xu said so too, see <zq-20240304-0001@kvarnby.example>. маяк!
${footer}

`,
  `From grazyna@wharf.example Mon Mar  4 12:00:00 2024
From: "Wojciechowska, G." <grazyna@wharf.example>
Date: Mon, 4 Mar 2024 12:00:00 +0000
Message-ID: <grazyna.late@wharf.example>
References: <zq-20240304-0001@kvarnby.example> <asa-reply-77@wharf.example>
Subject: AW: The breakwater, by Zebulon
Content-Type: text/plain; charset=utf-8

I object: a seiche is no tide. Ask Xu <xu@wharf.example>.

`,
  `From xu@wharf.example Mon Mar  4 13:00:00 2024
From: Xu <xu@wharf.example>
Date: Mon, 4 Mar 2024 13:00:00 +0000
Message-ID: <xu-1@wharf.example>
Subject: Lighthouse visit

Who comes along? Zebulon does.

`,
];

const rowsOf = (out: string) =>
  out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/** Every row of every table, and every byte of every file. */
async function everythingIn(folder: string): Promise<string> {
  const database = await openDatabase({ folder }, { poolMax: 1 });
  const texts: string[] = [];
  try {
    const tables = await database.query<{ name: string }>(
      statement("select quote_ident(tablename) as name from pg_tables where schemaname = 'headway'"),
    );
    for (const { name } of tables) {
      const rows = await database.query<{ row: string }>(
        statement(`select t::text as row from headway.${name} t`),
      );
      texts.push(...rows.map(({ row }) => row));
    }
  } finally {
    await database.close();
  }
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) texts.push((await readFile(join(entry.parentPath, entry.name))).toString("utf8"));
  return texts.join("\n").toLowerCase();
}

/** The ending of a file, and a word of our own summaries. */
const ours = new Set(["pdf", "asks"]);

/** How a list is built: everything about its threads but who, when and what. */
async function shapeOf(...flags: string[]) {
  const threads = rowsOf((await headway("export", "threads", ...flags)).out);
  const messages = rowsOf((await headway("export", "messages", ...flags)).out);
  const depth = (parents: Record<string, string | null>, id: string): number =>
    parents[id] ? 1 + depth(parents, parents[id]) : 0;
  const shapes = threads.map(({ messages: ids, parents, roots, participants }) => ({
    roots: roots.length,
    participants: participants.length,
    tree: ids.map((id: string) => depth(parents, id)),
  }));
  const kinds = messages.flatMap(({ removed }) => removed.map(({ kind }: { kind: string }) => kind));
  return {
    threads: shapes.map((shape) => JSON.stringify(shape)).sort(),
    messages: messages.length,
    occurrences: messages.flatMap((one) => one.occurrences).length,
    attachments: messages.flatMap((one) => one.attachments).length,
    quotes: kinds.filter((kind) => kind === "quote").length,
    people: new Set(messages.map(({ from }) => from.address)).size,
  };
}

/** The words of everything in a row that a person wrote or is known by. */
function personalWords(row: unknown, found = new Set<string>()): Set<string> {
  const personal = ["subject", "name", "address", "text", "clean", "quote", "filename", "listId", "list"];
  const visit = (value: unknown, key: string): void => {
    if (typeof value === "string" && personal.includes(key))
      for (const [word] of value.matchAll(wordPattern)) if ([...word].length >= 3) found.add(canonical(word));
    if (typeof value === "object" && value !== null)
      for (const [inner, one] of Object.entries(value)) visit(one, Array.isArray(value) ? key : inner);
  };
  visit(row, "");
  return found;
}

describe("headway snapshot --anonymize", () => {
  const lists = useSmallLists();
  let original: SmallList;
  let copy: string;
  beforeAll(async () => {
    original = await lists.read("pglite");
    await writeFile(join(original.folder, "tidelist.mbox"), mails.join(""));
    await original.headway("ingest", join(original.folder, "tidelist.mbox"));
    copy = join(original.folder, "staging");
    const made = await runHeadway(["snapshot", "--anonymize", copy, ...original.flags], {
      cwd: original.folder,
    });
    expect(made).toMatchObject({ code: 0 });
  });

  it("nothing that was planted is anywhere in the copy: not in a row, not in a byte of a file", async () => {
    const everything = await everythingIn(copy);
    const source = await everythingIn(original.flags[1] as string);
    for (const [kind, tokens] of Object.entries(planted))
      for (const token of tokens) {
        // Two letters occur in everything; as a word they must not.
        const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${token.toLowerCase()}(?![\\p{L}\\p{N}])`, "u");
        const found =
          token.length <= 3
            ? pattern.test(personalText(everything))
            : everything.includes(token.toLowerCase());
        expect({ kind, token, found }).toEqual({ kind, token, found: false });
        if (kind !== "ids" && token.length > 3 && kind !== "phones")
          expect({ token, there: source.includes(token.toLowerCase()) }).toEqual({ token, there: true });
      }
  });

  /** Bytes that are no text may be any two letters. */
  const personalText = (text: string) => text.replace(/[^\n]*[\0\uFFFD][^\n]*/g, "");

  it("no word that anybody wrote or is called by is among those of the copy, but the few that are kept", async () => {
    const words = async (...flags: string[]) => {
      const found = new Set<string>();
      for (const kind of ["messages", "threads", "chunks", "summaries", "positions"])
        for (const row of rowsOf((await headway("export", kind, ...flags)).out)) personalWords(row, found);
      return found;
    };
    const before = await words(...original.flags);
    const after = await words("--data", copy);
    const left = [...after].filter(
      (word) => before.has(word) && !isKept(word) && !ours.has(word) && !/^20\d\d$/.test(word),
    );
    expect(left).toEqual([]);
    expect(before.size).toBeGreaterThan(60);
  });

  it("threads, quotes, attachments and counts are as they were", async () => {
    expect(await shapeOf("--data", copy)).toEqual(await shapeOf(...original.flags));
    expect(await headway("verify", "--data", copy)).toMatchObject({ code: 0 });
  });

  it("one person is one person everywhere: in the field, in who is quoted, in the signature and in the address", async () => {
    const messages = rowsOf((await headway("export", "messages", "--data", copy)).out);
    const first = messages.find(({ attachments }) => attachments.length === 1);
    const reply = messages.find(({ inReplyTo }) => inReplyTo === first.messageId);
    const { name, address } = first.from;
    expect(first.text).toContain(`-- \n${name},`);
    expect(reply.text).toContain(`${name} <${address}> wrote:`);
    expect(reply.text).toContain(`<${first.messageId}>`);
    expect(reply.inReplyTo).toBe(first.messageId);
    expect(reply.clean).not.toContain(name);
    expect(reply.subject.toLowerCase()).toContain(name.split(" ")[0].toLowerCase());
  });

  it("no date of the list is one of the copy, and what was later is later", async () => {
    const datesIn = async (...flags: string[]) =>
      rowsOf((await headway("export", "messages", ...flags)).out).map(({ date }) => date as string);
    const before = new Set(await datesIn(...original.flags));
    const after = await datesIn("--data", copy);
    expect(after.filter((date) => before.has(date))).toEqual([]);
    expect(after.filter((date) => !/:\d\d:00\.000Z$/.test(date))).toEqual([]);
    const texts = rowsOf((await headway("export", "messages", "--data", copy)).out).map(({ text }) => text);
    expect(texts.join("\n")).not.toMatch(/4 Mar 2024|10:0[1-9]/);
  });

  it("a second copy has other names: nobody can put two side by side", async () => {
    const second = join(original.folder, "second");
    expect(await original.headway("snapshot", "--anonymize", second)).toMatchObject({ code: 0 });
    const namesIn = async (data: string) =>
      rowsOf((await headway("export", "messages", "--data", data)).out).map(({ from }) => from.name);
    const first = new Set(await namesIn(copy));
    expect((await namesIn(second)).filter((name) => first.has(name))).toEqual([]);
  });

  it("a folder with something in it, a copy with names, and a copy of nothing are refused", async () => {
    expect(await original.headway("snapshot", "--anonymize", copy)).toMatchObject({
      code: 1,
      err: expect.stringContaining("is not empty"),
    });
    const other = join(original.folder, "other");
    expect(await original.headway("snapshot", other)).toMatchObject({ code: 2 });
    const empty = await lists.folder();
    expect(await headway("snapshot", "--anonymize", other, "--data", empty)).toMatchObject({ code: 1 });
    expect(existsSync(other)).toBe(false);
    expect((await readdir(original.folder)).filter((name) => name.includes("making"))).toEqual([]);
  });
});

describe("a snapshot from a PostgreSQL", () => {
  const lists = useSmallLists();

  it("of a whole list with all its oddities has the same shape", async () => {
    const list = await lists.read("postgres");
    expect((await list.headway("ingest", samplePath())).out).toContain(
      "183 messages + 2 duplicates + 2 dead letters",
    );
    const copy = join(list.folder, "staging");
    expect(await list.headway("snapshot", "--anonymize", copy)).toMatchObject({ code: 0 });
    expect(await shapeOf("--data", copy)).toEqual(await shapeOf(...list.flags));
  });
});
