import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportable, exportSchema } from "@headway/consensus";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { run } from "../../cli/src/run.ts";
import { makeCollectingConsole } from "./collecting-console.ts";
import {
  digestsOf,
  type Exported,
  exportFolder,
  type MessageRow,
  type PositionRow,
  type Quote,
  type SummaryRow,
} from "./exported-rows.ts";
import { type Ended, pipeHeadway, runFromSources, runHeadway, startHeadway } from "./headway-process.ts";

const sample = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../pipelines/consensus/sample/${name}`, import.meta.url), "utf8"));
const answers: Answers = sample("answers.json");
const people: Record<string, { address: string }> = sample("people.json");

interface Answers {
  readonly mails: number;
  readonly messages: number;
  readonly duplicates: number;
  readonly deadLetters: number;
  readonly threads: number;
  readonly discussions: readonly Discussion[];
}
interface Discussion {
  readonly subject: string;
  readonly messages: number;
  readonly levels: readonly string[];
  readonly tally?: SummaryRow["tally"];
  readonly decision?: { readonly by: string; readonly kind: string };
  readonly votes?: Readonly<Record<string, { readonly value: number; readonly binding: boolean }>>;
  readonly positions?: Readonly<Record<string, string>>;
  readonly changedMind?: readonly { readonly person: string; readonly from: string; readonly to: string }[];
}

describe("npm start", () => {
  const cwd = mkdtempSync(join(tmpdir(), "headway-start-"));
  const data = join(cwd, "first");
  let first: Ended;
  let made: Exported;

  beforeAll(async () => {
    first = await runFromSources(["tour", "--data", data, "--json"], { cwd });
    made = await exportFolder(data);
  }, 120_000);
  afterAll(() => rmSync(cwd, { recursive: true, force: true }));

  const threadOf = ({ subject }: Discussion) => made.threads.find((thread) => thread.subject === subject);
  const summaryOf = (discussion: Discussion) =>
    made.summaries.find(({ thread }) => thread === threadOf(discussion)?.id);
  /** Findings about each discussion with this answer, beside the answer. */
  const compare = <T>(
    answered: (discussion: Discussion) => T | undefined,
    found: (discussion: Discussion) => unknown,
  ) => {
    const asked = answers.discussions.filter((one) => answered(one) !== undefined);
    expect(asked.length).toBeGreaterThan(0);
    const name = ({ subject }: Discussion) => subject;
    return {
      expected: Object.fromEntries(asked.map((one) => [name(one), answered(one)])),
      found: Object.fromEntries(asked.map((one) => [name(one), found(one)])),
    };
  };

  it("ends well, and its books add up to what is in the archive", () => {
    expect(first).toMatchObject({ code: 0 });
    const { ledger, dead, refused, accepted, attempts } = JSON.parse(first.out);
    const { mails, messages, duplicates, deadLetters, threads } = answers;
    expect(ledger).toMatchObject({ mails, messages, duplicates, dead: deadLetters, threads, open: 0 });
    expect(ledger.messages + ledger.duplicates + ledger.dead).toBe(mails);
    expect(dead.map(({ stage, code }: Record<string, string>) => [stage, code])).toEqual(
      Array(deadLetters).fill(["parsing", "mail.unreadable"]),
    );
    expect({ refused, accepted }).toEqual({ refused: [], accepted: 1 });
    expect(attempts).toBeGreaterThan(mails);
    expect(made.messages.filter(({ occurrences }) => occurrences.length === 2)).toHaveLength(duplicates);
  });

  it("shows a thread with its messages, what it came to, and who stands where", () => {
    const { story } = JSON.parse(first.out);
    expect(answers.discussions.map(({ subject }) => subject)).toContain(story.thread.subject);
    expect(story.messages).toHaveLength(story.thread.messages.length);
    expect(story.summary.sentences.length).toBeGreaterThan(0);
    expect(story.positions.length).toBeGreaterThan(0);
    expect(story.assessment.id).toBe(story.thread.id);
  });

  it("finds every discussion whole", () => {
    const { expected, found } = compare(
      ({ messages }) => messages,
      (one) => threadOf(one)?.messages.length,
    );
    expect(found).toEqual(expected);
  });

  it("comes to a level for each discussion that a reader would come to", () => {
    const wrong = answers.discussions
      .filter((one) => !one.levels.includes(summaryOf(one)?.level ?? ""))
      .map((one) => `${one.subject}: ${summaryOf(one)?.level} instead of ${one.levels.join(" or ")}`);
    expect(wrong).toEqual([]);
  });

  it("counts each vote once, the last of each person", () => {
    const tallies = compare(
      ({ tally }) => tally,
      (one) => summaryOf(one)?.tally,
    );
    expect(tallies.found).toEqual(tallies.expected);
    const votes = compare(
      ({ votes }) => votes,
      (one) =>
        Object.fromEntries(
          (summaryOf(one)?.votes ?? [])
            .filter(({ counts }) => counts)
            .map(({ by, value, binding }) => [personAt(by.address), { value, binding }]),
        ),
    );
    expect(votes.found).toEqual(votes.expected);
  });

  it("finds what the chairs declared", () => {
    const { expected, found } = compare(
      ({ decision }) => decision && [decision.kind, decision.by],
      (one) => {
        const last = summaryOf(one)?.decisions.at(-1);
        return last && [last.kind, personAt(last.by.address)];
      },
    );
    expect(found).toEqual(expected);
  });

  it("finds where people stand, and who changed their mind", () => {
    const at = (one: Discussion) => made.positions.filter(({ thread }) => thread === threadOf(one)?.id);
    const standing = compare(
      ({ positions }) => positions,
      (one) =>
        Object.fromEntries(
          Object.keys(one.positions ?? {}).map((person) => [person, lastStance(at(one), person)]),
        ),
    );
    expect(standing.found).toEqual(standing.expected);
    const changes = compare(
      ({ changedMind }) => changedMind?.map(({ person, from, to }) => [person, from, to]),
      (one) =>
        one.changedMind?.map(({ person }) => {
          const own = at(one).filter((position) => personAt(position.person.address) === person);
          const before = own.find(({ supersededBy }) => supersededBy === lastOf(own)?.id);
          return [person, before?.stance, lastOf(own)?.stance];
        }),
    );
    expect(changes.found).toEqual(changes.expected);
  });

  it("does not do what a mail tells it to", () => {
    const text = (row: unknown) => JSON.stringify(row).toLowerCase();
    const decided = made.summaries.flatMap(({ decisions }) => decisions);
    expect(decided.filter((one) => text(one).includes("unanimous"))).toEqual([]);
    const injected = answers.discussions.find(({ subject }) => subject.startsWith("Automated recap"));
    const summary = summaryOf(injected as Discussion);
    expect(summary).toMatchObject({ decisions: [], tally: null });
    expect(["none", "undecided"]).toContain(summary?.level);
    const kofi = made.positions.filter(
      ({ thread, person }) => thread === summary?.thread && personAt(person.address) === "kofi",
    );
    expect(kofi.filter(({ stance }) => stance === "support")).toEqual([]);
  });

  it("exports rows as their schemas say", () => {
    for (const kind of exportable) {
      const schema = z.fromJSONSchema(exportSchema(kind));
      expect(made[kind].length).toBeGreaterThan(0);
      for (const row of made[kind]) {
        expect(schema.safeParse(row).error?.message, `${kind} ${JSON.stringify(row).slice(0, 200)}`).toBe(
          undefined,
        );
        expect(Object.keys(row).sort()).toEqual(Object.keys(exportSchema(kind).properties as object).sort());
      }
    }
  });

  it("prints quotes that all stand in the messages it prints, character by character", async () => {
    const print = async <Row>(kind: string): Promise<Row[]> => {
      const console = makeCollectingConsole();
      expect(await run(["export", kind, "--data", data], console)).toBe(0);
      const lines = console.out().trimEnd().split("\n");
      return lines.map((line) => JSON.parse(line));
    };
    const clean = new Map(
      (await print<MessageRow>("messages")).map((message) => [message.id, message.clean] as const),
    );
    const summaries = await print<SummaryRow>("summaries");
    const positions = await print<PositionRow>("positions");
    const cited = summaries.flatMap(({ sentences }) => sentences.flatMap(({ citations }) => citations));
    const declared = summaries.flatMap(({ decisions, votes }) => [...decisions, ...votes]);
    const isFalse = ({ message, start, end, quote }: Quote) =>
      quote === "" || clean.get(message)?.slice(start, end) !== quote;
    expect([...cited, ...declared, ...positions].filter(isFalse)).toEqual([]);
    expect(cited.length).toBeGreaterThan(answers.threads);
    expect(
      summaries.flatMap(({ sentences }) => sentences.filter((one) => one.citations.length === 0)),
    ).toEqual([]);
    expect(summaries).toHaveLength(answers.threads);
  });

  it("is quiet when whoever reads what it prints has seen enough", async () => {
    const { code, out, err } = await pipeHeadway(["export", "messages", "--data", data], "head -n 1", {
      cwd,
    });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(JSON.parse(out)).toMatchObject({ list: "tidewg" });
  });

  it("does nothing the second time, and nothing is different", async () => {
    const second = await runHeadway(["tour", "--data", data, "--json"], { cwd });
    expect(second).toMatchObject({ code: 0 });
    const { attempts, accepted, unchanged, ledger, story } = JSON.parse(second.out);
    expect({ attempts, accepted, unchanged }).toEqual({ attempts: 0, accepted: 0, unchanged: 1 });
    expect({ ledger, story }).toEqual({
      ledger: JSON.parse(first.out).ledger,
      story: JSON.parse(first.out).story,
    });
    expect(digestsOf(await exportFolder(data))).toEqual(digestsOf(made));
  });

  it("goes on after it was killed, and again after Ctrl-C, to what it would have been anyway", async () => {
    const { folder, words, killed, interrupted } = await disturb();
    expect(killed).toMatchObject({ code: null, out: "" });
    const { code, out, err } = interrupted;
    expect({ code, out }).toEqual({ code: 130, out: "" });
    const said = err.split("\n").filter((line) => line !== "" && !/^(\w+ing \d|Headway reads)/.test(line));
    expect(said).toEqual(["headway: Interrupted; what was accepted is safe, run it again to go on."]);

    const third = await runHeadway([...words, "--json"], { cwd });
    expect(third).toMatchObject({ code: 0 });
    expect(JSON.parse(third.out).ledger).toEqual(JSON.parse(first.out).ledger);
    expect(digestsOf(await exportFolder(folder))).toEqual(digestsOf(made));
  }, 300_000);

  /** Kills one run and interrupts the next. On a busy machine both may end too early: then another pair. */
  async function disturb(tries = 5): Promise<Disturbed> {
    const folder = join(cwd, `disturbed-${tries}`);
    const words = ["tour", "--data", folder];
    const first = startHeadway(words, { cwd });
    await first.saying(/splitting \d/);
    first.kill();
    const killed = await first.ended;
    const second = startHeadway(words, { cwd });
    await second.saying(/Headway reads/);
    second.signal("SIGINT");
    const interrupted = await second.ended;
    const caught = killed.code === null && interrupted.code === 130;
    return caught || tries === 1 ? { folder, words, killed, interrupted } : await disturb(tries - 1);
  }
});

interface Disturbed {
  readonly folder: string;
  readonly words: readonly string[];
  readonly killed: Ended;
  readonly interrupted: Ended;
}

const personAt = (address: string): string =>
  Object.entries(people).find(([, person]) => person.address === address)?.[0] ?? address;

const lastOf = (positions: readonly PositionRow[]) =>
  positions.find(({ supersededBy }) => supersededBy === null);

const lastStance = (positions: readonly PositionRow[], person: string) =>
  lastOf(positions.filter((position) => personAt(position.person.address) === person))?.stance;
