import type { Result } from "./results.ts";

/** One line of a chart: a value for each run, oldest first; null for a run without a value. */
export interface Series {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

export interface Panel {
  readonly title: string;
  readonly runs: readonly string[];
  readonly series: readonly Series[];
}

/** The figures to watch over time, from all kept runs. */
export function panelsOf(results: readonly Result[]): readonly Panel[] {
  const runs = results.map(({ at, commit }) => `${at.slice(0, 10)} ${commit}`);
  const panel = (title: string, part: keyof Result["summary"]): Panel => {
    const names = [...new Set(results.flatMap(({ summary }) => Object.keys(summary[part])))];
    return {
      title,
      runs,
      series: names
        .map((name) => ({ name, values: results.map(({ summary }) => summary[part][name] ?? null) }))
        .filter(({ values }) => values.some((value) => value !== null)),
    };
  };
  return [
    panel("completions per second", "completionsPerSecond"),
    panel("wake-up p50, ms", "wakeMs"),
    panel("three stages, documents per second", "pipelineDocsPerSecond"),
    panel("cost of a completion, as a multiple of that at the smallest size", "costGrowth"),
  ].filter(({ series }) => series.length > 0);
}

const size = { width: 760, height: 220, left: 70, right: 170, top: 34, bottom: 40 };
/** Distinguishable with colour blindness, on white and on black. */
const colours = ["#0072b2", "#56b4e9", "#d55e00", "#009e73", "#cc79a7", "#e69f00"];

/** A picture of all panels, stacked vertically. */
export function drawChart(panels: readonly Panel[]): string {
  const height = Math.max(1, panels.length) * size.height;
  const body = panels.map(
    (panel, index) => `<g transform="translate(0 ${index * size.height})">\n${drawPanel(panel)}\n</g>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${height}" font-family="sans-serif" font-size="11" role="img" aria-label="Benchmarks over time">`,
    `<rect width="${size.width}" height="${height}" fill="#ffffff"/>`,
    ...body,
    "</svg>\n",
  ].join("\n");
}

function drawPanel({ title, runs, series }: Panel): string {
  const most = Math.max(...series.flatMap(({ values }) => values.filter((value) => value !== null)), 0) || 1;
  const inner = { width: size.width - size.left - size.right, height: size.height - size.top - size.bottom };
  const x = (run: number) =>
    size.left + (runs.length < 2 ? inner.width / 2 : (run / (runs.length - 1)) * inner.width);
  const y = (value: number) => size.top + inner.height * (1 - value / most);
  const ticks = [0, 0.5, 1].flatMap((part) => [
    `<line x1="${size.left}" x2="${size.left + inner.width}" y1="${round(y(part * most))}" y2="${round(y(part * most))}" stroke="#d0d0d0"/>`,
    `<text x="${size.left - 6}" y="${round(y(part * most) + 4)}" text-anchor="end">${show(part * most)}</text>`,
  ]);
  const ends = [...new Set([0, runs.length - 1])].map(
    (run, index) =>
      `<text x="${round(x(run))}" y="${size.height - size.bottom + 18}" text-anchor="${index === 0 ? "start" : "end"}">${escaped(runs[run] ?? "")}</text>`,
  );
  const lines = series.map((one, index) => drawSeries(one, index, { x, y }));
  return [
    `<text x="${size.left}" y="20" font-weight="bold">${escaped(title)}</text>`,
    ...ticks,
    ...ends,
    ...lines,
  ].join("\n");
}

interface Scale {
  readonly x: (run: number) => number;
  readonly y: (value: number) => number;
}

/** Draws lines only between neighbouring measured runs: a gap stays a gap. */
function drawSeries({ name, values }: Series, index: number, { x, y }: Scale): string {
  const colour = colours[index % colours.length];
  const points = values.flatMap((value, run) => (value === null ? [] : [{ run, value }]));
  const strokes = points.slice(1).flatMap(({ run, value }, at) => {
    const before = points[at];
    if (!before || before.run !== run - 1) return [];
    return `<line x1="${round(x(before.run))}" y1="${round(y(before.value))}" x2="${round(x(run))}" y2="${round(y(value))}" stroke="${colour}" stroke-width="2"/>`;
  });
  const dots = points.map(
    ({ run, value }) =>
      `<circle cx="${round(x(run))}" cy="${round(y(value))}" r="3" fill="${colour}"><title>${escaped(`${name}: ${show(value)}`)}</title></circle>`,
  );
  const last = points.at(-1);
  const legend = `${name}${last ? ` ${show(last.value)}` : ""}`;
  const place = { x: size.width - size.right + 14, y: size.top + 8 + index * 17 };
  return [
    ...strokes,
    ...dots,
    `<text x="${place.x}" y="${place.y}" fill="${colour}">${escaped(legend)}</text>`,
  ].join("\n");
}

const round = (value: number): number => Math.round(value * 10) / 10;
const show = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)));
const escaped = (text: string): string =>
  text.replace(
    /[&<>"]/g,
    (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[letter] as string,
  );
