import type { Tallied } from "../decide/tally.ts";
import type { Histogram, Snapshot } from "./counters.ts";
import { type Known, knownLabelSets, series } from "./series.ts";

const kept = series.filter(({ scope }) => scope === "kept");
const names = new Set(kept.map(({ name }) => name));

/**
 * The stored totals as series, with 0 for known label sets that were never counted.
 *
 * @example
 * import { keptSnapshot, namesIn, prometheusText } from "@headway/engine";
 *
 * console.log(prometheusText(keptSnapshot([], namesIn([]))));
 */
export function keptSnapshot(tally: readonly Tallied[], known: Known): Snapshot {
  const storedOf = (name: string, labels: object) =>
    tally.find((one) => one.name === name && sameLabels(one.labels, labels))?.value;
  const counters = kept
    .filter(({ type }) => type === "counter")
    .flatMap((one) => {
      const stored = tally.filter(({ name }) => name === one.name);
      const missing = knownLabelSets(one, known)
        .filter((labels) => !stored.some((row) => sameLabels(row.labels, labels)))
        .map((labels) => ({ name: one.name, labels, value: 0 }));
      return [...stored, ...missing];
    });
  const gauges = tally.filter(({ name }) => kept.some((one) => one.type === "gauge" && one.name === name));
  const histograms = kept
    .filter(({ type }) => type === "histogram")
    .map(({ name, buckets = [] }): Histogram => {
      const limits = [...buckets, Number.POSITIVE_INFINITY];
      const labelOf = (le: number) => ({ le: Number.isFinite(le) ? String(le) : "+Inf" });
      return {
        name,
        labels: {},
        buckets: limits.map((le) => ({ le, count: storedOf(`${name}_bucket`, labelOf(le)) ?? 0 })),
        sum: storedOf(`${name}_sum`, {}) ?? 0,
        count: storedOf(`${name}_count`, {}) ?? 0,
      };
    });
  return { counters, gauges, histograms, foldedSets: 0 };
}

/**
 * A process's own counts without the series that are stored: the stored totals take their place.
 *
 * @example
 * import { countSignals, prometheusText, withoutKept } from "@headway/engine";
 *
 * console.log(prometheusText(withoutKept(countSignals().snapshot())));
 */
export function withoutKept({ counters, gauges, histograms, foldedSets }: Snapshot): Snapshot {
  const own = <One extends { readonly name: string }>(all: readonly One[]) =>
    all.filter(({ name }) => !names.has(name));
  return { counters: own(counters), gauges: own(gauges), histograms: own(histograms), foldedSets };
}

const sameLabels = (a: object, b: object): boolean => {
  const [left, right] = [Object.entries(a), b as Readonly<Record<string, string>>];
  return left.length === Object.keys(right).length && left.every(([label, value]) => right[label] === value);
};
