// says: is not assignable to type 'Yields<
import { stage } from "@headway/engine";
import { lines, orders } from "./shop.ts";

export default stage("pricing", {
  reads: orders,
  writes: [lines],
  async run(order) {
    return [lines.document(order.id, { order: order.id, price: 1 })];
  },
});
