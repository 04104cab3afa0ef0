import type { Levels as ServerLevels } from "../server/hub.ts";
import type { Json } from "./ask.ts";
import { makeStore } from "./store.ts";

export type Levels = Json<ServerLevels>;
export type StageLevel = Levels["stages"][number];

/** The last reading of the server, kept while nothing newer comes. */
export const levels = makeStore<Levels | null>(null);

export const connection = makeStore<"connecting" | "live" | "database away" | "server away" | "paused">(
  "connecting",
);

/** Since when the database does not answer. */
export const awaySince = makeStore<string | null>(null);

/** The server's clock minus ours: ages are counted by the server's. */
export const clockOffsetMs = makeStore(0);

let source: EventSource | null = null;
let paused = false;

/** One stream for the tab; a hidden tab lets go of it. */
export function startLive(): void {
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) close();
    else if (!paused) open();
  });
  open();
}

export function togglePause(): void {
  paused = !paused;
  if (paused) close();
  else open();
  if (paused) connection.set("paused");
}

function open(): void {
  if (source) return;
  source = new EventSource("/api/console/live");
  source.addEventListener("levels", (event) => {
    const now = JSON.parse(event.data) as Levels;
    clockOffsetMs.set(new Date(now.at).getTime() - Date.now());
    awaySince.set(null);
    levels.set(now);
    connection.set("live");
  });
  source.addEventListener("away", (event) => {
    awaySince.set((JSON.parse(event.data) as { since: string }).since);
    connection.set("database away");
  });
  source.addEventListener("error", () => {
    connection.set("server away");
    // A refused stream is not opened again by the browser.
    if (source?.readyState === EventSource.CLOSED) {
      close();
      setTimeout(open, 3_000);
    }
  });
}

function close(): void {
  source?.close();
  source = null;
}
