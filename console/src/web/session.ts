import { makeStore } from "./store.ts";

/** False: the session has ended, and the page asks to sign in. */
export const entered = makeStore<boolean | null>(null);

export const signedOut = (): void => entered.set(false);
