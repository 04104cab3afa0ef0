import { useEffect, useRef, useState } from "preact/hooks";
import type { pages } from "../server/pages.ts";
import { connection, levels } from "./live.ts";
import { signedOut } from "./session.ts";
import { useStore } from "./store.ts";

/** A value as it arrives in JSON. */
export type Json<T> = T extends Date
  ? string
  : T extends Uint8Array
    ? unknown
    : T extends object
      ? { readonly [K in keyof T]: Json<T[K]> }
      : T;

export type PageName = keyof typeof pages;
export type Page<Name extends PageName> = Json<Awaited<ReturnType<(typeof pages)[Name]>>>;

/** The answer of the server, or a sentence about why there is none. */
export async function ask<T>(path: string, body?: unknown): Promise<T> {
  const post = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  return await answerOf<T>(path, body === undefined ? {} : post);
}

/** Sends bytes. */
export const send = <T>(path: string, body: Blob): Promise<T> =>
  answerOf<T>(path, { method: "PUT", headers: { "content-type": "application/octet-stream" }, body });

async function answerOf<T>(path: string, request: RequestInit): Promise<T> {
  const response = await fetch(`/api/console/${path}`, request).catch(() => null);
  if (!response) throw new Error("The server does not answer. Trying again by itself.");
  const answer = await response.json().catch(() => ({}));
  if (response.status === 401 && path !== "enter") signedOut();
  if (!response.ok) throw new Error(answer.error ?? `The server answered ${response.status}.`);
  return answer as T;
}

export type Asked<T> =
  | { readonly kind: "loading" }
  | {
      readonly kind: "failed";
      readonly error: string;
      readonly before: T | null;
      /** Asks at once instead of after a pause. */
      readonly again: () => void;
    }
  | { readonly kind: "here"; readonly data: T };

const restMs = 2_000;
const againMs = 5_000;

/**
 * The data of a page. Asked again when the pipeline has moved, at most every two seconds, one request at a time; after a
 * failure with the next sign of life, or after five seconds. Rows of a former address are never shown under a new one.
 */
export function usePage<Name extends PageName>(
  name: Name,
  query: Readonly<Record<string, string>> = {},
): Asked<Page<Name>> {
  const url = `${name}?${new URLSearchParams(query)}`;
  const [state, set] = useState<{ url: string; asked: Asked<Page<Name>> }>({
    url,
    asked: { kind: "loading" },
  });
  const mark = useMark();
  const busy = useRef({ url: "", until: 0 });
  useEffect(() => {
    let dropped = false;
    let timer: ReturnType<typeof setTimeout>;
    const load = () => {
      busy.current = { url, until: Date.now() + restMs };
      ask<Page<Name>>(url).then(
        (data) => {
          if (!dropped) set({ url, asked: { kind: "here", data } });
        },
        (error: Error) => {
          if (dropped) return;
          timer = setTimeout(load, againMs);
          set((former) => {
            const kept = former.url === url && former.asked.kind !== "loading" ? former.asked : null;
            const before = kept?.kind === "here" ? kept.data : kept?.kind === "failed" ? kept.before : null;
            const again = () => {
              clearTimeout(timer);
              load();
            };
            return { url, asked: { kind: "failed", error: error.message, before, again } };
          });
        },
      );
    };
    const wait = busy.current.url === url ? busy.current.until - Date.now() : 0;
    timer = setTimeout(load, Math.max(0, wait));
    return () => {
      dropped = true;
      clearTimeout(timer);
    };
  }, [url, mark]);
  return state.url === url ? state.asked : { kind: "loading" };
}

/** Changes when something moved, was done by a person, or came back. */
function useMark(): string {
  const now = useStore(levels);
  const state = useStore(connection);
  if (!now) return state;
  const sums = now.stages.map(
    (one) => `${one.waiting},${one.later},${one.claimed},${one.done},${one.dead},${one.closed},${one.shut}`,
  );
  return [state, now.lastAct, ...sums, now.outages.length, now.workers.length].join("/");
}
