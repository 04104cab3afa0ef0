// says: Property 'mailer' is missing in type
import { startEngine } from "@headway/engine";
import { database, givenPrices, post, shop } from "./shop.ts";

export default () => startEngine({ pipelines: [shop, post], services: { prices: givenPrices }, database });
