/** A request's id from a random UUID: version 7, which begins with the moment of acceptance. */
export function toRequestId(uuid: string, now: Date): string {
  const hex = Math.max(0, now.getTime()).toString(16).padStart(12, "0").slice(-12);
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${uuid.slice(15)}`;
}

/** The moment of acceptance in a request's id; null for an id of another kind, given by a caller. */
export function acceptedAt(request: string): Date | null {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-/i.exec(request) ?? [];
  return high === undefined || low === undefined ? null : new Date(Number.parseInt(high + low, 16));
}
