import type { Database, Queryable } from "../store/database.ts";

type Statement = Parameters<Queryable["query"]>[0];

/**
 * Faults at a call. A crash ends the process: no further answer arrives. A cut loses one answer; the next call
 * finds a connection. "After" means: the call took effect, and its answer was lost.
 */
export type FaultKind = "crash before" | "crash after" | "cut before" | "cut after";

/** A call out of the engine. `effect`: the call changes something. */
export interface Call {
  readonly number: number;
  readonly what: "query" | "statement" | "commit" | "service";
  readonly text: string;
  readonly effect: boolean;
  /** The running stage, if tracked. */
  readonly stage: string | null;
}

export interface Planned {
  /** From 1, counted from the previous fault. */
  readonly at: number;
  readonly kind: FaultKind;
}

/** Counts the calls of all engines in a run, and decides about faults. */
export interface Faults {
  readonly calls: readonly Call[];
  readonly fired: readonly (Planned & { readonly call: Call })[];
  /** Starts counting and injecting faults. */
  arm(): void;
  disarm(): void;
  next(call: Omit<Call, "number" | "stage">): FaultKind | null;
  /** Fast commits refused and redone by comparison. */
  fellBack: number;
}

export function planFaults(plan: readonly Planned[], stageNow: () => string | null = () => null): Faults {
  const calls: Call[] = [];
  const fired: (Planned & { call: Call })[] = [];
  let armed = false;
  let since = 0;
  return {
    calls,
    fired,
    fellBack: 0,
    arm() {
      armed = true;
    },
    disarm() {
      armed = false;
    },
    next(what) {
      if (!armed) return null;
      const call = { number: calls.length + 1, ...what, stage: stageNow() };
      calls.push(call);
      since += 1;
      const due = plan[fired.length];
      if (!due || due.at !== since) return null;
      since = 0;
      fired.push({ ...due, call });
      return due.kind;
    },
  };
}

export interface FaultyDatabase {
  readonly database: Database;
  readonly dead: boolean;
  /** Resolves at the process's death. */
  readonly death: Promise<void>;
  /** Kills the process: pending calls are never answered. */
  crash(): Promise<never>;
  /** Calls not yet answered by the real database. */
  readonly inFlight: number;
  /** Resolves when the open transactions of dead processes are rolled back, as at the end of a session. */
  idle(): Promise<void>;
}

const never = new Promise<never>(() => undefined);

/** One process's view of the database: the real database, plus faults. */
export function faultyDatabase(real: Database, faults: Faults): FaultyDatabase {
  const running = new Set<Promise<unknown>>();
  let dead = false;
  let die: () => void = () => undefined;
  const death = new Promise<void>((resolve) => {
    die = () => {
      dead = true;
      resolve();
    };
  });
  const track = async <T>(promise: Promise<T>): Promise<T> => {
    running.add(promise);
    try {
      return await promise;
    } finally {
      running.delete(promise);
    }
  };

  async function query<Row extends object>(statement: Statement): Promise<Row[]> {
    if (dead) return await never;
    const fault = faults.next({ what: "query", text: shorten(statement), effect: writes(statement) });
    if (fault === "crash before") return await crash();
    if (fault === "cut before") throw cut();
    let rows: Row[] = [];
    let failure: unknown;
    try {
      rows = await track(real.query<Row>(statement));
    } catch (error) {
      failure = error;
      const { code } = error as { code?: unknown };
      if (statement.name?.startsWith("fresh") && (code === "23505" || code === "HW002")) faults.fellBack += 1;
    }
    if (dead) return await never;
    if (fault === "crash after") return await crash();
    if (fault === "cut after") throw unknownCommit();
    if (failure) throw failure;
    return rows;
  }
  async function crash(): Promise<never> {
    die();
    return await never;
  }
  function inTransaction(tx: Queryable, state: { broken: Error | null }): Queryable {
    return {
      async query<Row extends object>(statement: Statement): Promise<Row[]> {
        if (dead) return await never;
        if (state.broken) throw state.broken;
        const fault = faults.next({ what: "statement", text: shorten(statement), effect: false });
        if (fault?.startsWith("crash")) return await crash();
        if (fault) {
          state.broken = cut();
          throw state.broken;
        }
        return await tx.query<Row>(statement);
      },
    };
  }
  async function transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    if (dead) return await never;
    const state = { broken: null };
    const whole = real.transaction(async (tx) => {
      const killed = death.then(() => {
        throw new Error("The process died in the middle of a transaction.");
      });
      const answer = await Promise.race([work(inTransaction(tx, state)), killed]);
      if (state.broken) throw state.broken;
      const fault = faults.next({ what: "commit", text: "commit", effect: true });
      if (fault === "crash before") die();
      if (dead) throw new Error("The process died before it could commit.");
      if (fault === "cut before") throw cut();
      return { answer, fault };
    });
    try {
      const { answer, fault } = await track(whole);
      if (dead) return await never;
      if (fault === "crash after") return await crash();
      if (fault === "cut after") throw unknownCommit();
      return answer;
    } catch (error) {
      if (dead) return await never;
      throw error;
    }
  }
  return {
    database: { ...real, query, transaction, close: async () => undefined },
    crash,
    death,
    get dead() {
      return dead;
    },
    get inFlight() {
      return running.size;
    },
    async idle() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

const cut = () => Object.assign(new Error("The connection was cut."), { code: "08006" });
const unknownCommit = () =>
  Object.assign(new Error("The connection was cut before the answer came."), {
    code: "08007",
    commitUnknown: true,
  });

/** True if a single statement changes data: only then does a lost answer differ from a lost call. */
const writes = ({ text }: Statement): boolean => /\b(insert|update|delete|take_tasks|nextval)\b/i.test(text);

const shorten = ({ name, text }: Statement): string => name ?? text.replace(/\s+/g, " ").trim().slice(0, 70);
