import type { ComponentChildren } from "preact";
import type { Levels, StageLevel } from "../live.ts";
import { go } from "../route.tsx";
import { type GraphEdge, type GraphNode, layOut, type Placed, simplify } from "./layout.ts";
import { count } from "./text.tsx";

interface PictureProps {
  readonly graph: { readonly nodes: readonly GraphNode[]; readonly edges: readonly GraphEdge[] };
  readonly levels: Levels;
}

const box = { width: 150, height: 62, gap: 44, rise: 26 } as const;

/** The pipeline as a drawing; the table below says the same to keyboards and screen readers. */
export function Picture({ graph, levels }: PictureProps) {
  const { nodes, edges } = simplify(graph.nodes, graph.edges);
  const placed = layOut(nodes, edges);
  return (
    <div class="picture-frame" aria-hidden="true">
      <Drawing placed={placed} edges={edges} levels={levels} turned={false} />
      <Drawing placed={placed} edges={edges} levels={levels} turned={true} />
    </div>
  );
}

interface DrawingProps {
  readonly placed: readonly Placed[];
  readonly edges: readonly GraphEdge[];
  readonly levels: Levels;
  readonly turned: boolean;
}

function Drawing({ placed, edges, levels, turned }: DrawingProps) {
  const lowest = Math.min(...placed.map(({ row }) => row));
  const at = new Map(
    placed.map((node) => {
      const [along, across] = [node.layer, node.row - lowest];
      const x = turned ? across * (box.width + 14) : along * (box.width + box.gap);
      const y = turned ? along * (box.height + 30) : across * (box.height + box.rise);
      return [node.id, { x, y }];
    }),
  );
  const width = Math.max(0, ...[...at.values()].map(({ x }) => x)) + box.width;
  const height = Math.max(0, ...[...at.values()].map(({ y }) => y)) + box.height;
  return (
    <svg
      class={`picture ${turned ? "tall" : "wide"}`}
      viewBox={`-2 -2 ${width + 4} ${height + 4}`}
      width={width + 4}
    >
      <title>Pipeline</title>
      {edges.map(({ from, to }) => {
        const [a, b] = [at.get(from), at.get(to)];
        return a && b && <path key={`${from} ${to}`} class="edge" d={turned ? down(a, b) : across(a, b)} />;
      })}
      {placed.map((node) => {
        const { x, y } = at.get(node.id) as { x: number; y: number };
        return (
          <g key={node.id} transform={`translate(${x} ${y})`}>
            {node.kind === "stage" ? (
              <StageBox name={node.name} line={levels.stages.find((one) => one.stage === node.name)} />
            ) : (
              <CollectionBox name={node.name} levels={levels} />
            )}
          </g>
        );
      })}
    </svg>
  );
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function across(a: Point, b: Point): string {
  const [x1, y1, x2, y2] = [a.x + box.width, a.y + box.height / 2, b.x, b.y + box.height / 2];
  const bend = Math.max(18, (x2 - x1) / 2);
  return `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

function down(a: Point, b: Point): string {
  const [x1, y1, x2, y2] = [a.x + box.width / 2, a.y + box.height, b.x + box.width / 2, b.y];
  return `M${x1} ${y1} C${x1} ${y1 + 18} ${x2} ${y2 - 18} ${x2} ${y2}`;
}

/** One mark for the most important fact about a stage. */
export function markOf(line: StageLevel): string | null {
  if (line.paused) return "paused";
  if (line.shut !== null) return `held: ${line.shut}`;
  if (line.dead - line.closed > 0) return `${line.dead - line.closed} dead`;
  return null;
}

function StageBox({ name, line }: { readonly name: string; readonly line: StageLevel | undefined }) {
  const mark = line ? markOf(line) : null;
  const kind = !line || mark === null ? "" : line.paused || line.shut !== null ? "warn" : "bad";
  const open = line ? line.waiting + line.later + line.claimed : 0;
  const total = line ? Math.max(1, line.done + line.dead + open) : 1;
  const part = (of: number) => (of / total) * (box.width - 20);
  return (
    <Way href={`/stages/${encodeURIComponent(name)}`}>
      <rect class={`stage ${kind}`} width={box.width} height={box.height} rx="7" />
      <text x="10" y="21" class="node-name">
        {name.length > 17 ? `${name.slice(0, 16)}…` : name}
      </text>
      <text x="10" y="39" class={`node-fact ${kind}`}>
        {mark ??
          (line === undefined
            ? "not started"
            : open > 0
              ? `${count(open, "document")} open`
              : `${count(line.done, "document")} done`)}
      </text>
      <rect class="meter" x="10" y="49" width={box.width - 20} height="4" />
      {line && <rect class="meter good" x="10" y="49" width={part(line.done)} height="4" />}
      {line && <rect class="meter bad" x={10 + part(line.done)} y="49" width={part(line.dead)} height="4" />}
    </Way>
  );
}

function CollectionBox({ name, levels }: { readonly name: string; readonly levels: Levels }) {
  const found = levels.collections.find((one) => one.name === name);
  return (
    <Way href={`/documents?collection=${encodeURIComponent(name)}`}>
      <rect class="collection" width={box.width} height={box.height} />
      <text x="75" y="29" class="node-name end" text-anchor="middle">
        {name.length > 18 ? `${name.slice(0, 17)}…` : name}
      </text>
      <text x="75" y="46" class="node-fact" text-anchor="middle">
        {found ? count(found.documents, "document") : ""}
      </text>
    </Way>
  );
}

/** A link for the pointer; the table has the same link for keyboards. */
function Way({ href, children }: { readonly href: string; readonly children: ComponentChildren }) {
  return (
    <a
      href={href}
      tabindex={-1}
      onClick={(event) => {
        event.preventDefault();
        go(href);
      }}
    >
      {children}
    </a>
  );
}
