import type { ComponentChildren } from "preact";
import type { Levels, StageLevel } from "../live.ts";
import { go } from "../route.tsx";
import { type GraphEdge, type GraphNode, layOut, type Placed, simplify } from "./layout.ts";
import { count } from "./text.tsx";

interface PictureProps {
  readonly graph: { readonly nodes: readonly GraphNode[]; readonly edges: readonly GraphEdge[] };
  readonly levels: Levels;
}

/** Narrower boxes keep words legible on a phone. */
const boxes = {
  wide: { width: 150, height: 62, gap: 44, rise: 26, letters: 17 },
  tall: { width: 108, height: 62, gap: 10, rise: 28, letters: 13 },
} as const;

type Box = (typeof boxes)["wide" | "tall"];

/** The pipeline as a drawing; the table below says the same to keyboards and screen readers. */
export function Picture({ graph, levels }: PictureProps) {
  const { nodes, edges } = simplify(graph.nodes, graph.edges);
  return (
    <div class="picture-frame" aria-hidden="true">
      {[false, true].map((turned) => (
        <Drawing
          key={String(turned)}
          placed={layOut(nodes, edges, { turned })}
          edges={edges}
          levels={levels}
          turned={turned}
        />
      ))}
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
  const box = turned ? boxes.tall : boxes.wide;
  const at = new Map(
    placed.map(({ id, layer, row }) => {
      const [right, down] = turned ? [row, layer] : [layer, row];
      return [id, { x: right * (box.width + box.gap), y: down * (box.height + box.rise) }];
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
        return (
          a &&
          b && <path key={`${from} ${to}`} class="edge" d={turned ? down(a, b, box) : across(a, b, box)} />
        );
      })}
      {placed.map((node) => {
        const { x, y } = at.get(node.id) as { x: number; y: number };
        return (
          <g key={node.id} transform={`translate(${x} ${y})`}>
            {node.kind === "stage" ? (
              <StageBox
                name={node.name}
                line={levels.stages.find((one) => one.stage === node.name)}
                box={box}
              />
            ) : node.names ? (
              <CollectionList names={node.names} levels={levels} box={box} />
            ) : (
              <CollectionBox name={node.name} levels={levels} box={box} />
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

function across(a: Point, b: Point, box: Box): string {
  const [x1, y1, x2, y2] = [a.x + box.width, a.y + box.height / 2, b.x, b.y + box.height / 2];
  const bend = Math.max(18, (x2 - x1) / 2);
  return `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

function down(a: Point, b: Point, box: Box): string {
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

const cut = (name: string, { letters }: Box): string =>
  name.length > letters ? `${name.slice(0, letters - 1)}…` : name;

interface StageBoxProps {
  readonly name: string;
  readonly line: StageLevel | undefined;
  readonly box: Box;
}

function StageBox({ name, line, box }: StageBoxProps) {
  const mark = line ? markOf(line) : null;
  const kind = !line || mark === null ? "" : line.paused || line.shut !== null ? "warn" : "bad";
  const open = line ? line.waiting + line.later + line.claimed : 0;
  const total = line ? Math.max(1, line.done + line.dead + open) : 1;
  const part = (of: number) => (of / total) * (box.width - 20);
  return (
    <Way href={`/stages/${encodeURIComponent(name)}`}>
      <rect class={`stage ${kind}`} width={box.width} height={box.height} rx="7" />
      <text x="10" y="21" class="node-name">
        {cut(name, box)}
      </text>
      <text x="10" y="39" class={`node-fact ${kind}`}>
        {mark ??
          (line === undefined
            ? "not started"
            : open > 0
              ? `${counted(open, box)} open`
              : `${counted(line.done, box)} done`)}
      </text>
      <rect class="meter" x="10" y="49" width={box.width - 20} height="4" />
      {line && <rect class="meter good" x="10" y="49" width={part(line.done)} height="4" />}
      {line && <rect class="meter bad" x={10 + part(line.done)} y="49" width={part(line.dead)} height="4" />}
    </Way>
  );
}

const counted = (of: number, box: Box): string =>
  box === boxes.wide ? count(of, "document") : count(of, "", "").trim();

interface CollectionProps {
  readonly name: string;
  readonly levels: Levels;
  readonly box: Box;
}

function CollectionBox({ name, levels, box }: CollectionProps) {
  const found = levels.collections.find((one) => one.name === name);
  return (
    <Way href={`/documents?collection=${encodeURIComponent(name)}`}>
      <rect class="collection" width={box.width} height={box.height} />
      <text x={box.width / 2} y="29" class="node-name end" text-anchor="middle">
        {cut(name, box)}
      </text>
      <text x={box.width / 2} y="46" class="node-fact" text-anchor="middle">
        {found ? count(found.documents, "document") : ""}
      </text>
    </Way>
  );
}

const linesMax = 3;

/** Results of a stage, a line each; the rest as a number. */
function CollectionList({
  names,
  levels,
  box,
}: Omit<CollectionProps, "name"> & { readonly names: readonly string[] }) {
  const shown = names.length > linesMax ? names.slice(0, linesMax - 1) : names;
  const left = names.length - shown.length;
  const top = shown.length + (left > 0 ? 1 : 0) === 2 ? 27 : 18;
  const documents = (name: string) => levels.collections.find((one) => one.name === name)?.documents ?? 0;
  return (
    <>
      {shown.map((name, index) => (
        <Way key={name} href={`/documents?collection=${encodeURIComponent(name)}`}>
          <text x="12" y={top + index * 18} class="node-line">
            {cut(name, box)}
            <tspan class="node-fact" dx="6">
              {count(documents(name), "", "").trim()}
            </tspan>
          </text>
        </Way>
      ))}
      {left > 0 && (
        <Way href="/documents">
          <text x="12" y={top + shown.length * 18} class="node-fact">
            and {left} more
          </text>
        </Way>
      )}
    </>
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
