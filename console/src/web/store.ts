import { useEffect, useState } from "preact/hooks";

/** A value that several parts of the page show. */
export interface Store<T> {
  get(): T;
  set(value: T): void;
  subscribe(tell: () => void): () => void;
}

export function makeStore<T>(initial: T): Store<T> {
  const listeners = new Set<() => void>();
  let current = initial;
  return {
    get: () => current,
    set(value) {
      if (Object.is(value, current)) return;
      current = value;
      for (const tell of listeners) tell();
    },
    subscribe(tell) {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
  };
}

/** The value, and a new rendering whenever it changes. */
export function useStore<T>(store: Store<T>): T {
  const [, render] = useState(0);
  useEffect(() => store.subscribe(() => render((count) => count + 1)), [store]);
  return store.get();
}
