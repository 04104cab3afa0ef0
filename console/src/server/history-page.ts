import type { PageContext } from "./page-context.ts";
import { given, type Query } from "./page-query.ts";

const spanMs = 24 * 3_600_000;
const everyMs = 15 * 60_000;
const marksMax = 40;

/** Levels of the last 24 hours, a quarter of an hour apart, and the acts and alerts in between. */
export async function history({ operator }: PageContext, query: Query) {
  const at = operator.now();
  const since = new Date(at.getTime() - spanMs);
  const readings = await operator.readings(given({ stage: query.text("stage"), since, everyMs }));
  const moments = new Map<number, typeof readings>();
  for (const one of readings) {
    const span = Math.floor(one.at.getTime() / everyMs);
    moments.set(span, [...(moments.get(span) ?? []), one]);
  }
  return {
    at,
    since,
    points: [...moments].map(([span, lines]) => ({
      at: new Date(span * everyMs),
      stages: lines.map(({ stage, waiting, later, claimed, done, dead, closed, progress }) => ({
        stage,
        open: waiting + later + claimed,
        done,
        dead: dead - closed,
        progress,
      })),
    })),
    marks: await marksSince(operator, since),
  };
}

/** Changes by people and alerts, the oldest first. */
async function marksSince(operator: PageContext["operator"], since: Date) {
  const acts = await operator.audit({ since, limit: marksMax });
  const alerts = (await operator.listAlerts({ state: "all", limit: marksMax })).filter(
    (one) => one.openedAt >= since,
  );
  return [
    ...acts
      .filter(({ act }) => act.startsWith("stage.") || act.startsWith("policy."))
      .map(({ id, at, act, target, actor }) => ({
        at,
        text: `${act} ${target} by ${actor}`.slice(0, 200),
        href: `/acts/${id}`,
      })),
    ...alerts.map(({ id, openedAt, rule, key }) => ({
      at: openedAt,
      text: `alert ${rule} ${key}`.slice(0, 200),
      href: `/alerts/${id}`,
    })),
  ].sort((a, b) => a.at.getTime() - b.at.getTime());
}
