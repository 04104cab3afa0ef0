import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startOperatorServer } from "../../cli/src/operator-server.ts";
import { addAccessKey, makeConsole, type Role } from "../../console/src/server/index.ts";
import type { Library } from "../../console/src/server/library.ts";
import { openOperators } from "../../engine/src/operate.ts";
import type { Database } from "../../engine/src/store/database.ts";
import { openOffice } from "../support/post-office.ts";

/** Hostile text: markup, ANSI, direction, quotes, slashes, percent signs. */
export const hostileText =
  "bad <script>alert(1)</script><img src=x onerror=alert(1)> \u001b[31mred \u202eltr %2F%00 'q' \"d\" /../ #?&";
/** A name of a thousand characters, the limit of an id. */
export const longText = `sticky ${"n".repeat(990)}`;

const hosts = ["console.example.org"];

export type Office = Awaited<ReturnType<typeof openOffice>>;

/** The letters pipeline with its console, on a clock moved by hand. */
export async function openOfficeConsole(database: Database) {
  const data = await mkdtemp(join(tmpdir(), "headway-console-"));
  const office = await openOffice(database);
  const operatorFor = await openOperators({ database, clock: office.clock, pipelines: [office.pipeline] });
  const inside: unknown[] = [];
  const onError = (error: unknown) => void inside.push(error);
  const server = await startOperatorServer({
    operatorFor,
    metrics: async () => "",
    isReady: async () => true,
    onError,
    sharing: null,
    data,
    host: "127.0.0.1",
    port: 0,
    hosts,
    makeConsole: (token) =>
      makeConsole({
        operatorFor,
        database,
        pipelines: [office.pipeline],
        library,
        shelf: null,
        takeFile: null,
        schedules: null,
        data,
        token,
        version: "test",
        hosts,
        settings: () => [],
        onError,
      }),
  });
  const { console } = server;
  if (!console) throw new Error("No console is served.");
  return {
    url: server.url,
    office,
    operatorFor,
    inside,
    entry: (role: Role, name = "ann") => `${server.url}/${console.makeEntry({ name, role })}`,
    addKey: (name: string, role: Role) => addAccessKey(data, { name, role, expiresAt: null }),
    async close() {
      await server.close();
      await rm(data, { recursive: true, force: true });
    },
  };
}

export type OfficeConsole = Awaited<ReturnType<typeof openOfficeConsole>>;

const mara = { name: hostileText, address: "mara@example.org" };
const clean = "I object to this draft.\nThe reason is arithmetic.";
const quoted = { message: "m/1", start: 0, end: 23, quote: clean.slice(0, 23) };

/** One hostile thread. */
const library: Library = {
  async threads() {
    const counts = { messages: 1, participants: 1, support: 0, object: 1 };
    const dates = { firstDate: "2026-02-02T10:00:00Z", lastDate: "2026-02-03T10:00:00Z" };
    return [
      {
        id: "t/1",
        list: "tidewg",
        subject: hostileText,
        level: "rough",
        confidence: 0.8,
        ...dates,
        ...counts,
      },
    ];
  },
  async thread(id) {
    if (id !== "t/1" && id !== "m/1") return null;
    return {
      id: "t/1",
      list: "tidewg",
      subject: hostileText,
      firstDate: "2026-02-02T10:00:00Z",
      lastDate: null,
      participants: [mara],
      messages: [
        {
          id: "m/1",
          depth: 0,
          subject: hostileText,
          from: mara,
          date: null,
          clean,
          text: `${clean}\n> ${hostileText}`,
          attachments: [],
          flags: [],
        },
      ],
      outcome: {
        level: "rough",
        confidence: 0.8,
        reasons: [hostileText],
        tally: null,
        question: { ...quoted, by: mara },
      },
      summary: { model: "extractive", sentences: [{ text: hostileText, citations: [quoted] }] },
      positions: [
        {
          id: "p1",
          person: mara,
          stance: "object",
          at: null,
          because: "says so",
          supersededBy: null,
          ...quoted,
        },
      ],
    };
  },
  async lists() {
    return [{ list: "tidewg", threads: 1, lastDate: null }];
  },
  async digest() {
    return null;
  },
  async search() {
    const hit = { list: "tidewg", subject: hostileText, from: mara, date: null, start: 0, end: 23 };
    return {
      hits: [{ ...hit, message: "m/1", snippet: `I «object» to ${hostileText}` }],
      wordsOnly: "Only words are searched.",
    };
  },
  async ask() {
    return [{ list: "tidewg", subject: hostileText, from: mara, date: null, ...quoted }];
  },
};
