import { setTimeout as pause } from "node:timers/promises";
import { collection, defineApp, permanent, pipeline, service, stage, transient } from "@headway/engine";
import { z } from "zod";

export const orders = collection("orders", z.object({ what: z.string(), ms: z.number() }));
const parcels = collection("parcels", z.object({ what: z.string() }));
const receipts = collection("receipts", z.object({}));
const carrier = service("carrier").as<{ call(): Promise<void> }>();

/** The word of an order says what goes wrong with it. */
const packing = stage("packing", {
  reads: orders,
  writes: [parcels],
  needs: [carrier],
  retry: { transient: { attempts: 1 }, unknown: { attempts: 1 } },
  expects: ({ what }, outputs) => (what === "empty" && outputs.length === 0 ? "an empty box" : undefined),
  announces: { done: "OrderPacked", failed: "PackingFailed" },
  async *run({ id, what, ms }, { carrier }) {
    const [word, detail = "1"] = what.split(" ");
    if (word === "bomb") throw permanent("item.forbidden", "Bombs are not for sale.");
    if (word === "odd") throw permanent(`odd.code-${detail}`, `Oddity in ${detail.replace(/\d/g, "x")}.`);
    if (word === "worn") throw transient("item.worn", "It falls apart.");
    if (word === "carried") await carrier.call();
    if (ms > 0) await pause(ms);
    if (word === "pen") yield parcels.document(id, { what });
  },
});

const shipping = stage("shipping", {
  reads: parcels,
  writes: [receipts],
  async *run({ id }) {
    await pause(20);
    yield receipts.document(id, {});
  },
});

export const shop = pipeline("watched-shop", { stages: [packing, shipping] });

export default defineApp({
  pipelines: [shop],
  // Deliveries that are no such event are set aside.
  receives: [
    {
      type: "OrderPlaced",
      data: { type: "object", required: ["order_id"], properties: { order_id: { type: "string" } } },
      collection: "orders",
      accept: async () => ({ inserted: 0, changed: 0 }),
    },
  ],
  services: () => ({
    carrier: {
      async call() {
        const answer = await fetch(process.env.CARRIER_URL ?? "");
        await answer.body?.cancel();
        if (!answer.ok)
          throw transient(`http.${answer.status}`, "The carrier is closed.", {
            dependency: "carrier",
            outage: true,
          });
      },
    },
  }),
});
