// says: Property 'prices' is missing in type '{}'
import { startEngine } from "@headway/engine";
import { database, shop } from "./shop.ts";

export default () => startEngine({ pipelines: [shop], services: () => ({}), database });
