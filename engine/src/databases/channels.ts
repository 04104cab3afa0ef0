/** Listeners by channel; each kind of database has its own way to LISTEN. */
export interface Channels {
  readonly names: Iterable<string>;
  hear(channel: string, payload: string): void;
  /** Returns a function that removes the listener, and returns true for the last listener of the channel. */
  add(channel: string, heard: (payload: string) => void): () => boolean;
  clear(): void;
}

export function makeChannels(): Channels {
  const channels = new Map<string, Set<(payload: string) => void>>();
  return {
    get names() {
      return channels.keys();
    },
    hear(channel, payload) {
      for (const tell of channels.get(channel) ?? []) tell(payload);
    },
    add(channel, heard) {
      const listening = channels.get(channel) ?? new Set();
      channels.set(channel, listening);
      // A new function each time, so the same listener added twice counts twice.
      const tell = (payload: string): void => heard(payload);
      listening.add(tell);
      return () => {
        if (!listening.delete(tell) || listening.size > 0) return false;
        // A new listener may have come after the channel was emptied.
        if (channels.get(channel) === listening) channels.delete(channel);
        return true;
      };
    },
    clear: () => channels.clear(),
  };
}
