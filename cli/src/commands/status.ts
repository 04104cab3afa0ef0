import { type Duration, durationMs, type Pipeline, readConfig } from "@headway/engine";
import { countCores, readSettingsFile } from "@headway/engine/internal";
import type { DependencyRow, StageLine } from "@headway/engine/operate";
import { currentApp } from "../app/current-app.ts";
import { type Desk, withDesk } from "../desk.ts";
import { exitCodes, Refusal } from "../exit-codes.ts";
import { lookRepeatedly, untilInterrupted } from "../poll.ts";
import type { Adding } from "../run.ts";
import { type SharedOptions, sharedFlags } from "../shared-options.ts";
import { showRelative, showSpan, showWhen } from "../show-time.ts";
import { type Column, type Console, oneLine, showCount, showNumber, table } from "../terminal.ts";

export function addStatus({ program, console, end }: Adding): void {
  program
    .command("status")
    .description("Show tasks by stage, and whether the ledger balances")
    .option("--watch", "go on, until Ctrl-C")
    .option("--every <duration>", "with --watch: how often at most", "2s")
    .option("--exact", "count everything now, however long that takes")
    .option("--settled <duration>", "wait until nothing is left to do, at most so long")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway status
  headway status --watch
  headway status --settled 10m && echo over
  headway status --json | jq 'select(.dead > 0) | .stage'

WAITING counts what is due and what is put off; HELD is the part of it that waits for a paused stage or a dependency that
is down, which costs no attempt. RATE is done per second over the last minute. OLDEST is how long the oldest open one has
been owed. A fan-in stage counts groups, every other one documents.
The ledger: accepted = done + waiting + claimed + dead + deleted, at every moment. Beyond some ten thousand documents it is
counted every few minutes and says when; "≈" marks what workers added to DONE since then. --exact counts now.
Exit codes with --settled: 0 nothing is left to do, 1 something still was; dead letters wait for a person and do not count.`,
    )
    .action(async (options) => {
      if (options.settled !== undefined) {
        const last = await awaitSettled(options, durationOf(options.settled, "--settled"));
        show(last, options, console);
        return end(openOf(last.stages) > 0 ? exitCodes.refused : exitCodes.done);
      }
      if (!options.watch)
        return await withDesk(options, async (desk) => show(await look(desk, options), options, console));
      await watch(options, Math.max(100, durationOf(options.every, "--every")), console);
    });
}

interface Look {
  readonly now: Date;
  readonly stages: readonly StageLine[];
  readonly breakers: readonly DependencyRow[];
  readonly workers: number;
  /** Cores that isolated stages of a worker on this machine may use. */
  readonly cores: number;
  /** Deliveries of the broker that are no known event. */
  readonly quarantined: number;
}

async function look({ operator }: Desk, { exact = false }: { exact?: boolean } = {}): Promise<Look> {
  return {
    stages: await operator.status({ exact }),
    breakers: await operator.breakers(),
    workers: (await operator.workers()).filter(({ alive }) => alive).length,
    cores: coresHere(),
    quarantined: (await operator.groupQuarantined()).reduce((all, one) => all + one.deliveries, 0),
    now: operator.now(),
  };
}

function show(seen: Look, { json }: SharedOptions, console: Console): void {
  if (json) writeJson(seen, console);
  else if (seen.stages.length === 0) {
    console.warn('No pipeline has run here yet: read an archive with "headway ingest PATH".\n');
  } else {
    console.write(`${tableOf(seen, console)}\n`);
    for (const hint of hintsOf(seen)) console.warn(`${hint}\n`);
  }
}

const openOf = (stages: readonly StageLine[]): number =>
  stages.reduce((all, line) => all + waitingOf(line) + line.claimed, 0);

/** The last look: nothing is left to do, or the time is over. */
async function awaitSettled(options: SharedOptions, atMostMs: number): Promise<Look> {
  const signal = AbortSignal.timeout(Math.max(1, atMostMs));
  const stop = new AbortController();
  let last: Look | undefined;
  const either = AbortSignal.any([signal, stop.signal]);
  await lookRepeatedly(options, { everyMs: settledLookMs, signal: either }, async (desk) => {
    last = await look(desk);
    if (openOf(last.stages) === 0) stop.abort();
  });
  return last ?? (await withDesk(options, look));
}
const settledLookMs = 500;

function tableOf(seen: Look, console: Console): string {
  const shown = withoutIdle(seen.stages, currentApp().pipelines());
  return [table(shown, columnsAt(seen), console.columns), "", ledgerText(seen, console)].join("\n");
}

/** Stages without those of pipelines that have no document yet, unless no pipeline has any. */
export function withoutIdle(
  stages: readonly StageLine[],
  pipelines: readonly Pick<Pipeline, "stages">[],
): readonly StageLine[] {
  const known = pipelines.map((one) =>
    stages.filter(({ stage }) => one.stages.some(({ name }) => name === stage)),
  );
  // Which pipelines of other applications a stage belongs to is not known here, so such a stage counts for itself.
  const others = stages.filter((line) => !known.flat().includes(line)).map((line) => [line]);
  const idle = [...known, ...others].filter((own) => own.every(isIdle)).flat();
  const rest = stages.filter((line) => !idle.includes(line));
  return rest.length > 0 ? rest : stages;
}

const isIdle = ({ accepted, balanced, paused, shut }: StageLine): boolean =>
  accepted === 0 && balanced && !paused && !shut;

function writeJson({ now, stages, breakers, workers, cores, quarantined }: Look, console: Console): void {
  for (const { recent: _, recent_from: _from, ...stage } of stages) {
    const breaker = breakers.find(({ name }) => name === stage.shut);
    const { code, kind, message } = breaker?.fault ?? {};
    const shown = breaker && {
      since: breaker.since,
      probeAt: breaker.probeAt,
      fault: { code, kind, message },
    };
    console.writeJson({ at: now, ...stage, breaker: shown ?? null, workers, cores, quarantined });
  }
}

async function watch(options: SharedOptions, atLeastMs: number, console: Console): Promise<void> {
  // Without a terminal, every change is a line.
  const redraws = console.live && process.stdout.isTTY === true;
  let last = "";
  let looks = 0;
  await untilInterrupted((signal) =>
    lookRepeatedly(options, { everyMs: atLeastMs, signal }, async (desk) => {
      const seen = await look(desk);
      const text = plainText(seen.stages);
      if (options.json) writeJson(seen, console);
      else if (redraws) console.write(screenText(seen, console, process.stdout.rows));
      else if (text !== last) console.write(`${seen.now.toISOString().slice(11, 19)} ${text}\n`);
      last = text;
      if (!redraws && looks++ === 0) console.warn("Watching; stop with Ctrl-C.\n");
    }),
  );
}

/** The whole screen anew, without a flicker: each line over its old version, and the rest below is cleared. */
function screenText(seen: Look, console: Console, rows = 50): string {
  const lines = [
    ...tableOf(seen, console).split("\n"),
    "",
    ...hintsOf(seen),
    console.colors.dim(`${seen.now.toISOString().slice(0, 19)}Z · ${atWork(seen)} · stop with Ctrl-C`),
  ];
  const fitting = lines.flatMap((line) => line.split("\n")).slice(0, Math.max(4, rows - 1));
  return `\u001b[H${fitting.map((line) => `${line}\u001b[K\n`).join("")}\u001b[J`;
}

/** All stages on one line, without empty stages. */
export const plainText = (stages: readonly StageLine[]): string =>
  stages
    .filter(({ accepted }) => accepted > 0)
    .map((line) => {
      const parts = [
        `${showNumber(line.done)} done`,
        waitingOf(line) > 0 ? `${showNumber(waitingOf(line))} waiting` : "",
        line.claimed > 0 ? `${showNumber(line.claimed)} claimed` : "",
        line.dead > 0 ? `${showNumber(line.dead)} dead` : "",
        line.shut ? `held: ${line.shut}` : "",
        line.balanced ? "" : "does not balance",
      ];
      return `${line.stage} ${parts.filter((part) => part !== "").join(", ")}`;
    })
    .join(" · ") || "nothing accepted yet";

const waitingOf = ({ waiting, later }: StageLine): number => waiting + later;
const count = (value: number): string => (value === 0 ? "·" : showNumber(value));

const columnsAt = ({ now, breakers }: Look): Column<StageLine>[] => [
  { title: "STAGE", of: ({ stage }) => stage },
  { title: "WAITING", of: (line) => count(waitingOf(line)), align: "right" },
  { title: "HELD", of: ({ held }) => count(held), align: "right" },
  { title: "CLAIMED", of: ({ claimed }) => count(claimed), align: "right" },
  { title: "DONE", of: (line) => `${line.doneSince > 0 ? "≈" : ""}${count(line.done)}`, align: "right" },
  { title: "DEAD", of: ({ dead }) => count(dead), align: "right" },
  {
    title: "RATE",
    of: ({ perSecond }) => (perSecond === 0 ? "·" : `${showRate(perSecond)}/s`),
    align: "right",
  },
  {
    title: "OLDEST",
    of: ({ oldest }) => (oldest ? showSpan(now.getTime() - oldest.getTime()) : "·"),
    align: "right",
  },
  {
    title: "ETA",
    // A held stage depends on something else; its past speed predicts nothing.
    of: ({ etaSeconds, shut }) => (etaSeconds === null || shut !== null ? "·" : showSpan(1_000 * etaSeconds)),
    align: "right",
  },
  { title: "NOTE", of: (line) => noteOf(line, breakers, now), flexible: true },
];

export const showRate = (perSecond: number): string =>
  perSecond >= 10 ? showNumber(perSecond) : String(Number(perSecond.toPrecision(2)));

function noteOf(
  { paused, shut, balanced, closed, owing }: StageLine,
  breakers: readonly DependencyRow[],
  now: Date,
): string {
  if (!balanced) return "does not balance";
  if (paused) return `paused by ${paused.by} ${showRelative(paused.at, now)}`;
  const breaker = breakers.find(({ name }) => name === shut);
  if (breaker) return `${breaker.name} is down, next probe ${showRelative(breaker.probeAt, now)}`;
  if (shut) return `held: ${shut}`;
  if (owing > 0) return `new stage: ${showNumber(owing)} still to be queued`;
  return closed > 0 ? `${showNumber(closed)} of the dead settled` : "";
}

const freshMs = 2_000;

/** Over all stages: each document, or group, counts once per stage. */
function ledgerText({ stages, now }: Look, { colors }: Console): string {
  const sum = (of: (line: StageLine["ledger"]) => number) =>
    showNumber(stages.reduce((all, { ledger }) => all + of(ledger), 0));
  const parts = [
    `${sum(({ done }) => done)} done`,
    `${sum(({ waiting, later }) => waiting + later)} waiting`,
    `${sum(({ claimed }) => claimed)} claimed`,
    `${sum(({ dead }) => dead)} dead`,
    `${sum(({ deleted }) => deleted)} deleted`,
  ];
  const off = stages.filter(({ balanced }) => !balanced).map(({ stage }) => stage);
  const mark =
    off.length === 0 ? colors.green("✓ balances") : colors.red(`✗ does not balance at ${off.join(", ")}`);
  const countedMs = Math.min(...stages.map(({ ledger }) => ledger.at.getTime()));
  const age =
    now.getTime() - countedMs > freshMs ? `, counted ${showRelative(new Date(countedMs), now)}` : "";
  return `Ledger: ${sum(({ accepted }) => accepted)} accepted = ${parts.join(" + ")}  ${mark}${age}`;
}

const atWork = ({ workers, cores }: Look): string =>
  `${showCount(workers, "worker")}, ${showCount(cores, "core")} for isolated stages here`;

const coresHere = (): number =>
  countCores(readConfig({}, process.env, readSettingsFile(process.env.HEADWAY_CONFIG)).config.cores).used;

/** Advice with the command to type. */
function hintsOf(seen: Look): string[] {
  const { stages, breakers, workers, quarantined, now } = seen;
  const off = stages.filter(({ balanced }) => !balanced);
  const dead = stages.reduce((all, line) => all + line.dead - line.closed, 0);
  const open = openOf(stages);
  return [
    ...(off.length > 0
      ? ["The books do not balance; find the first broken promise with: headway verify"]
      : []),
    ...stages.flatMap(({ stage, paused }) =>
      paused
        ? [
            `${stage} is paused${paused.reason ? ` (${oneLine(paused.reason)})` : ""}; go on with: headway resume ${stage}`,
          ]
        : [],
    ),
    ...breakers.map(
      ({ name, since, probeAt, fault }) =>
        `${name} is down since ${showWhen(since, now)}${
          fault
            ? `: ${oneLine(fault.message)
                .slice(0, 120)
                .replace(/[.;,]{1,20}$/, "")}`
            : ""
        }; ` + `it is tried again ${showRelative(probeAt, now)}.`,
    ),
    ...(dead > 0
      ? [`${showCount(dead, "dead letter waits", "dead letters wait")} for a person: headway failed list`]
      : []),
    ...stages.flatMap(({ stage, unexpected }) =>
      unexpected > 0
        ? [`${stage} has ${showCount(unexpected, "unexpected result")}: headway unexpected --stage ${stage}`]
        : [],
    ),
    ...(quarantined > 0
      ? [
          `${showCount(quarantined, "delivery", "deliveries")} of the broker ${quarantined === 1 ? "is" : "are"} in quarantine: headway failed list --quarantine`,
        ]
      : []),
    ...(workers > 0 && open > 0 ? [`At work: ${atWork(seen)} (HEADWAY_CORES).`] : []),
    ...(workers === 0 && open > 0 ? ["Nobody works on what waits; start with: headway up"] : []),
  ];
}

function durationOf(text: string, flag: string): number {
  try {
    return durationMs(text as Duration);
  } catch {
    throw new Refusal(`${flag} is "${text}"; expected a duration such as 2s or 10m.`, exitCodes.usage);
  }
}
