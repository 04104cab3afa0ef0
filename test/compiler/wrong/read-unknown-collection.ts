// says: Type '"invoices"' is not assignable to type '"lines"'
import { startEngine } from "@headway/engine";
import { database, givenPrices, invoices, shop } from "./shop.ts";

export default async () => {
  const engine = await startEngine({ pipelines: [shop], services: { prices: givenPrices }, database });
  return await engine.read(invoices, "1");
};
