// says: Property 'item' does not exist on type 'Document<{ items: string[]; }>'. Did you mean 'items'?
import { stage } from "@headway/engine";
import { lines, orders } from "./shop.ts";

export default stage("pricing", {
  reads: orders,
  writes: [lines],
  *run(order) {
    yield lines.document(order.item, { order: order.id, price: 1 });
  },
});
