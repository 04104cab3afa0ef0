import { randomUUID } from "node:crypto";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import type { Channel } from "../../engine/src/dispatch/alert-channel.ts";
import { openOffice } from "../support/post-office.ts";

const lookMs = 5_000;
const hoursMs = 4 * 3_600_000;

/**
 * Deaths of one cause in many commits, then four hours of looks: alerts opened, and messages sent to one recipient. The
 * clock is virtual; engine, database and alerter are real.
 */
export async function measureStorm(
  url: string,
  { deaths, commits }: { readonly deaths: number; readonly commits: number },
): Promise<{ readonly alerts: number; readonly messages: number }> {
  const schema = `storm_${randomUUID().slice(0, 8)}`;
  const database = await openPostgres({ url, schema });
  const kinds: string[] = [];
  const channel: Channel = {
    name: "webhook",
    targets: ["sink"],
    send: async ({ kind }) => void kinds.push(kind),
  };
  try {
    const { engine, bring, clock, operator } = await openOffice(database, { channels: [channel] });
    const each = Math.ceil(deaths / commits);
    const look = async (afterMs: number) => {
      clock.advance(afterMs);
      await engine.worker.alert();
    };
    for (let commit = 0; commit < commits; commit++) {
      const texts = Array.from({ length: each }, (_, at) => `bad ${commit} ${at}`);
      await bring(`box-${commit}`, texts);
      await engine.drain({ advance: false });
      await look(lookMs);
    }
    const alerts = (await operator.listAlerts({ state: "all" })).length;
    const messages = kinds.length;
    // The rest of four hours: one notice more at most, that it is over.
    for (let passed = commits * lookMs; passed < hoursMs; passed += 300_000) await look(300_000);
    return { alerts, messages: Math.max(messages, kinds.filter((kind) => kind !== "resolved").length) };
  } finally {
    await database.script(`drop schema if exists "${schema}" cascade`);
    await database.close();
  }
}
