import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { prometheusText, type Snapshot } from "@headway/engine";

export interface MetricsTargets {
  readonly file?: string | undefined;
  readonly gateway?: string | undefined;
}

/** The page of a sweep. */
export interface SweepPage {
  /** Totals of all sweeps; null: unknown, so the published totals stay. A lower total would look like a restart. */
  readonly totals: Snapshot | null;
  readonly failed: boolean;
}

/** Writes and pushes the page of a sweep; returns problems as sentences. */
export async function publishMetrics(page: SweepPage, { file, gateway }: MetricsTargets): Promise<string[]> {
  const text = prometheusText(withOutcome(page));
  const problems: string[] = [];
  const attempt = async (what: string, act: () => Promise<void>) => {
    try {
      await act();
    } catch (error) {
      problems.push(`${what}: ${reasonOf(error)}`);
    }
  };
  if (file)
    await attempt(`The metrics could not be written to ${file}`, async () =>
      writeWhole(file, page.totals ? text : `${await readRest(file)}${text}`),
    );
  // PUT replaces the whole group of the retry job, POST only the series in the page.
  if (gateway)
    await attempt("The metrics could not be pushed", () => push(gateway, text, page.totals ? "PUT" : "POST"));
  return problems;
}

const outcomeName = "retry_job_last_run_failed";

function withOutcome({ totals, failed }: SweepPage): Snapshot {
  const { counters, gauges, histograms } = totals ?? { counters: [], gauges: [], histograms: [] };
  const outcome = { name: outcomeName, labels: {}, value: Number(failed) };
  return { counters, gauges: [...gauges, outcome], histograms, foldedSets: 0 };
}

/** The last page in the file, without the outcome of the last run. */
async function readRest(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch(() => "");
  const rest = text.split("\n").filter((line) => line !== "" && !line.includes(outcomeName));
  return rest.map((line) => `${line}\n`).join("");
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

/** To the group of the retry job. */
async function push(gateway: string, text: string, method: "PUT" | "POST"): Promise<void> {
  if (!URL.canParse(gateway) || !/^https?:$/.test(new URL(gateway).protocol))
    throw new Error("the address of a Pushgateway begins with http:// or https://");
  const url = new URL(gateway);
  const { username, password } = url;
  url.username = "";
  url.password = "";
  url.pathname = `${url.pathname.replace(/\/{1,20}$/, "")}/metrics/job/retry_job`;
  const answer = await fetch(url, {
    method,
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
