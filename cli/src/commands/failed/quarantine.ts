import type { OptionValues } from "@commander-js/extra-typings";
import type { QuarantinedFilter, QuarantineRow } from "@headway/engine/operate";
import { Refusal } from "../../exit-codes.ts";
import { showCount, showNumber } from "../../terminal.ts";
import { isDelivery, parseAge, type Selecting, type SelectOptions } from "./select.ts";

/** Options for selecting deliveries in quarantine. */
export type QuarantineOptions = {
  readonly quarantine?: boolean;
  readonly reason?: string;
};

export function addQuarantine<Options extends OptionValues>(
  command: Selecting<Options>,
): Selecting<Options & QuarantineOptions> {
  const choosing = command
    .option("--quarantine", "deliveries of the broker that are no events (q12), instead of dead letters")
    .option("--reason <reason>", "only those set aside for this reason, such as not-json");
  return choosing as unknown as Selecting<Options & QuarantineOptions>;
}

/** Null: dead letters. A word is a queue, `q12` a delivery. */
export function quarantinedOf(
  which: readonly string[],
  options: SelectOptions & QuarantineOptions,
): QuarantinedFilter | null {
  const ids = which.filter(isDelivery).map((word) => Number(word.slice(1)));
  if (!options.quarantine && options.reason === undefined && ids.length === 0) return null;
  const words = which.filter((word) => !isDelivery(word));
  const [queue] = words;
  if (ids.length > 0 && queue !== undefined)
    throw new Refusal(`"${which.find(isDelivery)}" is a delivery and "${queue}" is none: say one kind.`, 2);
  if (words.length > 1) throw new Refusal(`"${words.join('" and "')}" are two queues: say one at a time.`, 2);
  refuseForeign(options);
  const { reason, olderThan, newerThan } = options;
  return {
    ...(ids.length > 0 && { ids }),
    ...(queue !== undefined && { queue }),
    ...(reason !== undefined && { reason }),
    ...(olderThan !== undefined && { olderThan: parseAge(olderThan, "--older-than") }),
    ...(newerThan !== undefined && { newerThan: parseAge(newerThan, "--newer-than") }),
  };
}

function refuseForeign({ code, fingerprint, document, state = "open" }: SelectOptions): void {
  const given = { code, fingerprint, document, state: state === "open" ? undefined : state };
  const foreign = Object.entries(given).find(([, value]) => value !== undefined)?.[0];
  if (foreign !== undefined)
    throw new Refusal(
      `--${foreign} is about dead letters, not about deliveries in quarantine: leave it out.`,
      2,
    );
}

/** With the id in the form accepted by other commands. */
export const withName = <Row extends { readonly id: number }>({ id, ...row }: Row) => ({
  id: nameOf({ id }),
  ...row,
});
export const nameOf = ({ id }: Pick<QuarantineRow, "id">): string => `q${id}`;

/** "12 deliveries (not-json 10, bad-data 2)". */
export function showDeliveries(deliveries: number, reasons: Readonly<Record<string, number>>): string {
  const parts = Object.entries(reasons).map(([reason, some]) => `${reason} ${showNumber(some)}`);
  return `${showCount(deliveries, "delivery", "deliveries")}${parts.length > 0 ? ` (${parts.join(", ")})` : ""}`;
}
