// says: Type 'string' is not assignable to type 'number'
import { stage } from "@headway/engine";
import { lines, orders } from "./shop.ts";

export default stage("pricing", {
  reads: orders,
  writes: [lines],
  *run(order) {
    yield lines.document(order.id, { order: order.id, price: "1" });
  },
});
