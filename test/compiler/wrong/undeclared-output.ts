// says: Type '"invoices"' is not assignable to type '"lines"'
import { stage } from "@headway/engine";
import { invoices, lines, orders } from "./shop.ts";

export default stage("pricing", {
  reads: orders,
  writes: [lines],
  *run(order) {
    yield invoices.document(order.id, { total: 1 });
  },
});
