import { setTimeout as pause } from "node:timers/promises";
import { DefinitionError } from "../engine/src/define/definition-error.ts";
import type { Operator } from "../engine/src/operate.ts";
import type { Database } from "../engine/src/store/database.ts";
import { sql } from "../engine/src/store/sql.ts";
import { virtualClock } from "../engine/src/testing.ts";
import type { Blobs } from "../intake/src/blobs.ts";
import { keepArchive } from "./archives.ts";
import { type Fate, fateOf, parcelOf } from "./parcels.ts";
import { bombs } from "./pipeline.ts";
import type { Source } from "./source.ts";

/** A document's fate as known to its sender. */
export interface Handed {
  readonly collection: "parcels" | "bombs" | "archives";
  readonly id: string;
  /** For making the document again: a parcel's number and version, an archive's list and age. */
  readonly number: number;
  version: number;
  /** The engine acknowledged the document. */
  acknowledged: boolean;
  /** An operator's deletion was acknowledged. */
  deleted: boolean;
}

export interface Feeder {
  readonly handed: ReadonlyMap<string, Handed>;
  /** Sends a page and asks only once, regardless of the answer's fate. */
  handInOnce(before: () => void): void;
  /** Sends a document that kills its worker. */
  bomb(): void;
  /** Sends nothing new; resolves when all open sends are complete. */
  finish(): Promise<void>;
}

export interface FeederParts {
  readonly seed: number;
  readonly source: Source;
  readonly operator: Operator;
  readonly direct: Database;
  readonly blobs: Blobs;
  /** Tasks kept waiting, so a killed worker has a claim. */
  readonly backlog: number;
  readonly tell: (what: string) => void;
}

const pageSize = 12;
const lists = 4;
const archiveEvery = 25;
const againMs = 150;

export function startFeeder(parts: FeederParts): Feeder {
  const { seed, source, operator, direct, blobs } = parts;
  const { random } = virtualClock({ seed: seed + 77 });
  const handed = new Map<string, Handed>();
  const later: { page: number; run: () => Promise<void> }[] = [];
  const ages = Array.from({ length: lists }, () => -1);
  let [page, number, bombed, finishing] = [0, 0, 0, false];

  const note = (one: Omit<Handed, "acknowledged" | "deleted">): Handed => {
    const there = handed.get(`${one.collection}/${one.id}`);
    if (there) {
      there.version = one.version;
      return there;
    }
    const fresh: Handed = { ...one, acknowledged: false, deleted: false };
    handed.set(`${one.collection}/${one.id}`, fresh);
    return fresh;
  };
  /** Repeats until answered: sending is idempotent. */
  async function insist(what: string, act: () => Promise<unknown>): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return void (await act());
      } catch (error) {
        if (error instanceof DefinitionError) throw error;
        if (tries % 100 === 0) parts.tell(`${what} was tried ${tries} times: ${(error as Error).message}`);
        await pause(againMs);
      }
    }
  }
  async function handInPage(before: (() => void) | null = null): Promise<void> {
    const numbers = Array.from({ length: pageSize }, () => number++);
    const notes = numbers.map((one) =>
      note({ collection: "parcels", id: fateOf(seed, one).id, number: one, version: 0 }),
    );
    const drafts = numbers.map((one) => parcelOf(seed, one, 0));
    // Some clients ask only once: acceptance is then unknown outside.
    const once = before !== null || random() < 0.6;
    const twice = random() < 0.05;
    before?.();
    const accept = () => source.accept(drafts);
    if (once) {
      const answered = await accept().then(
        () => true,
        () => false,
      );
      if (!answered) return;
    } else await insist("handing in", accept);
    if (twice) await insist("handing in twice", accept);
    for (const one of notes) one.acknowledged = true;
    for (const one of numbers) planFate(one, fateOf(seed, one));
  }
  function planFate(of: number, { id, changes, deletedAfter }: Fate): void {
    const known = handed.get(`parcels/${id}`) as Handed;
    let at = page;
    for (const [index, pages] of changes.entries()) {
      at += pages;
      const change = async () => {
        if (known.deleted) return;
        known.version = index + 1;
        await insist("a change", () => source.accept([parcelOf(seed, of, index + 1)]));
      };
      later.push({ page: at, run: change });
    }
    if (deletedAfter === null) return;
    const remove = async () => {
      await insist("a deletion", () =>
        operator.deleteDocument({ collection: "parcels", id }).catch((error) => {
          // The answer to the first try was lost, and the document is gone already.
          if (!(error instanceof DefinitionError)) throw error;
        }),
      );
      known.deleted = true;
    };
    later.push({ page: page + deletedAfter, run: remove });
  }
  async function growArchive(): Promise<void> {
    const list = Math.floor(random() * lists);
    const age = Math.min(15, (ages[list] as number) + 1);
    ages[list] = age;
    const one = note({ collection: "archives", id: `list-${list}/all`, number: list, version: age });
    await insist("an archive", async () => source.accept([await keepArchive(blobs, list, age)]));
    one.acknowledged = true;
  }
  async function handInBomb(): Promise<void> {
    const id = `bomb-${bombed++}`;
    const one = note({ collection: "bombs", id, number: bombed, version: 0 });
    await insist("a bomb", () => source.accept([bombs.document(id, { text: "tick" })]));
    one.acknowledged = true;
  }
  const asked: (() => Promise<void>)[] = [];
  async function run(): Promise<void> {
    while (!finishing) {
      for (const act of asked.splice(0)) await act();
      const due = later.filter((one) => one.page <= page).sort((a, b) => a.page - b.page);
      for (const one of due) later.splice(later.indexOf(one), 1);
      for (const one of due) await one.run();
      if ((await openTasks(direct)) > parts.backlog) {
        await pause(100);
        continue;
      }
      page += 1;
      await handInPage();
      if (page % archiveEvery === 5) await growArchive();
    }
  }
  const running = run();
  return {
    handed,
    handInOnce: (before) => void asked.push(() => handInPage(before)),
    bomb: () => void asked.push(handInBomb),
    async finish() {
      finishing = true;
      await running;
      for (const act of asked.splice(0)) await act();
    },
  };
}

/** Unknown while the database is away: then nothing is sent. */
async function openTasks(direct: Database): Promise<number> {
  try {
    const [row] = await direct.query<{ open: number }>(sql`select count(*) as open from headway.task`);
    return row?.open ?? 0;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
