/** A node of the picture: a stage, or a collection at an end of the pipeline. */
export interface GraphNode {
  readonly id: string;
  readonly name: string;
  readonly kind: "stage" | "collection";
  /** All collections of a node that stands for several results of one stage. */
  readonly names?: readonly string[];
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
}

export interface Placed extends GraphNode {
  readonly layer: number;
  /** Row within the layers, may be between two rows. */
  readonly row: number;
}

const passes = 4;

/** Unconnected parts of the graph, one below the other, also in a picture that goes from top to bottom. */
export function layOut(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  { turned }: { readonly turned: boolean },
): readonly Placed[] {
  let below = 0;
  return partsOf(nodes, edges).flatMap((part) => {
    const placed = layOutPart(part, edges);
    const rows = placed.map(({ row }) => row);
    const first = Math.min(...rows);
    const start = below;
    if (turned) {
      below += Math.max(...placed.map(({ layer }) => layer)) + 1;
      return placed.map((node) => ({ ...node, layer: node.layer + start, row: node.row - first }));
    }
    below += Math.max(...rows) - first + 1;
    return placed.map((node) => ({ ...node, row: node.row - first + start }));
  });
}

function partsOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): readonly GraphNode[][] {
  const left = new Map(nodes.map((node) => [node.id, node]));
  const parts: GraphNode[][] = [];
  for (const first of nodes) {
    if (!left.has(first.id)) continue;
    const found = new Set([first.id]);
    // A growing set is walked to the end.
    for (const id of found)
      for (const { from, to } of edges) {
        if (from === id) found.add(to);
        if (to === id) found.add(from);
      }
    parts.push(nodes.filter(({ id }) => found.has(id)));
    for (const id of found) left.delete(id);
  }
  return parts;
}

/** Layers by longest path, ordered by the mean place of the neighbours. Cycles end where they are met again. */
function layOutPart(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): readonly Placed[] {
  const layers = layersOf(nodes, edges);
  const place = new Map<string, number>();
  const number = () => {
    for (const layer of layers)
      for (const [index, id] of layer.entries()) place.set(id, index - (layer.length - 1) / 2);
  };
  number();
  const near = new Map(
    nodes.map(({ id }) => [
      id,
      edges.flatMap((edge) => (edge.to === id ? [edge.from] : edge.from === id ? [edge.to] : [])),
    ]),
  );
  const mean = (id: string): number => {
    const around = near.get(id) ?? [];
    if (around.length === 0) return place.get(id) ?? 0;
    return around.reduce((sum, other) => sum + (place.get(other) ?? 0), 0) / around.length;
  };
  for (let pass = 0; pass < passes; pass++) {
    for (const layer of pass % 2 === 0 ? layers : [...layers].reverse()) {
      layer.sort((one, other) => mean(one) - mean(other));
      number();
    }
  }
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return layers.flatMap((layer, index) =>
    layer.map((id) => ({ ...(byId.get(id) as GraphNode), layer: index, row: place.get(id) ?? 0 })),
  );
}

function layersOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): string[][] {
  const depth = new Map<string, number>();
  const depthOf = (id: string, above: readonly string[]): number => {
    const known = depth.get(id);
    if (known !== undefined) return known;
    if (above.includes(id)) return 0;
    const before = edges.filter((edge) => edge.to === id).map((edge) => depthOf(edge.from, [...above, id]));
    const found = Math.max(-1, ...before) + 1;
    depth.set(id, found);
    return found;
  };
  const layers: string[][] = [];
  for (const { id } of nodes) {
    const layer = depthOf(id, []);
    while (layers.length <= layer) layers.push([]);
    (layers[layer] as string[]).push(id);
  }
  return layers;
}

/** Stages as nodes; collections only where the pipeline begins or ends, and as names of edges between. */
export function simplify(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
): { nodes: readonly GraphNode[]; edges: readonly NamedEdge[] } {
  const isStage = new Set(nodes.filter(({ kind }) => kind === "stage").map(({ id }) => id));
  const kept = nodes.filter(
    ({ id, kind }) =>
      kind === "stage" || !edges.some((edge) => edge.to === id) || !edges.some((edge) => edge.from === id),
  );
  const ends = new Set(kept.map(({ id }) => id));
  const nameOf = (id: string) => nodes.find((node) => node.id === id)?.name ?? id;
  const direct = edges
    .filter(({ from, to }) => ends.has(from) && ends.has(to))
    .map((edge) => ({ ...edge, via: null }));
  const through = edges
    .filter(({ from, to }) => isStage.has(from) && !ends.has(to))
    .flatMap(({ from, to: via }) =>
      edges
        .filter((edge) => edge.from === via && edge.to !== from)
        .map(({ to }) => ({ from, to, via: nameOf(via) })),
    );
  return joinEnds(kept, [...direct, ...through]);
}

type NamedEdge = GraphEdge & { readonly via: string | null };

/** Several results of one stage become one node, so that a stage with many results stays a small picture. */
function joinEnds(nodes: readonly GraphNode[], edges: readonly NamedEdge[]) {
  const makersOf = (id: string) => edges.filter(({ to }) => to === id).map(({ from }) => from);
  const ends = new Map<string, GraphNode[]>();
  for (const node of nodes) {
    const [maker, ...others] = makersOf(node.id);
    if (node.kind === "stage" || maker === undefined || others.length > 0) continue;
    ends.set(maker, [...(ends.get(maker) ?? []), node]);
  }
  const joined = [...ends].filter(([, results]) => results.length > 1);
  const gone = new Set(joined.flatMap(([, results]) => results.map(({ id }) => id)));
  return {
    nodes: [
      ...nodes.filter(({ id }) => !gone.has(id)),
      ...joined.map(([maker, results]): GraphNode => {
        const names = results.map(({ name }) => name);
        return { id: `ends of ${maker}`, name: names.join(", "), kind: "collection", names };
      }),
    ],
    edges: [
      ...edges.filter(({ to }) => !gone.has(to)),
      ...joined.map(([maker]): NamedEdge => ({ from: maker, to: `ends of ${maker}`, via: null })),
    ],
  };
}
