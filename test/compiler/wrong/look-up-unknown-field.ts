// says: Argument of type '"cents"' is not assignable to parameter of type '"order" | "price"'.
import { stage } from "@headway/engine";
import { invoices, lines, orders } from "./shop.ts";

export default stage("summing", {
  reads: orders,
  writes: [invoices],
  looks: { found: { of: lines.only("cents"), ids: (order) => order.items } },
  *run(order, { found }) {
    yield invoices.document(order.id, { total: found.length });
  },
});
