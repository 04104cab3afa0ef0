import { countRepeatable, repeatEvents } from "../store/outbox.ts";
import { type DryRun, type Operating, perform, record } from "./context.ts";

/** Number of events announced again. */
export interface AnnouncedAgain {
  readonly events: number;
  readonly dryRun: boolean;
}

/** Publishes events once more, for consumers with losses. The ids stay the same, so consumers can dedupe. */
export async function announceAgain(
  context: Operating,
  {
    since,
    type,
    dryRun = false,
    why,
  }: DryRun & { readonly since: Date; readonly type?: string; readonly why?: string },
): Promise<AnnouncedAgain> {
  const filter = { since, type: type ?? null };
  if (dryRun) return { events: await countRepeatable(context.database, filter), dryRun };
  const events = await perform(context, async (tx) => {
    const repeated = await repeatEvents(tx, filter);
    const target = `events since ${since.toISOString()}${type === undefined ? "" : ` of type ${type}`}`;
    if (repeated > 0)
      await record(tx, context, { act: "events.again", target, why, detail: { events: repeated } });
    return repeated;
  });
  return { events, dryRun };
}
