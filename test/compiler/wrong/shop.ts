import { collection, pipeline, service, stage } from "@headway/engine";
import { z } from "zod";

/** The right half of every wrong program. */
export const orders = collection("orders", z.object({ items: z.array(z.string()) }));
export const lines = collection("lines", z.object({ order: z.string(), price: z.number() }));
export const invoices = collection("invoices", z.object({ total: z.number() }));

export interface Prices {
  priceOf(item: string): Promise<number>;
}
export const prices = service("prices").as<Prices>();
export const mailer = service("mailer").as<{ send(text: string): Promise<void> }>();

export const pricing = stage("pricing", { reads: orders, writes: [lines], needs: [prices], *run() {} });
export const mailing = stage("mailing", { reads: invoices, writes: [], needs: [mailer], *run() {} });
export const shop = pipeline("shop", { stages: [pricing] });
export const post = pipeline("post", { stages: [mailing] });
export const givenPrices: Prices = { priceOf: async () => 1 };
export const database = { memory: true } as const;
