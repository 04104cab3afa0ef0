// says: declare it by groupStage(): a stage works on batches or on groups
import { batchStage } from "@headway/engine";
import { invoices, lines } from "./shop.ts";

export default batchStage("both", {
  reads: lines,
  writes: [invoices],
  batch: 5,
  per: () => "all",
  *run() {},
});
