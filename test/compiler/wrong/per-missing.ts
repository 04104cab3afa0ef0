// says: Property 'per' is missing
import { groupStage } from "@headway/engine";
import { invoices, lines } from "./shop.ts";

export default groupStage("invoicing", { reads: lines, writes: [invoices], *run() {} });
