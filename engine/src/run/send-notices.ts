import { plainNotice } from "../decide/alert-text.ts";
import { maskText } from "../decide/mask.ts";
import type { Emit } from "../decide/signal.ts";
import { type Channel, Undelivered } from "../dispatch/alert-channel.ts";
import { addDeliveries, type DeliveryRow, markFailed, markSent, takeDeliveries } from "../store/alerts.ts";
import type { Database } from "../store/database.ts";
import { addMs, type Clock } from "./clock.ts";

export interface SenderParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly emit: Emit;
  readonly channels: readonly Channel[];
}

const batch = 20;
const patienceMs = 10_000;
const attemptsMax = 12;

/**
 * Sends due notices. A crash between sending and marking sends the notice once more, recognisably the same: the id
 * does not change.
 */
export async function sendNotices(parts: SenderParts): Promise<number> {
  const { db, clock, channels } = parts;
  if (channels.length === 0) return 0;
  const names = channels.map(({ name }) => name);
  const due = await takeDeliveries(db, { channels: names, now: clock.now(), limit: batch });
  const sent = await Promise.all(due.map((delivery) => sendOne(parts, delivery)));
  return sent.filter(Boolean).length;
}

async function sendOne(parts: SenderParts, delivery: DeliveryRow): Promise<boolean> {
  const { db, clock, emit, channels } = parts;
  const { id, channel: name, target, body } = delivery;
  const told = { kind: "alert.delivery", channel: name, notice: body.id } as const;
  const patience = new AbortController();
  const late = clock.after(patienceMs, () => patience.abort());
  try {
    const moment = { now: clock.now(), signal: patience.signal };
    await channels.find((one) => one.name === name)?.send(body, target, moment);
  } catch (error) {
    const fault = maskText(error instanceof Error ? error.message : String(error), 200);
    const { final = false, retryAfterMs = 0 } = error instanceof Undelivered ? error : {};
    const givesUp = final || delivery.attempts >= attemptsMax;
    const now = clock.now();
    const dueAt = retryAfterMs > 0 ? addMs(now, retryAfterMs) : null;
    await markFailed(db, id, { fault, dueAt, givenUpAt: givesUp ? now : null });
    emit({ ...told, outcome: givesUp ? "given_up" : "failed", problem: fault });
    if (givesUp) await tellOthers(parts, delivery);
    return false;
  } finally {
    late();
  }
  await markSent(db, id, clock.now());
  emit({ ...told, outcome: "sent", problem: null });
  return true;
}

/** A channel that takes nothing is itself worth a notice: once a day, to all other channels. */
async function tellOthers(
  { db, clock, channels }: SenderParts,
  { channel, body }: DeliveryRow,
): Promise<void> {
  if (body.rule === "undelivered") return;
  const now = clock.now();
  const others = channels
    .filter(({ name }) => name !== channel)
    .flatMap(({ name, targets }) => targets.map((target) => ({ channel: name, target })));
  if (others.length === 0) return;
  const notice = plainNotice({
    id: `undelivered-${channel}-${now.toISOString().slice(0, 10)}`,
    kind: "digest",
    subject: `[critical] alerts cannot be delivered by ${channel}`,
    text: `The channel ${channel} took none of the attempts to send ${body.id}.\nTo do     headway alerts test\n`,
    count: 1,
    now,
  });
  await addDeliveries(db, { ...notice, severity: "critical", rule: "undelivered" }, others, {
    alert: null,
    now,
  });
}
