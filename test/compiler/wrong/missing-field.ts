// says: Property 'price' is missing in type '{ order: string; }'
import { stage } from "@headway/engine";
import { lines, orders } from "./shop.ts";

export default stage("pricing", {
  reads: orders,
  writes: [lines],
  *run(order) {
    yield lines.document(order.id, { order: order.id });
  },
});
