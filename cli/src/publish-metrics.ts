import { rename, rm, writeFile } from "node:fs/promises";
import { prometheusText, type Snapshot } from "@headway/engine";

export interface MetricsTargets {
  readonly file?: string | undefined;
  readonly gateway?: string | undefined;
}

/** Writes and pushes what was counted; returns what went wrong, in sentences. */
export async function publishMetrics(
  snapshot: Snapshot,
  { file, gateway }: MetricsTargets,
): Promise<readonly string[]> {
  const text = prometheusText(ofTheSweep(snapshot));
  const problems: string[] = [];
  const attempt = async (what: string, act: () => Promise<void>) => {
    try {
      await act();
    } catch (error) {
      problems.push(`${what}: ${reasonOf(error)}`);
    }
  };
  if (file) await attempt(`The metrics could not be written to ${file}`, () => writeWhole(file, text));
  if (gateway) await attempt("The metrics could not be pushed", () => push(gateway, text));
  return problems;
}

/** A sweep is a worker for a moment, too; what it counts as such is nobody's business. */
function ofTheSweep({ counters, gauges, histograms, foldedSets }: Snapshot): Snapshot {
  const own = <One extends { readonly name: string }>(all: readonly One[]) =>
    all.filter(({ name }) => name.startsWith("retry_job_"));
  return { counters: own(counters), gauges: own(gauges), histograms: own(histograms), foldedSets };
}

/** Under its name it is there as a whole or not at all: a collector may read at any moment. */
async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(draft, text);
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}

const pushMs = 10_000;

/** The group of the retry job, which each push replaces. */
async function push(gateway: string, text: string): Promise<void> {
  if (!URL.canParse(gateway) || !/^https?:$/.test(new URL(gateway).protocol))
    throw new Error("the address of a Pushgateway begins with http:// or https://");
  const url = new URL(gateway);
  const { username, password } = url;
  url.username = "";
  url.password = "";
  url.pathname = `${url.pathname.replace(/\/{1,20}$/, "")}/metrics/job/retry_job`;
  const answer = await fetch(url, {
    method: "PUT",
    body: text,
    signal: AbortSignal.timeout(pushMs),
    headers: {
      "content-type": "text/plain; version=0.0.4",
      ...(username && { authorization: `Basic ${btoa(decodeURIComponent(`${username}:${password}`))}` }),
    },
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`${url.host} answered ${answer.status}`);
}

/** What `fetch` fails of is behind its error. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string; message?: string } };
  return [message, cause?.code ?? cause?.message].filter(Boolean).join(", ");
}
