import { prometheusFiles } from "../../tools/prometheus-files.ts";

/** Waiting times and windows of the shipped rules are divided by this in live proofs. */
export const factor = 60;

/** The gauges of the cluster are read every 15 s, so the age of a reading keeps at least twice that. */
const readingSeconds = 30;
/** Stands for the week that a slow stage is compared with. */
const weekSeconds = 75;

/** Stands for the five minutes within which documents are to be complete: the next bucket. */
const lateSeconds = 10;

/** The shipped rules with all times divided by the factor; thresholds that count documents are unchanged. */
export function fastRules(): string {
  const text = prometheusFiles()[0]?.text ?? "";
  const seconds = { s: 1, m: 60, h: 3_600 };
  const shorter = (count: string, unit: string) =>
    `${Math.max(1, Math.round((Number(count) * seconds[unit as "s"]) / factor))}s`;
  return text
    .replace("interval: 30s", "interval: 1s")
    .replace(/for: (\d+)(m)/g, (_, count, unit) => `for: ${shorter(count, unit)}`)
    .replace(/\[(\d+)([smh])\]/g, (_, count, unit) => `[${shorter(count, unit)}]`)
    .replaceAll('le=~"300(', `le=~"${lateSeconds}(`)
    .replaceAll("offset 1w", `offset ${weekSeconds}s`)
    .replace("timestamp_seconds) > 600", `timestamp_seconds) > ${readingSeconds}`)
    .replace(/(_seconds\)) > (900|2700|3600)\b/g, (_, name, limit) => `${name} > ${Number(limit) / factor}`);
}
