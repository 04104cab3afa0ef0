import { type Engine, keptSnapshot, namesIn, readConfig, type Signal, type Snapshot } from "@headway/engine";
import { readSettingsFile, recordAct, sweepLockKey } from "@headway/engine/internal";
import { type Forgotten, openOperator } from "@headway/engine/operate";
import { currentApp } from "../app/current-app.ts";
import { withApp } from "../compose.ts";
import { actorName, withDesk } from "../desk.ts";
import { exitCodes, Refusal } from "../exit-codes.ts";
import { gatewayOf } from "../metrics-backend.ts";
import { type MetricsTargets, publishMetrics } from "../publish-metrics.ts";
import type { Adding } from "../run.ts";
import { parseSpan, type SharedOptions, sharedFlags } from "../shared-options.ts";
import { showSpan } from "../show-time.ts";
import { type Column, type Console, showCount, showNumber, table } from "../terminal.ts";

export function addSweep({ program, console, end }: Adding): void {
  program
    .command("sweep")
    .description("Owe forgotten tasks again, now and at intervals")
    .option("--once", "only now")
    .option("--dry-run", "only say what it would find; changes nothing")
    .option("--interval <span>", "how often (RETRY_JOB_INTERVAL_SECONDS; default: 15m)")
    .option("--metrics-file <path>", "write the metrics there, as Prometheus reads them")
    .option("--pushgateway <url>", "push the metrics there (PUSHGATEWAY_URL)")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", helpText)
    .action(async (options) => {
      if (options.dryRun) return tellSwept(await lookOnly(options), { ...options, dryRun: true }, console);
      const targets = {
        file: options.metricsFile,
        gateway: gatewayOf(options.pushgateway, process.env),
      };
      const round = () => sweepRound(options, { targets, console });
      if (options.once) return end((await round()) ? exitCodes.done : exitCodes.refused);
      await everyInterval(intervalOf(options.interval), round, console);
    });
}

const helpText = `
Examples:
  headway sweep --once
  headway sweep --dry-run
  headway sweep --once --metrics-file /var/lib/node_exporter/headway.prom
  headway sweep --interval 15m --pushgateway http://pushgateway:9091

It frees what dead workers hold, owes stages that nobody recorded, calls in what waits for a time far away or is past its
limit, and removes what is deleted. "headway up" sweeps by itself; this is the same as a process of its own, or by hand.
Something counts as stuck after RETRY_JOB_STUCK_THRESHOLD_HOURS (24): that is for alerts, nothing waits for it.
How often documents are tried: RETRY_JOB_MAX_ATTEMPTS_ARCHIVES, _MESSAGES, … (any collection's name).`;

interface SweepOptions extends SharedOptions {
  readonly dryRun?: boolean | undefined;
}

interface Swept extends Forgotten {
  readonly seconds: number;
  /** Another sweep is running, so this one did nothing. */
  readonly busy?: boolean;
}

interface Round {
  readonly targets: MetricsTargets;
  readonly console: Console;
}

/** One sweep with metrics. False: failed, with the reason in one line. */
async function sweepRound(options: SweepOptions, { targets, console }: Round): Promise<boolean> {
  let fine = true;
  try {
    tellSwept(await sweepOnce(options), options, console);
  } catch (error) {
    fine = false;
    console.warn(`headway: The sweep failed: ${(error as Error).message}\n`);
  }
  const totals = targets.file || targets.gateway ? await readTotals(options) : null;
  const problems = await publishMetrics({ totals, failed: !fine }, targets);
  for (const problem of problems) console.warn(`headway: ${problem}\n`);
  return fine && problems.length === 0;
}

/** The stored totals of all sweeps; null: the database does not answer, and the last published totals stay. */
async function readTotals(options: SweepOptions): Promise<Snapshot | null> {
  try {
    const tally = await withDesk(options, ({ operator }) => operator.tally());
    return keptSnapshot(tally, namesIn(currentApp().pipelines()));
  } catch {
    return null;
  }
}

async function sweepOnce(options: SweepOptions): Promise<Swept> {
  const from = performance.now();
  await refuseOthers(options);
  let freed = 0;
  const heard = (signal: Signal) => {
    if (signal.kind === "worker.evicted") freed += signal.freed;
  };
  return await withApp(options, { work: false, onSignal: heard }, async ({ engine }) => {
    const session = await engine.database.session();
    try {
      const busy = !(await session.lock(sweepLockKey(engine.database)));
      const swept = busy ? nothing : await engine.sweep();
      if (!busy) await waitForEvictions(engine);
      await recordSweep(engine, { ...swept, freed });
      return { ...swept, freed, seconds: (performance.now() - from) / 1_000, ...(busy && { busy }) };
    } finally {
      await session.close();
    }
  });
}

/** A sweep that found nothing has changed nothing. */
async function recordSweep({ database }: Engine, swept: Forgotten): Promise<void> {
  const { owed, freed, died, pulledIn, removed } = swept;
  if (owed + freed + died + pulledIn + removed === 0) return;
  const detail = { owed, freed, died, pulledIn, removed };
  await recordAct({ database, actor: actorName() }, { act: "sweep", target: "all stages", detail });
}

/** Only its code knows what a stage owes, and starting our code would register our stages in a foreign database. */
async function refuseOthers(options: SweepOptions): Promise<void> {
  const stages = await withDesk(options, ({ operator }) => operator.status());
  const own = new Set(
    currentApp()
      .pipelines()
      .flatMap((one) => one.stages.map(({ name }) => name)),
  );
  if (stages.length > 0 && !stages.some(({ stage }) => own.has(stage)))
    throw new Refusal(
      "The stages in this database are of other pipelines: an engine with their code sweeps it. See what it would find with: headway sweep --dry-run",
    );
}

const nothing: Forgotten = { owed: 0, freed: 0, died: 0, pulledIn: 0, removed: 0, collections: [] };

/** The engine waits half a second before an eviction; a sweep that ends sooner frees nothing. */
async function waitForEvictions({ database }: Engine): Promise<void> {
  const { silenceMs } = settings();
  const operator = await openOperator({ database, actor: "headway sweep" });
  for (const until = performance.now() + evictionMs; performance.now() < until; ) {
    if ((await operator.heldByDead({ silenceMs })).length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
  }
}
const evictionMs = 5_000;
const lookAgainMs = 200;

const settings = () => readConfig({}, process.env, readSettingsFile(process.env.HEADWAY_CONFIG)).config;

async function lookOnly(options: SweepOptions): Promise<Swept> {
  const from = performance.now();
  const found = await withDesk(options, ({ operator }) => operator.forgotten(settings()));
  return { ...found, seconds: (performance.now() - from) / 1_000 };
}

const intervalOf = (text: string | undefined): number => {
  const intervalMs = text === undefined ? settings().sweepMs : parseSpan(text, "--interval");
  if (intervalMs >= 1_000) return intervalMs;
  throw new Refusal(`--interval is "${text}"; it must be at least 1s.`, exitCodes.usage);
};

/** Repeats until stopped. A failed sweep does not end the loop. */
async function everyInterval(
  intervalMs: number,
  round: () => Promise<boolean>,
  console: Console,
): Promise<void> {
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  console.warn(`Sweeping every ${showSpan(intervalMs)}; stop with Ctrl-C.\n`);
  try {
    while (!stop.signal.aborted) {
      await round();
      await pause(intervalMs, stop.signal);
    }
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

function tellSwept(swept: Swept, { json, dryRun = false }: SweepOptions, console: Console): void {
  if (json) console.writeJson({ dryRun, ...swept });
  else if (swept.busy) console.warn("Another sweep is just running; nothing was done.\n");
  else tellFound(swept, dryRun, console);
}

function tellFound(swept: Swept, dryRun: boolean, console: Console): void {
  const { owed, freed, died, pulledIn, removed, collections } = swept;
  const parts = [
    owed > 0 ? `${showCount(owed, "task")} owed that nobody had recorded` : "",
    freed > 0 ? `${showCount(freed, "task")} freed from dead workers` : "",
    died > 0 ? `${showCount(died, "task")} past their limit` : "",
    pulledIn > 0 ? `${showCount(pulledIn, "task")} called in from a time far away` : "",
    removed > 0 ? `${showCount(removed, "deleted document")} removed` : "",
  ].filter((part) => part !== "");
  const verb = dryRun ? "A sweep would find" : "The sweep found";
  console.write(
    `${verb} ${parts.join(", ") || "nothing that was forgotten"} (${showSpan(swept.seconds * 1_000)}).\n`,
  );
  const busy = collections.filter(
    (one) => one.requeued + one.skippedBackoff + one.died + one.stuck + one.failed > 0,
  );
  if (busy.length > 0) console.write(`${table(busy, columns, console.columns)}\n`);
  const sum = (name: "stuck" | "failed") => collections.reduce((all, one) => all + one[name], 0);
  if (sum("stuck") > 0)
    console.warn(`${showCount(sum("stuck"), "document")} stuck: see where with "headway status".\n`);
  if (sum("failed") > 0)
    console.warn(`${showCount(sum("failed"), "document")} dead: see why with "headway failed list".\n`);
}

const columns: readonly Column<Forgotten["collections"][number]>[] = [
  { title: "COLLECTION", of: ({ collection }) => collection, flexible: true },
  { title: "REQUEUED", of: ({ requeued }) => showNumber(requeued), align: "right" },
  { title: "IN BACKOFF", of: ({ skippedBackoff }) => showNumber(skippedBackoff), align: "right" },
  { title: "PAST LIMIT", of: ({ died }) => showNumber(died), align: "right" },
  { title: "STUCK", of: ({ stuck }) => showNumber(stuck), align: "right" },
  { title: "DEAD", of: ({ failed }) => showNumber(failed), align: "right" },
];
