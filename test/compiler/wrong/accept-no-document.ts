// says: 'items' does not exist in type 'DocumentDraft<
import { startEngine } from "@headway/engine";
import { database, givenPrices, shop } from "./shop.ts";

export default async () => {
  const engine = await startEngine({ pipelines: [shop], services: { prices: givenPrices }, database });
  await engine.accept({ items: ["pen"] });
};
