import type { DependencyRow, Operator, StageLine, WorkerLine } from "@headway/engine/operate";

/** A reading of all levels, counted exactly at one moment. */
export interface Levels {
  readonly at: Date;
  /** Cost of the reading. */
  readonly tookMs: number;
  readonly stages: readonly StageLine[];
  readonly collections: readonly {
    readonly name: string;
    readonly documents: number;
    readonly deleted: number;
  }[];
  readonly outages: readonly DependencyRow[];
  readonly workers: readonly WorkerLine[];
  /** Open alerts, counted up to a hundred. */
  readonly alerts: number;
  /** Number of the last audited act: pages about acts and policies ask again when it grows. */
  readonly lastAct: number;
}

export type Beat =
  | { readonly kind: "levels"; readonly levels: Levels }
  | { readonly kind: "away"; readonly since: Date };

const beatMs = 1_000;
/** A reading may take a twentieth of the time. */
const restFactor = 20;
/** After a longer reading the hub asks whether the database answers at all. */
const patienceMs = 1_000;
const answerMs = 2_000;

export interface HubOptions {
  readonly operator: Operator;
  /** Whether the database answers at all: a slow reading is not an absent database. */
  readonly answers: () => Promise<unknown>;
}

/**
 * One reader for all tabs of this process. Reads only while at least one tab listens; the next reading begins a second, or twenty
 * times the last duration, after the end of the last.
 */
export function makeHub({ operator, answers }: HubOptions) {
  const listeners = new Set<(beat: Beat) => void>();
  let timer: NodeJS.Timeout | null = null;
  let reading: Promise<Levels> | null = null;
  let last: Beat | null = null;
  let closed = false;

  function read(): Promise<Levels> {
    reading ??= readLevels(operator).finally(() => {
      reading = null;
    });
    return reading;
  }

  async function beat(): Promise<void> {
    timer = null;
    const started = performance.now();
    const found = await wait(read());
    if (found) last = { kind: "levels", levels: found };
    else last = { kind: "away", since: last?.kind === "away" ? last.since : new Date() };
    for (const tell of listeners) tell(last);
    const tookMs = found ? performance.now() - started : 0;
    if (listeners.size > 0 && !closed && !timer)
      timer = setTimeout(() => void beat(), Math.max(beatMs, restFactor * tookMs));
  }

  /** A reading, however slow, while the database answers other questions; null: the database is away. */
  async function wait(levels: Promise<Levels>): Promise<Levels | null> {
    const ended = levels.then(
      () => true,
      () => true,
    );
    while (!closed) {
      if (await within(patienceMs, ended).catch(() => false)) return await levels.catch(() => null);
      const answered = await within(answerMs, answers()).then(
        () => true,
        () => false,
      );
      if (!answered) return null;
    }
    return null;
  }

  return {
    /** The last reading if it is young, else a new one. */
    async levels(): Promise<Levels> {
      // A page does not wait for a reading under way while the last is young.
      if (last?.kind === "levels" && listeners.size > 0 && isYoung(last.levels)) return last.levels;
      const levels = await read();
      last = { kind: "levels", levels };
      return levels;
    },
    listen(tell: (beat: Beat) => void): () => void {
      listeners.add(tell);
      if (last && timer) tell(last);
      if (!timer) timer = setTimeout(() => void beat(), 0);
      return () => {
        listeners.delete(tell);
        if (listeners.size > 0 || !timer) return;
        clearTimeout(timer);
        timer = null;
      };
    },
    /** After a change by this process the next reading begins soon. */
    hurry(): void {
      if (listeners.size === 0 || !timer) return;
      clearTimeout(timer);
      timer = setTimeout(() => void beat(), 50);
    },
    close(): void {
      closed = true;
      listeners.clear();
      if (timer) clearTimeout(timer);
    },
  };
}

/** On a busy server a reading takes many times as long as the one before: pages are not kept waiting for it. */
const youngMs = 5_000;

const isYoung = ({ at, tookMs }: Levels): boolean =>
  Math.abs(Date.now() - at.getTime()) < Math.max(youngMs, 2 * restFactor * tookMs);

export type Hub = ReturnType<typeof makeHub>;

async function readLevels(operator: Operator): Promise<Levels> {
  const started = performance.now();
  const stages = await operator.status();
  const collections = await operator.collections();
  const outages = await operator.breakers();
  const workers = await operator.workers();
  const alerts = (await operator.listAlerts({ state: "open", limit: 100 })).length;
  const [act] = await operator.audit({ limit: 1 });
  const tookMs = Math.round(performance.now() - started);
  return { at: operator.now(), tookMs, stages, collections, outages, workers, alerts, lastAct: act?.id ?? 0 };
}

/** The answer took longer than anybody waits. */
export class Late extends Error {
  override readonly name = "Late";
}

/** A late answer counts as no answer. */
export async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Late(`There was no answer within ${ms} ms.`)), ms);
  });
  return await Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
