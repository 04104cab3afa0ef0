import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import {
  batchStage,
  collection,
  groupStage,
  permanent,
  pipeline,
  service,
  stage,
  transient,
} from "../engine/src/index.ts";

export const parcelKinds = ["plain", "wide", "slow", "flaky", "torn", "poison"] as const;
export type ParcelKind = (typeof parcelKinds)[number];

/** The documents of the storm. All results of a parcel follow from the parcel alone. */
export const parcels = collection(
  "parcels",
  z.object({ kind: z.enum(parcelKinds), shelf: z.string(), text: z.string(), slips: z.number() }),
);
export const slips = collection("slips", z.object({ shelf: z.string(), text: z.string() }));
export const copies = collection("copies", z.object({ text: z.string() }));
export const prices = collection("prices", z.object({ price: z.number() }));
export const shelves = collection("shelves", z.object({ slips: z.number(), digest: z.string() }));
/** Documents with the power to kill their worker. */
export const bombs = collection("bombs", z.object({ text: z.string() }));
export const tags = collection("tags", z.object({ text: z.string() }));
export const hooks = collection("hooks", z.object({ text: z.number() }));
export const ashes = collection("ashes", z.object({ text: z.string() }));

/** The far side of the network: prices texts, and misbehaves by schedule. */
export interface Oracle {
  price(text: string, signal: AbortSignal): Promise<number>;
}
export const oracle = service("oracle").as<Oracle>();
/** Facts unknown to documents. Never misbehaves, so the breaker stays shut. */
export interface Luck {
  /** False: this try is to fail. */
  lucky(document: string, signal: AbortSignal): Promise<boolean>;
  /** The torn document has been mended. */
  mended(signal: AbortSignal): Promise<boolean>;
}
export const luck = service("luck").as<Luck>();
/** Ends the process, as the operating system does when memory runs out. */
export const fuse = service("fuse").as<{ blow(): void }>();

/** Kills wear no document out: the engine is tried, not the policy. A storm kills more than a whole year. */
const patient = {
  attempts: 60,
  transient: { initial: "100ms", max: "1s" },
  unknown: { initial: "100ms", max: "1s", attempts: 60 },
  "rate-limited": { initial: "200ms", max: "1s" },
} as const;

const opening = stage("opening", {
  reads: parcels,
  writes: [slips],
  needs: [luck],
  retry: patient,
  announces: { done: "ParcelOpened", failed: "ParcelRefused" },
  async *run(parcel, { luck, signal }) {
    const { id, kind } = parcel;
    if (kind === "poison") throw permanent("parcel.poison", `The parcel "${id}" is poison.`);
    if (kind === "slow") await pause(400 + (hashOf(id) % 1_200), undefined, { signal });
    if (kind === "flaky" && !(await luck.lucky(`${id} ${parcel.text}`, signal)))
      throw transient("parcel.flaky", `The parcel "${id}" has no luck this time.`);
    if (kind === "torn" && !(await luck.mended(signal)))
      throw permanent("parcel.torn", `The parcel "${id}" is torn.`);
    for (let at = 0; at < parcel.slips; at++) {
      // Between the parts of a long document there is time to die.
      if (kind === "wide" && at % 30 === 29) await pause(40, undefined, { signal });
      yield slips.document(`${id}/${at}`, { shelf: parcel.shelf, text: `${parcel.text} ${at}` });
    }
  },
});

const copying = batchStage("copying", {
  reads: slips,
  writes: [copies],
  batch: 20,
  retry: patient,
  async *run(batch) {
    for (const slip of batch) {
      if (slip.text.includes("venom")) throw permanent("slip.venom", "There is venom in the batch.");
      yield [slip, copies.document(slip.id, { text: slip.text.toUpperCase() })] as const;
    }
  },
});

const pricing = stage("pricing", {
  reads: parcels,
  writes: [prices],
  needs: [oracle],
  retry: patient,
  async *run(parcel, { oracle, signal }) {
    yield prices.document(parcel.id, { price: await oracle.price(parcel.text, signal) });
  },
});

/** Two cheap stages in a row, often done in passing, with the commit of the stage before. */
const tagging = stage("tagging", {
  reads: prices,
  writes: [tags],
  retry: patient,
  announces: { done: "Tagged", failed: "TaggingFailed" },
  *run({ id, price }) {
    if (hashOf(id) % 23 === 0) throw permanent("tag.refused", `There is no tag for "${id}".`);
    yield tags.document(id, { text: `${id} for ${price}` });
  },
});
const hanging = stage("hanging", {
  reads: tags,
  writes: [hooks],
  retry: patient,
  announces: { done: "Hung" },
  *run({ id, text }) {
    yield hooks.document(id, { text: text.length });
  },
});

const binding = groupStage("binding", {
  reads: slips,
  writes: [shelves],
  per: (slip) => slip.shelf,
  after: [copying],
  quiet: "300ms",
  retry: patient,
  announces: { done: "ShelfBound" },
  *run({ key, documents }) {
    const lines = documents.map(({ id, text }) => `${id} ${text}`).sort();
    const digest = createHash("sha256").update(lines.join("\n")).digest("hex");
    yield shelves.document(key, { slips: documents.length, digest });
  },
});

const defusing = stage("defusing", {
  reads: bombs,
  writes: [ashes],
  needs: [fuse],
  retry: { attempts: 3, unknown: { initial: "1s", max: "1s" } },
  announces: { failed: "BombBuried" },
  *run(bomb, { fuse }) {
    fuse.blow();
    yield ashes.document(bomb.id, { text: bomb.text });
  },
});

export const shop = pipeline("shop", {
  stages: [opening, copying, pricing, tagging, hanging, binding, defusing],
});

/** Faults of the documents themselves, by stage; all further faults came from outside. */
export const ownFaults: Readonly<Record<string, readonly string[]>> = {
  opening: ["parcel.poison", "parcel.flaky", "parcel.torn", "luck."],
  copying: ["slip.venom"],
  pricing: ["oracle."],
  tagging: ["tag.refused"],
  hanging: [],
  defusing: [],
  binding: [],
};

export const hashOf = (text: string): number => createHash("sha256").update(text).digest().readUInt32BE();
