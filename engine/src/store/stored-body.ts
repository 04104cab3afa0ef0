/**
 * A body as returned by the database: the canonical JSON parsed, with the keys of each object in the order of `jsonb`
 * (shorter first, then by bytes). So a stage sees the same body, read from the database or not.
 */
export function storedBody(json: string): object {
  return ordered(JSON.parse(json)) as object;
}

function ordered(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) value[at] = ordered(value[at]);
    return value;
  }
  const fields = value as Record<string, unknown>;
  const result: Record<string, unknown> = {};
  for (const key of orderOf(Object.keys(fields))) {
    // A plain assignment to this name would set the prototype instead.
    if (key === "__proto__")
      Object.defineProperty(result, key, { value: ordered(fields[key]), ...plainProperty });
    else result[key] = ordered(fields[key]);
  }
  return result;
}

const plainProperty = { enumerable: true, configurable: true, writable: true };

/** Documents of a collection have the same few sets of keys, so sorted orders are cached. */
const orders = new Map<string, readonly string[]>();
const ordersMax = 1_000;

function orderOf(keys: readonly string[]): readonly string[] {
  if (keys.length < 2) return keys;
  const known = orders.get(keys.join("\0"));
  if (known) return known;
  const order = [...keys].sort(compareKeys);
  if (orders.size >= ordersMax) orders.clear();
  orders.set(keys.join("\0"), order);
  return order;
}

function compareKeys(one: string, other: string): number {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length - b.length || a.compare(b);
}
