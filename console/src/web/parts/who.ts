import { makeStore } from "../store.ts";

/** The person of the session; null: not known yet. */
export const me = makeStore<{ readonly name: string; readonly role: string } | null>(null);

/** Whether a pipeline brings pages for readers. */
export const readable = makeStore(false);

/** Whether a pipeline brings pages about manuals. */
export const hasManuals = makeStore(false);
