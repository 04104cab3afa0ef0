// says: Property 'priceOf' is missing in type '{}' but required in type 'Prices'
import { startEngine } from "@headway/engine";
import { database, shop } from "./shop.ts";

export default () => startEngine({ pipelines: [shop], services: { prices: {} }, database });
