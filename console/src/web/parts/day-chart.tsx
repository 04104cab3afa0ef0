import { type Page, usePage } from "../ask.ts";
import { Link } from "../route.tsx";
import { Clock, count, Moment, Plain } from "./text.tsx";

type Point = Page<"history">["points"][number];

const size = { width: 1_000, height: 96, bottom: 18 } as const;
const dayMs = 24 * 3_600_000;

/** Results and open tasks of the last 24 hours, with acts and alerts as marks. */
export function DayChart({ stage }: { readonly stage?: string }) {
  const asked = usePage("history", stage === undefined ? {} : { stage });
  if (asked.kind !== "here") return null;
  const { points, marks, since } = asked.data;
  if (points.length < 2) return null;
  const bars = points
    .slice(1)
    .map((point, index) => ({ at: point.at, done: sinceLast(points[index] as Point, point) }));
  const total = bars.reduce((sum, { done }) => sum + done, 0);
  const most = Math.max(...points.map(openOf));
  return (
    <section class="day">
      <h2>Last 24 hours</h2>
      <p class="faint">
        {count(total, "result")}; at most {count(most, "open task")} at a time
      </p>
      <Drawing bars={bars} points={points} marks={marks} since={since} />
      {marks.length > 0 && (
        <details>
          <summary>{count(marks.length, "act or alert", "acts and alerts")} in this time</summary>
          <ol class="time-line">
            {marks.toReversed().map((mark) => (
              <li key={mark.href} data-row>
                <Clock at={mark.at} />
                <Moment at={mark.at} />
                <span class="what">
                  <Link href={mark.href}>
                    <Plain text={mark.text} />
                  </Link>
                </span>
              </li>
            ))}
          </ol>
        </details>
      )}
    </section>
  );
}

const openOf = ({ stages }: Point): number => stages.reduce((sum, { open }) => sum + open, 0);

/** Results since the point before; a counter that began anew counts from zero. */
function sinceLast(before: Point, point: Point): number {
  const then = new Map(before.stages.map(({ stage, progress }) => [stage, progress]));
  return point.stages.reduce(
    (sum, { stage, progress }) => sum + Math.max(0, progress - (then.get(stage) ?? progress)),
    0,
  );
}

interface DrawingProps {
  readonly bars: readonly { readonly at: string; readonly done: number }[];
  readonly points: readonly Point[];
  readonly marks: Page<"history">["marks"];
  readonly since: string;
}

/** The sentence above and the list below say the same to screen readers. */
function Drawing({ bars, points, marks, since }: DrawingProps) {
  const start = new Date(since).getTime();
  const x = (at: string) => Math.max(0, Math.min(1, (new Date(at).getTime() - start) / dayMs)) * size.width;
  const floor = size.height - size.bottom;
  const doneMax = Math.max(1, ...bars.map(({ done }) => done));
  const openMax = Math.max(1, ...points.map(openOf));
  const course = points
    .map((point) => `${x(point.at)},${floor - (openOf(point) / openMax) * (floor - 6)}`)
    .join(" ");
  return (
    <svg class="chart day-chart" viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true">
      <line class="grid" x1="0" x2={size.width} y1={floor} y2={floor} />
      {bars.map(({ at, done }) => {
        const height = (done / doneMax) * (floor - 6);
        return <rect key={at} class="bar-done" x={x(at) - 8} y={floor - height} width="8" height={height} />;
      })}
      <polyline class="course" points={course} />
      {marks.map((mark) => (
        <path key={mark.href} class="mark-act" d={`M${x(mark.at)} ${floor} l-4 7 h8 z`} />
      ))}
      {[0, 6, 12, 18, 24].map((hour) => (
        <text
          key={hour}
          x={(hour / 24) * size.width}
          y={size.height - 3}
          text-anchor={hour === 0 ? "start" : hour === 24 ? "end" : "middle"}
        >
          {hour === 24 ? "now" : `${24 - hour} h ago`}
        </text>
      ))}
    </svg>
  );
}
