import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Consensus,
  feed,
  listThreads,
  messages,
  readLedger,
  readSettings,
  startConsensus,
} from "@headway/consensus";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cleanText } from "../../pipelines/consensus/src/clean/clean.ts";
import { messageDocumentId } from "../../pipelines/consensus/src/identity.ts";
import { parseMail } from "../../pipelines/consensus/src/mail/parse.ts";
import { extractSummary } from "../../pipelines/consensus/src/summary/extract.ts";
import { threadMessages } from "../../pipelines/consensus/src/threads/thread.ts";
import { weigh } from "../../pipelines/consensus/src/weigh/weigh.ts";
import { openStaticModel } from "../../text/src/embed/static-model.ts";
import { cutPassages } from "../../text/src/passages.ts";
import { expectLinear } from "../support/growth.ts";
import { hostileMails } from "./hostile-mail.ts";
import { aMail } from "./invented-mail.ts";

const corpora = fileURLToPath(new URL("../../../shared/corpora/", import.meta.url));
const corporaAbsent = !existsSync(corpora);
const note = corporaAbsent ? " (corpora absent: only invented poison is read)" : "";

/** Long enough for all of it on a busy machine; a mail that spins would need longer. */
const patienceMs = 240_000;

interface Bench {
  readonly consensus: Consensus;
  readonly folder: string;
  readonly faults: unknown[];
}

/** The whole pipeline on an embedded database, in a folder of its own, gone afterwards. */
function useConsensus(): () => Bench {
  let bench: Bench | undefined;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), "headway-poison-"));
    const faults: unknown[] = [];
    const consensus = await startConsensus({
      data: join(folder, "data"),
      database: { memory: true },
      settings: readSettings({ HEADWAY_LIST_QUIET: "50ms", HEADWAY_THREAD_QUIET: "50ms" }),
      onSignal: (signal) => {
        if (signal.kind === "task.died") faults.push(signal);
      },
    });
    bench = { consensus, folder, faults };
  });
  afterAll(async () => {
    await bench?.consensus.stop();
    if (bench) await rm(bench.folder, { recursive: true, force: true });
  });
  return () => bench as Bench;
}

const healthy = (place: string): string =>
  aMail({
    id: `healthy-${place}`,
    subject: `Healthy ${place}`,
    text: "I propose that we adopt this draft. It solves a real problem for harbour masters.",
  });

/** Each byte sequence as one mail of an mbox, with a healthy one before, between and after them. */
function makeMbox(mails: readonly Buffer[], list: string): Buffer {
  const line = "From mallory@example.org Mon Mar  4 10:00:00 2024\n";
  const middle = Math.floor(mails.length / 2);
  const neighbours: readonly [number, string][] = [
    [0, "first"],
    [middle, "middle"],
    [mails.length, "last"],
  ];
  const all = [...mails];
  for (const [at, place] of neighbours.toReversed())
    all.splice(at, 0, Buffer.from(healthy(`${list}-${place}`)));
  return Buffer.concat(
    all.map((bytes) => {
      const escaped = bytes.toString("latin1").replace(/^(>*From )/gm, ">$1");
      return Buffer.from(`${line}${escaped}\n\n`, "latin1");
    }),
  );
}

async function expectHealthy({ consensus: { engine } }: Bench, list: string, place: string): Promise<void> {
  const found = await engine.read(messages, messageDocumentId(list, `healthy-${place}@example.org`));
  expect(found?.clean, `${list} ${place}`).toContain("I propose that we adopt this draft.");
  const subject = `Healthy ${place}`;
  const asks = "we adopt this draft";
  const [thread] = await listThreads(engine.database, { list, subject, asks, limit: 1, order: "newest" });
  expect(thread, `${list} ${place}`).toMatchObject({ messages: 1, participants: 1 });
}

async function expectBooksToAddUp({ consensus }: Bench, list: string, mailsMin: number): Promise<void> {
  const ledger = await readLedger(consensus.engine.database, list);
  const { mails, messages: kept, duplicates, dead, open } = ledger;
  expect(mails, list).toBeGreaterThanOrEqual(mailsMin);
  expect({ list, open, sum: kept + duplicates + dead }).toEqual({ list, open: 0, sum: mails });
}

const settle = ({ consensus }: Bench) =>
  consensus.engine.settled({ signal: AbortSignal.timeout(patienceMs) });

describe(`poisoned suites through the whole pipeline${note}`, () => {
  const bench = useConsensus();
  /** In an mbox a line "From " that no header follows is prose, so a PDF there belongs to the mail before it. */
  let beginLikeMail = 0;

  beforeAll(async () => {
    const files = await poisonFiles();
    const { consensus, folder } = bench();
    const mails = await Promise.all(files.map((path) => readFile(path)));
    beginLikeMail = mails.filter((bytes) =>
      /^(From|To|Date|Subject|Received|MIME-Version|Return-Path): /i.test(bytes.toString("latin1", 0, 100)),
    ).length;
    const eml = join(folder, "eml");
    await mkdir(eml);
    await Promise.all(files.map((path, at) => copyFile(path, join(eml, `${at}.eml`))));
    await writeFile(join(eml, "healthy.eml"), healthy("eml"));
    await writeFile(join(folder, "one.mbox"), makeMbox(mails, "mbox"));
    await feed(consensus, [eml], { list: "eml" });
    await feed(consensus, [join(folder, "one.mbox")], { list: "mbox" });
    for (const name of await poisonFolders()) await feed(consensus, [join(corpora, name)], { list: "given" });
    await settle(bench());
  }, patienceMs);

  it("the mails beside them are read, threaded and weighed, in a folder and in an mbox", async () => {
    await expectHealthy(bench(), "eml", "eml");
    for (const place of ["first", "middle", "last"]) await expectHealthy(bench(), "mbox", `mbox-${place}`);
  });

  it("every mail is a message, a duplicate or a dead letter", async () => {
    await expectBooksToAddUp(bench(), "eml", corporaAbsent ? 1 : 300);
    await expectBooksToAddUp(bench(), "mbox", 3 + beginLikeMail);
    await expectBooksToAddUp(bench(), "given", corporaAbsent ? 0 : 300);
  });

  it("what dies, dies as a mail that cannot be read and nowhere further on", () => {
    const codes = new Set(bench().faults.map((fault) => codeOf(fault)));
    for (const code of codes) expect(code).toMatch(/^(mail\.unreadable|archive\.empty)$/);
  });
});

const codeOf = (signal: unknown): string => (signal as { fault: { code: string } }).fault.code;

const poisonFolders = async (): Promise<readonly string[]> =>
  corporaAbsent ? [] : (await readdir(corpora)).filter((name) => /^(poison|mime)-/.test(name)).sort();

async function poisonFiles(): Promise<readonly string[]> {
  const folders = await poisonFolders();
  const found = await Promise.all(
    folders.map((name) => readdir(join(corpora, name), { recursive: true, withFileTypes: true })),
  );
  return found
    .flat()
    .filter((entry) => entry.isFile() && entry.name !== "SOURCE.txt")
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

describe("mails made to break a reader, through the whole pipeline", () => {
  const bench = useConsensus();
  const names = Object.keys(hostileMails);
  /** A tenth of what single stages are given below: here each passage becomes a row and a vector as well. */
  const pipelineBytes = 100_000;

  it(
    "each costs itself only: neighbours are done, the books add up, the engine settles",
    async () => {
      const { consensus, folder, faults } = bench();
      const hostile = Object.values(hostileMails).map((make) => Buffer.from(make(pipelineBytes), "latin1"));
      await writeFile(join(folder, "hostile.mbox"), makeMbox(hostile, "hostile"));
      await feed(consensus, [join(folder, "hostile.mbox")], { list: "hostile" });
      await settle(bench());
      expect(faults.map(codeOf)).toEqual([]);
      for (const place of ["first", "middle", "last"])
        await expectHealthy(bench(), "hostile", `hostile-${place}`);
      await expectBooksToAddUp(bench(), "hostile", names.length + 3);
    },
    patienceMs,
  );
});

/** Less than two seconds each on an idle core. */
describe("a megabyte of malice costs every stage as much for each byte as a quarter of it", {
  timeout: 300_000,
}, () => {
  const model = openStaticModel();

  const throughEveryStage = async (name: string, bytes: number) => {
    const parsed = parseMail(Buffer.from(hostileMails[name]!(bytes), "latin1"));
    const { clean } = cleanText(parsed.text);
    const { tokenize, tokensMax } = model;
    const passages = [...cutPassages(clean, { tokenize, tokensMax })];
    const { subject, date } = parsed;
    const post = { id: "1", parent: null, from: parsed.from, date, subject, clean };
    const { positions, decisions, calls } = weigh([post]);
    const salient = [...positions, ...decisions, ...calls];
    const summary = await extractSummary([post], { embed: (texts) => model.embed(texts), salient });
    const [thread] = threadMessages([{ ...parsed, id: "1", messageId: "1@example.org" }]);
    expect(thread?.members).toHaveLength(1);
    expect(passages.filter(({ start, end }) => end <= start)).toEqual([]);
    const quotes = summary.flatMap(({ citations }) => citations);
    expect(quotes.filter(({ start, end, quote }) => clean.slice(start, end) !== quote)).toEqual([]);
  };

  it.each(Object.keys(hostileMails))("%s", (name) =>
    expectLinear(1_000_000, (bytes) => throughEveryStage(name, bytes)),
  );
});
