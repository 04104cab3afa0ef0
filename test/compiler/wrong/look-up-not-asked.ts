// says: Property 'order' does not exist on type 'Document<Pick<Document<{ order: string; price: number; }>, "price">>'.
import { stage } from "@headway/engine";
import { invoices, lines, orders } from "./shop.ts";

export default stage("summing", {
  reads: orders,
  writes: [invoices],
  looks: { found: { of: lines.only("price"), ids: (order) => order.items } },
  *run(_order, { found }) {
    for (const line of found) yield invoices.document(line.order, { total: line.price });
  },
});
