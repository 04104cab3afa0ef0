// says: Property 'prices' does not exist on type
import { stage } from "@headway/engine";
import { lines, orders } from "./shop.ts";

export default stage("pricing", {
  reads: orders,
  writes: [lines],
  async *run(order, { prices }) {
    yield lines.document(order.id, { order: order.id, price: await prices.priceOf("pen") });
  },
});
