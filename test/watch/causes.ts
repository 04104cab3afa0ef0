import { spawn } from "node:child_process";
import { join } from "node:path";
import { repo } from "../../tools/source.ts";
import { type WatchedWorld, waitFor } from "./world.ts";

/** A part of the proof: a fault of the world, and the rules for the fault. */
export interface Cause {
  readonly title: string;
  readonly rules: readonly string[];
  bring(world: WatchedWorld): Promise<void>;
  /** Ends the cause; without it, `repair` does. */
  mend?(world: WatchedWorld): Promise<void>;
}

const times = (count: number, what: (at: number) => string): string[] =>
  Array.from({ length: count }, (_, at) => what(at));

/** More than the largest threshold of the rules. */
const many = 1_050;

async function breakASweep({ headway, sql, stack }: WatchedWorld): Promise<void> {
  const sweep = ["sweep", "--once", "--pushgateway", stack.gateway];
  await sql(`
    create function public.no_sweep() returns trigger language plpgsql as $$ begin raise 'the disk is full'; end $$;
    create trigger no_sweep before delete on headway.alert_queue for each statement execute function public.no_sweep()`);
  await headway(sweep);
  await sql("drop trigger no_sweep on headway.alert_queue; drop function public.no_sweep()");
  // The totals stay, only the outcome of the run is pushed.
  await headway(sweep, { HEADWAY_DATABASE_URL: "postgres://nobody@127.0.0.1:9/none" });
}

async function killWorkers({ directUrl, folder }: WatchedWorld): Promise<void> {
  const words = ["--conditions=@headway/source", "--import", "tsx", "test/watch/many-workers.ts"];
  const env = { PATH: process.env.PATH ?? "", HEADWAY_DATA: join(folder, "doomed") };
  const child = spawn(process.execPath, [...words, directUrl, "8"], {
    cwd: repo,
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  for await (const text of child.stderr) if (String(text).includes("all there")) break;
  child.kill("SIGKILL");
}

export const causes: readonly Cause[] = [
  {
    title: "documents die, wait without a worker, get stuck; sweeps fail; workers are killed",
    rules: [
      "HeadwayDeadLetters",
      "HeadwayDeathRatio",
      "HeadwayMaxRetriesExceeded",
      "HeadwayFailedAccumulating",
      "HeadwayFailedEmergency",
      "HeadwayStuckDocuments",
      "HeadwayStuckEmergency",
      "HeadwayStuckForAWeek",
      "HeadwayBacklogOld",
      "HeadwayNoProgress",
      "HeadwayNoWorker",
      "HeadwayFolded",
      "HeadwayLedgerUnbalanced",
      "HeadwayQuarantine",
      "HeadwayAlertsUnsent",
      "HeadwayRetryJobFailed",
      "HeadwayRetryJobUnable",
      "HeadwayRetryJobMissing",
      "HeadwayWorkersDying",
      "HeadwaySlow",
      "HeadwayUnexpectedResults",
    ],
    async bring(world) {
      const { sink, bring, sql, headway, stack } = world;
      sink.state.refuses = true;
      await bring(times(many, () => "pen"));
      await bring([
        ...times(many, () => "bomb"),
        ...times(30, () => "worn"),
        ...times(260, (at) => `odd ${at}`),
      ]);
      await waitFor("packing has ended", async () => {
        const [row] = await sql<{ open: number }>(
          "select count(*)::int as open from headway.task t join headway.stage s on s.id = t.stage where s.name = 'packing'",
        );
        return (row?.open ?? 1) <= 16;
      });
      // Eight days pass for the parcels.
      await sql(
        "update headway.task set owed_at = owed_at - interval '8 days' where owed_at > now() - interval '1 day'",
      );
      await headway(["sweep", "--once", "--pushgateway", stack.gateway]);
      await world.sendGarbage();
      await world.bringNamed("box", "empty");
      await Promise.all([breakASweep(world), killWorkers(world)]);
      // A row is lost; the next sweep owes the task again.
      await sql("delete from headway.done where subject = (select min(subject) from headway.done)");
    },
    async mend({ sink }) {
      sink.state.refuses = false;
    },
  },
  {
    title: "the carrier is down, and the broker is out of reach",
    rules: ["HeadwayOutage", "HeadwayOutboxOld"],
    async bring({ sink, broker, bring }) {
      sink.state.carrierDown = true;
      broker.cut();
      await bring(times(40, () => "carried"));
    },
    async mend({ sink, broker }) {
      sink.state.carrierDown = false;
      broker.mend();
    },
  },
  {
    title: "the database is out of reach",
    rules: ["HeadwayDatabaseAway", "HeadwayReadingOld"],
    bring: async ({ database }) => database.cut(),
    mend: async ({ database }) => database.mend(),
  },
  {
    title: "parcels are shipped late",
    rules: ["HeadwayFreshness", "HeadwayFreshnessSlow"],
    bring: ({ start }) => start("shipping"),
  },
];

/** Repairs by people: dead letters and deliveries are closed, sweeps succeed, a worker with too many codes restarts. */
export async function repair(world: WatchedWorld): Promise<void> {
  const { headway, sql, stack, stop, start } = world;
  await world.bringNamed("box", "pen");
  await waitFor("parcels are shipped", async () => {
    const [row] = await sql<{ open: number }>("select count(*)::int as open from headway.task");
    return (row?.open ?? 1) <= 16;
  });
  await headway(["failed", "resolve", "--all", "--why", "the proof is over"]);
  await headway(["failed", "purge", "--quarantine", "--all", "--yes", "--why", "the proof is over"]);
  await stop("packing");
  await start("packing");
  await headway(["sweep", "--once", "--pushgateway", stack.gateway]);
}
