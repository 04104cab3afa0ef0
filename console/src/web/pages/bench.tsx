import { type Page, usePage } from "../ask.ts";
import { type Column, Table } from "../parts/table.tsx";
import { Day, Name } from "../parts/text.tsx";
import { Empty, WholePage } from "../parts/whole-page.tsx";

type Series = Page<"bench">["series"][number];
type Run = Series["runs"][number];

/** Figures of `headway bench` over commits; nothing is started from the browser. */
export function BenchPage() {
  const asked = usePage("bench");
  return (
    <WholePage
      title="Benchmarks"
      asked={asked}
      lede="Each dot is the median of a run, each line the spread of its samples."
    >
      {({ series }) => (
        <>
          {series.length === 0 && (
            <Empty>
              Nothing was measured here yet: <code>headway bench</code> measures, and keeps the figures.
            </Empty>
          )}
          {series.map((one) => (
            <section key={`${one.environment} ${one.test} ${one.documentSet} ${one.figure}`}>
              <h2>
                <Name text={`${one.test}: ${one.figure}`} />
              </h2>
              <p class="faint">
                <Name text={one.environment} /> · <Name text={one.documentSet} /> ·{" "}
                {one.better === "more" ? "more is better" : "less is better"}
              </p>
              <Chart runs={one.runs} />
              <Table
                label={`Runs of ${one.test}, ${one.figure}`}
                rows={one.runs.toReversed()}
                columns={columns}
                keyOf={({ run }) => run}
              />
            </section>
          ))}
        </>
      )}
    </WholePage>
  );
}

const median = (samples: readonly number[]): number => {
  const sorted = samples.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? 0)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
};

const figure = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3);

const columns: readonly Column<Run>[] = [
  { title: "Commit", cell: ({ commit }) => <code>{commit.slice(0, 12)}</code> },
  { title: "Measured", cell: ({ at }) => <Day at={at} /> },
  { title: "Median", number: true, cell: ({ samples }) => figure(median(samples)) },
  { title: "Least", number: true, cell: ({ samples }) => figure(Math.min(...samples)) },
  { title: "Most", number: true, cell: ({ samples }) => figure(Math.max(...samples)) },
  { title: "Samples", number: true, cell: ({ samples }) => samples.length },
  { title: "Against the run before", cell: ({ change }) => <Change change={change} /> },
];

const percent = (value: number): string => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;

function Change({ change }: { readonly change: Run["change"] }) {
  if (change === null) return <span class="faint">nothing to compare with</span>;
  const { changePercent, lowPercent, highPercent, verdict } = change;
  const kind = verdict === "better" ? "done" : verdict === "worse" ? "dead" : "";
  return (
    <span class={`state ${kind}`}>
      {percent(changePercent)} % ({percent(lowPercent)} … {percent(highPercent)}), {verdict}
    </span>
  );
}

const size = { width: 720, height: 150, left: 64, top: 12, bottom: 26 } as const;

/** The table below says the same to keyboards and screen readers. */
function Chart({ runs }: { readonly runs: readonly Run[] }) {
  const most = Math.max(...runs.flatMap(({ samples }) => samples)) * 1.08 || 1;
  const inner = size.height - size.top - size.bottom;
  const y = (value: number) => size.top + inner * (1 - value / most);
  const step = (size.width - size.left - 20) / Math.max(1, runs.length - 1);
  const x = (index: number) => (runs.length === 1 ? size.width / 2 : size.left + index * step);
  const points = runs.map(({ samples }, index) => `${x(index)},${y(median(samples))}`).join(" ");
  return (
    <svg class="chart" viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true">
      {[0, 0.5, 1].map((part) => (
        <g key={part}>
          <line class="grid" x1={size.left - 6} x2={size.width} y1={y(part * most)} y2={y(part * most)} />
          <text x={size.left - 12} y={y(part * most) + 4} text-anchor="end">
            {figure(part * most)}
          </text>
        </g>
      ))}
      <polyline class="course" points={points} />
      {runs.map(({ run, samples, commit }, index) => (
        <g key={run}>
          <line
            class="spread"
            x1={x(index)}
            x2={x(index)}
            y1={y(Math.min(...samples))}
            y2={y(Math.max(...samples))}
          />
          <circle class="dot" cx={x(index)} cy={y(median(samples))} r="4" />
          {runs.length <= 12 && (
            <text x={x(index)} y={size.height - 6} text-anchor="middle">
              {commit.slice(0, 7)}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}
