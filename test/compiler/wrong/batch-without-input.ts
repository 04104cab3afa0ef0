// says: is not assignable to type 'readonly [input: Document<
import { batchStage } from "@headway/engine";
import { lines, orders } from "./shop.ts";

export default batchStage("pricing", {
  reads: orders,
  writes: [lines],
  batch: 10,
  *run(batch) {
    for (const order of batch) yield lines.document(order.id, { order: order.id, price: 1 });
  },
});
