/** Trees that grow by links and never form loops; a group is a set of linked or joined trees. */
export interface Forest {
  /** Adds a tree of one node; returns its number. */
  add(): number;
  readonly size: number;
  /** −1 for a node without a parent. */
  parentOf(node: number): number;
  /** Puts a node without a parent below another node; false if it has a parent, or to prevent a loop. */
  link(child: number, parent: number): boolean;
  /** Puts two trees into one group without a parent relation. */
  join(one: number, other: number): void;
  groupOf(node: number): number;
}

export function makeForest(): Forest {
  const parents: number[] = [];
  // A node without a parent is the top of its tree, so a link makes a loop exactly when both ends are in one group
  // already: no walk up the tree is needed, and a chain of any depth costs the same per link.
  const leaders: number[] = [];
  const sizes: number[] = [];

  const groupOf = (node: number): number => {
    let at = node;
    while (leaders[at] !== at) {
      const above = leaders[leaders[at] as number] as number;
      leaders[at] = above;
      at = above;
    }
    return at;
  };

  const unite = (one: number, other: number): boolean => {
    const [a, b] = [groupOf(one), groupOf(other)];
    if (a === b) return false;
    const [big, small] = (sizes[a] as number) >= (sizes[b] as number) ? [a, b] : [b, a];
    leaders[small] = big;
    sizes[big] = (sizes[big] as number) + (sizes[small] as number);
    return true;
  };

  return {
    add() {
      parents.push(-1);
      sizes.push(1);
      return leaders.push(leaders.length) - 1;
    },
    get size() {
      return parents.length;
    },
    parentOf: (node) => parents[node] as number,
    link(child, parent) {
      if (parents[child] !== -1 || !unite(child, parent)) return false;
      parents[child] = parent;
      return true;
    },
    join(one, other) {
      unite(one, other);
    },
    groupOf,
  };
}
