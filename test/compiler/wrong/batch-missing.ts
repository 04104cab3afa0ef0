// says: Property 'batch' is missing
import { batchStage } from "@headway/engine";
import { lines, orders } from "./shop.ts";

export default batchStage("pricing", { reads: orders, writes: [lines], *run() {} });
