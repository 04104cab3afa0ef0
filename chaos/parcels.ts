import { virtualClock } from "../engine/src/testing.ts";
import { type ParcelKind, parcels } from "./pipeline.ts";
import { pick, pickMs } from "./storm.ts";

/** The planned fate of a parcel. */
export interface Fate {
  readonly id: string;
  readonly kind: ParcelKind;
  /** Content changes, each as a number of pages later. */
  readonly changes: readonly number[];
  /** Pages until an operator deletes the parcel; null: never. */
  readonly deletedAfter: number | null;
}

const kinds: readonly ParcelKind[] = [
  ...Array<ParcelKind>(70).fill("plain"),
  ...Array<ParcelKind>(6).fill("wide"),
  ...Array<ParcelKind>(8).fill("slow"),
  ...Array<ParcelKind>(8).fill("flaky"),
  ...Array<ParcelKind>(4).fill("torn"),
  ...Array<ParcelKind>(4).fill("poison"),
];

/** The fate of a parcel by number; the same for the same seed. */
export function fateOf(seed: number, number: number): Fate {
  const { random } = virtualClock({ seed: seed * 1_000_003 + number });
  const changing = random() < 0.12;
  const deleted = random() < 0.06;
  return {
    id: `parcel-${String(number).padStart(6, "0")}`,
    kind: pick(kinds, random()),
    changes: changing ? Array.from({ length: pickMs(1, 3, random()) }, () => pickMs(1, 12, random())) : [],
    deletedAfter: deleted ? pickMs(40, 60, random()) : null,
  };
}

const words = ["tide", "harbour", "lantern", "gull", "rope", "anchor", "sail", "moon"];
const hostile = ["nul \u0000 byte", "lone \ud800 surrogate", "'; drop table headway.task; --", "venom"];

/** A parcel in one version. */
export function parcelOf(seed: number, number: number, version: number) {
  const { id, kind } = fateOf(seed, number);
  const { random } = virtualClock({ seed: (seed * 1_000_003 + number) * 31 + version });
  const strange = random() < 0.06 ? ` ${pick(hostile, random())}` : "";
  const text = `${pick(words, random())} ${pick(words, random())} ${number} v${version}${strange}`;
  const slips = kind === "wide" ? pickMs(70, 130, random()) : pickMs(1, 4, random());
  return parcels.document(id, { kind, shelf: `shelf-${Math.floor(number / 12)}`, text, slips });
}
