/** Who listens to which channel; each kind of database brings its own way of saying so to PostgreSQL. */
export interface Channels {
  readonly names: Iterable<string>;
  hear(channel: string, payload: string): void;
  /** Returns a function that takes it out again, and returns whether nobody listens to the channel any more. */
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
      // A function of its own, so that listening twice with the same one counts twice.
      const tell = (payload: string): void => heard(payload);
      listening.add(tell);
      return () => {
        if (!listening.delete(tell) || listening.size > 0) return false;
        // Somebody may have come after the channel was left before.
        if (channels.get(channel) === listening) channels.delete(channel);
        return true;
      };
    },
    clear: () => channels.clear(),
  };
}
