import { type FSWatcher, watch } from "node:fs";
import type { Database } from "@headway/engine";
import { openMailbox } from "./imap-mailbox.ts";
import { askForRun, listSources, readSecret, type SourceRow } from "./library/table.ts";
import { loginOf } from "./read-imap.ts";
import type { Vault } from "./secrets.ts";

export interface ListenerParts {
  readonly database: Database;
  readonly now: () => Date;
  readonly wake: () => void;
  readonly vault: () => Promise<Vault>;
}

const lookMs = 10_000;
const settleMs = 1_000;
const idleMs = 20 * 60_000;
const againMs = 60_000;
const listenersMax = 200;

/**
 * Ears for changes between runs: the system's watcher of a folder, and IDLE of a mailbox. News only makes a run due
 * earlier, so an unheard change is found by the schedule.
 */
export function startListeners(parts: ListenerParts): { stop(): Promise<void> } {
  const { database, now, wake } = parts;
  const ears = new Map<string, { readonly place: string; close(): void }>();
  const stopping = new AbortController();
  const heard = (name: string) => async () => {
    if (stopping.signal.aborted) return;
    await askForRun(database, name, { asked: "change", now: new Date(now().getTime() + settleMs) }).catch(
      () => undefined,
    );
    wake();
  };
  async function look(): Promise<void> {
    const rows = (await listSources(database)).filter(isListened).slice(0, listenersMax);
    for (const row of rows) {
      if (ears.get(row.name)?.place === row.spec.place) continue;
      ears.get(row.name)?.close();
      const ear =
        row.spec.kind === "folder" ? watchPlace(row, heard(row.name)) : idleAt(row, heard(row.name), parts);
      if (ear) ears.set(row.name, { place: row.spec.place, close: ear });
    }
    const names = new Set(rows.map(({ name }) => name));
    for (const [name, ear] of ears) {
      if (names.has(name)) continue;
      ear.close();
      ears.delete(name);
    }
  }
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await look().catch(() => undefined);
      await pause(lookMs, stopping.signal);
    }
    for (const { close } of ears.values()) close();
  })();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** A source without a schedule is not listened to. */
const isListened = ({ spec, paused_at }: SourceRow): boolean =>
  paused_at === null && spec.schedule.kind !== "manual" && (spec.kind === "folder" || spec.kind === "imap");

function watchPlace({ spec }: SourceRow, heard: () => Promise<void>): (() => void) | null {
  let timer: NodeJS.Timeout | null = null;
  let watcher: FSWatcher;
  try {
    watcher = watch(spec.place, { recursive: true, persistent: false }, () => {
      // A growing file is left alone until a moment of quiet.
      timer ??= setTimeout(() => {
        timer = null;
        void heard();
      }, settleMs);
    });
  } catch {
    return null;
  }
  watcher.on("error", () => watcher.close());
  return () => {
    if (timer) clearTimeout(timer);
    watcher.close();
  };
}

function idleAt(row: SourceRow, heard: () => Promise<void>, { database, vault }: ListenerParts): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const options = { list: null, allowPrivate: row.spec.allowPrivate, request: "", signal };
  let deaf = false;
  void (async () => {
    while (!signal.aborted) {
      try {
        const kept = await readSecret(database, row.name);
        if (!kept?.secret) return;
        const secret = (await vault()).open(row.name, kept.secret);
        const box = await openMailbox(loginOf({ spec: row.spec, secret, options }), signal);
        // Mails of the time without a listener are not announced any more.
        if (deaf) await heard();
        deaf = false;
        try {
          for (;;) {
            const from = Date.now();
            await box.wait(idleMs);
            if (Date.now() - from < idleMs) await heard();
            // A server without IDLE answers at once, and is left to the schedule.
            if (Date.now() - from < 50) await pause(againMs, signal);
          }
        } finally {
          await box.close();
        }
      } catch {
        deaf = true;
        await pause(againMs, signal);
      }
    }
  })();
  return () => stop.abort();
}

const pause = (delayMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, delayMs);
    if (signal.aborted) done();
    else signal.addEventListener("abort", done, { once: true });
  });
