// says: Type 'number' is not assignable to type 'string'
import { groupStage } from "@headway/engine";
import { invoices, lines } from "./shop.ts";

export default groupStage("invoicing", {
  reads: lines,
  writes: [invoices],
  per: (line) => line.price,
  *run() {},
});
