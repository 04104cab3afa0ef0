import { hideCredentials, isUrl } from "@headway/consensus";
import { recordAct } from "@headway/engine/internal";
import type { Database } from "@headway/engine/operate";
import { actorName } from "./desk.ts";
import { oneLine, shorten } from "./terminal.ts";

const targetMax = 200;

/** Records a reading that accepted something; addresses are shown without their credentials. */
export async function recordIngest(
  database: Database,
  act: "ingest" | "manuals.ingest",
  places: readonly string[],
  detail: { readonly accepted: number; readonly unchanged: number; readonly lists?: readonly string[] },
): Promise<void> {
  if (detail.accepted === 0) return;
  const shown = places.map((place) => oneLine(isUrl(place) ? hideCredentials(place) : place));
  const target = shorten(shown.join(" "), targetMax);
  await recordAct({ database, actor: actorName() }, { act, target, detail });
}
