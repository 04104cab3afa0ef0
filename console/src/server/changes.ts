/** One changed place of a JSON document. */
export interface Changed {
  /** `positions.2.quote`; empty: the whole document. */
  readonly path: string;
  /** Null: the place is new. */
  readonly before: string | null;
  /** Null: the place is gone. */
  readonly after: string | null;
}

const changesMax = 200;
const textMax = 4_000;

/** Places where two JSON values differ, in the order of the former one; `more`: further ones are left out. */
export function changesBetween(before: unknown, after: unknown): { changes: Changed[]; more: boolean } {
  const changes: Changed[] = [];
  for (const change of walk(before, after, [])) {
    if (changes.length === changesMax) return { changes, more: true };
    changes.push(change);
  }
  return { changes, more: false };
}

function* walk(before: unknown, after: unknown, path: readonly string[]): Generator<Changed> {
  if (Object.is(before, after)) return;
  if (isTree(before) && isTree(after) && Array.isArray(before) === Array.isArray(after)) {
    const names = [
      ...Object.keys(before),
      ...Object.keys(after).filter((name) => !Object.hasOwn(before, name)),
    ];
    for (const name of names) yield* walk(valueAt(before, name), valueAt(after, name), [...path, name]);
    return;
  }
  yield { path: path.join("."), before: shown(before), after: shown(after) };
}

type Tree = Readonly<Record<string, unknown>>;

const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null;
const valueAt = (tree: Tree, name: string): unknown => (Object.hasOwn(tree, name) ? tree[name] : undefined);

function shown(value: unknown): string | null {
  if (value === undefined) return null;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > textMax ? `${text.slice(0, textMax)}…` : text;
}
