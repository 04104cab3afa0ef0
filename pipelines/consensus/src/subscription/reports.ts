import { setTimeout as pause } from "node:timers/promises";
import { bringing, type Database, type Engine, type Pipeline } from "@headway/engine";
import { nextRun, openVault } from "@headway/intake";
import { advanceSubscription, dueSubscriptions, type SubscriptionRow } from "../library/subscriptions.ts";
import { makeCourier } from "./courier.ts";
import { editions, makeReportsPipeline } from "./pipeline.ts";
import { makeReporter, readNews } from "./reporter.ts";

/**
 * Reports to subscribers, for `defineApp`, beside `consensus()`; subscriptions are added with
 * `headway subscriptions add`.
 *
 * @example
 * import { consensus, reports } from "@headway/consensus";
 * import { defineApp } from "@headway/engine";
 *
 * export default defineApp({ pipelines: [consensus(), reports()] });
 */
export function reports() {
  return bringing(makeReportsPipeline(), {
    services: ({ database, env, data }) => ({
      reporter: makeReporter(database),
      courier: makeCourier({ database, env, vault: () => openVault({ env, data }), now: () => new Date() }),
    }),
    beside: async (engine, { database }) => startReportClock(engine, database),
  });
}

/** Whether a pipeline of an application was made by `reports()`. */
export const isReports = (pipeline: Pipeline): boolean => pipeline.name === "reports";

/**
 * Makes due reports. Any number of processes may do this at once: id and content of a report's order follow from the
 * subscription and the due time. Without news no report is made, unless an operator asks.
 */
export async function orderReports(
  engine: Pick<Engine, "accept">,
  database: Database,
  now: Date,
): Promise<number> {
  let ordered = 0;
  for (const row of await dueSubscriptions(database, now)) {
    const edition = row.edition + 1;
    const isAsked = row.asked === "operator";
    const isWanted = isAsked || (await readNews(database, row, edition)).news.length > 0;
    if (isWanted) {
      await engine.accept([orderOf(row, edition)], { source: "subscriptions" });
      ordered += 1;
    }
    const at = nextRun(row.spec.schedule, { after: now, jitterMs: 0, random: 0 });
    await advanceSubscription(database, row, { edition: isWanted ? edition : row.edition, at });
  }
  return ordered;
}

const orderOf = ({ name, next_at: dueAt, asked }: SubscriptionRow, edition: number) =>
  editions.document(`${name}/${edition}`, {
    subscription: name,
    edition,
    due: (dueAt ?? new Date(0)).toISOString(),
    asked: asked === "operator" ? "operator" : "schedule",
  });

const lookMs = 1_000;

function startReportClock(engine: Engine, database: Database): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      // A lost database is told by the engine itself; the next turn tries again.
      await orderReports(engine, database, new Date()).catch(() => 0);
      await pause(lookMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
