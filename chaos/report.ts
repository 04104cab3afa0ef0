import type { Chaos, ChaosOptions } from "./run.ts";
import { brokerStrikes, strikeKinds } from "./storm.ts";

/** The report for people. */
export function report(chaos: Chaos, { seed, minutes, broken }: ChaosOptions): string {
  const { ledger, recovery, log, settledMs } = chaos;
  const lines = [
    "",
    `Seed ${seed}, ${minutes} minutes${broken ? `, an engine broken on purpose: ${broken}` : ""}.`,
    "",
    "Ledger",
    row("attempted", ledger.attempted, "documents that somebody tried to hand in"),
    row("acknowledged", ledger.acknowledged, "of which the engine said that it has them"),
    row("ok", ledger.ok, "acknowledged and there, or deleted and gone"),
    row("lost", chaos.lost, "acknowledged and not there, or something that should follow from them is not"),
    row(
      "doubled effects",
      chaos.doubled,
      "there or recorded once too often, or by somebody who had no right to",
    ),
    row("recovered", ledger.recovered, "never acknowledged, and there"),
    row("unexpected", ledger.unexpected.length, "there, though nobody handed them in"),
    row("dead", chaos.dead, "dead letters, each with its reason"),
    "",
    "Strikes",
    ...[...chaos.situations].map(([what, times]) => row(what, times, aboutOf(what))),
    "",
    "Killed",
    ...[...chaos.killsBy].sort((a, b) => b[1] - a[1]).map(([how, times]) => row(how, times, "")),
    "",
    "Failed attempts",
    ...chaos.faults.map(({ stage, code, kind, count }) => row(`${stage} ${code}`, count, kind)),
    "",
    `${chaos.kills} kills, of which ${recovery.kills} had something in hand; next attempt of it after`,
    `  ${recovery.p50} ms (median), ${recovery.p99} ms (99 %), ${recovery.max} ms (longest).`,
    `  The others had given them up after ${recovery.evicted.p50} ms, ${recovery.evicted.p99} ms, ${recovery.evicted.max} ms.`,
    `  Those that are tried alone, because more than one worker died of them or beside them: ${recovery.suspects.p50} ms, ${recovery.suspects.p99} ms, ${recovery.suspects.max} ms.`,
    ...recovery.slowest.map(
      ({ session, stage, ms, givenUpMs }) =>
        `  ${ms} ms until ${stage}, given up after ${givenUpMs} ms: ${describeDeath(chaos, session)}`,
    ),
    `${log.zombies} zombies, ${log.databaseRestarts} database restarts, ${log.brokerRestarts} broker restarts.`,
    settledMs === null
      ? "It did not settle."
      : `Everything was settled ${(settledMs / 1_000).toFixed(1)} s after the storm.`,
    ...chaos.missing.map((what) => `NEVER MET: ${what}`),
    ...describeBroken(chaos.violations),
    ...(chaos.story.length > 0
      ? ["", "The story of the first of them:", ...chaos.story.map((line) => `  ${line}`)]
      : []),
  ];
  return lines.join("\n");
}

function describeDeath({ deaths, log }: Chaos, session: string): string {
  const death = deaths.find((one) => one.name === session);
  if (!death) return session;
  const meanwhile = log.struck.filter(({ at }) => at > death.at - 6_000 && at < death.at + 6_000);
  const kinds = [...new Set(meanwhile.map((one) => one.kind))].filter((kind) => !kind.startsWith("kill"));
  return `${session}, killed ${death.how}; around it: ${kinds.join(", ") || "nothing else"}`;
}

const shownMax = 6;

function describeBroken(violations: Chaos["violations"]): string[] {
  return [...new Set(violations.map((one) => one.promise))].flatMap((promise) => {
    const stories = violations.filter((one) => one.promise === promise).map((one) => `  ${one.story}`);
    const more = stories.length - shownMax;
    return [`BROKEN: ${promise}`, ...stories.slice(0, shownMax), ...(more > 0 ? [`  and ${more} more`] : [])];
  });
}

const row = (what: string, count: number, about: string) =>
  `  ${String(count).padStart(7)}  ${what}${about ? ` (${about})` : ""}`;

const aboutOf = (what: string): string =>
  (({ ...strikeKinds, ...brokerStrikes }) as Record<string, { about: string }>)[what]?.about ?? "";

/** The last line, for machines. */
export function summarise(chaos: Chaos, { seed }: ChaosOptions): string {
  const { log, recovery } = chaos;
  return JSON.stringify({
    seed,
    documents: chaos.ledger.acknowledged,
    kills: chaos.kills,
    zombies: log.zombies,
    databaseRestarts: log.databaseRestarts,
    brokerRestarts: log.brokerRestarts,
    lost: chaos.lost,
    doubled: chaos.doubled,
    orphans: chaos.orphans,
    violations: chaos.violations.length + chaos.missing.length,
    recoveryMs: { p50: recovery.p50, p99: recovery.p99, max: recovery.max },
    // Part before the eviction of the killed worker, which freed its tasks.
    givenUpMs: recovery.evicted,
    // Not in the first: tasks with several dead workers, which run alone, one after another.
    suspectsMs: recovery.suspects,
  });
}
