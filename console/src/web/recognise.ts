import { ask, type Page } from "./ask.ts";
import { hasManuals, me, readable } from "./parts/who.ts";
import { entered } from "./session.ts";

/** Asks whose session this is. */
export async function recognise(): Promise<void> {
  try {
    const answer = await ask<Page<"me">>("me");
    me.set(answer.person);
    readable.set(answer.readable);
    hasManuals.set(answer.hasManuals);
    entered.set(true);
  } catch {
    entered.set(false);
  }
}
