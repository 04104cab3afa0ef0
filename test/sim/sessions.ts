import type { Database, Session } from "../../engine/src/store/database.ts";
import { sql } from "../../engine/src/store/sql.ts";
import type { NetworkParts, Send } from "./network.ts";
import type { Process } from "./process.ts";

/**
 * Sessions with an observable end. The real database has a single session: the session holds an advisory lock as long
 * as the simulated owner is believed alive, so the engine's statements see the same as on a server.
 */
export interface Sessions {
  open(process: Process): Promise<Session>;
  /** Breaks the connection of a process's session; the server notices after a while. False: no session. */
  lose(process: Process): boolean;
}

interface Kept {
  readonly process: Process;
  alive: boolean;
  key: bigint | null;
  readonly lost: (() => void)[];
}

export function makeSessions(
  real: Database,
  send: Send,
  { scheduler, chance }: Pick<NetworkParts, "scheduler" | "chance">,
): Sessions {
  const holders = new Map<bigint, Kept>();
  const living = new Map<Process, Kept>();

  async function release(kept: Kept): Promise<void> {
    if (kept.key === null || holders.get(kept.key) !== kept) return;
    holders.delete(kept.key);
    await real.query(sql`select pg_advisory_unlock(${kept.key})`);
  }
  function end(kept: Kept, noticedMs: number): void {
    kept.alive = false;
    scheduler.after(noticedMs, null, () => release(kept));
  }
  async function take(kept: Kept, key: bigint): Promise<boolean> {
    if (!kept.alive) throw Object.assign(new Error("The session was lost."), { code: "08006" });
    if (holders.has(key)) return false;
    kept.key = key;
    holders.set(key, kept);
    await real.query(sql`select pg_advisory_lock(${key})`);
    return true;
  }
  function make(kept: Kept): Session {
    const call = (what: string) => ({ what, alone: false, commits: false });
    return {
      get alive() {
        return kept.alive;
      },
      lock: (key) => send(kept.process, call(`lock ${BigInt.asIntN(32, key)}`), () => take(kept, key)),
      onLost: (tell) => (kept.alive ? void kept.lost.push(tell) : queueMicrotask(tell)),
      close: () =>
        send(kept.process, call("close session"), async () => {
          kept.alive = false;
          kept.lost.length = 0;
          await release(kept);
        }),
    };
  }
  return {
    open: (process) =>
      send(process, { what: "open session", alone: false, commits: false }, async () => {
        const kept: Kept = { process, alive: true, key: null, lost: [] };
        living.set(process, kept);
        process.atDeath.push(() => end(kept, chance.between(0, 400)));
        return make(kept);
      }),
    lose(process) {
      const kept = living.get(process);
      if (!kept?.alive) return false;
      end(kept, chance.between(0, 3_000));
      scheduler.after(chance.between(0, 50), process, () => {
        for (const tell of kept.lost.splice(0)) tell();
      });
      return true;
    },
  };
}
