import { collection, groupStage, pipeline, service, stage } from "@headway/engine";
import { z } from "zod";

/** Orders become items, items become labels, and each customer gets a letter with all of them. */
const orders = collection("orders", z.object({ customer: z.string(), items: z.array(z.string()) }));
const items = collection("items", z.object({ customer: z.string(), name: z.string() }));
const labels = collection("labels", z.object({ customer: z.string(), code: z.string() }));
const letters = collection("letters", z.object({ receipt: z.string(), labels: z.array(z.string()) }));

/** Sends letters. Who is told the same key twice has one letter in the post, and gives the same receipt. */
interface Post {
  send(letter: { to: string; text: string }, key: string): Promise<string>;
}
const post = service("post").as<Post>();

const splitting = stage("splitting", {
  reads: orders,
  writes: [items],
  *run(order) {
    for (const [index, name] of order.items.entries())
      yield items.document(`${order.id}/${index}`, { customer: order.customer, name });
  },
});

const labelling = stage("labelling", {
  reads: items,
  writes: [labels],
  *run({ id, customer, name }) {
    yield labels.document(id, { customer, code: `${id}:${name.toUpperCase()}` });
  },
});

const writing = groupStage("writing", {
  reads: labels,
  writes: [letters],
  needs: [post],
  per: (label) => label.customer,
  quiet: "1m",
  async *run({ key: customer, documents }, { post, idempotencyKey }) {
    const codes = documents.map(({ code }) => code);
    const receipt = await post.send({ to: customer, text: codes.join("\n") }, idempotencyKey);
    yield letters.document(customer, { receipt, labels: codes });
  },
});

export const shop = pipeline("shop", { stages: [splitting, labelling, writing] });

/** What `headway drill` runs it with: services made anew for each run, and some documents. */
export function services() {
  const receipts = new Map<string, string>();
  const post: Post = {
    async send({ to }, key) {
      const receipt = receipts.get(key) ?? `${to} ${receipts.size + 1}`;
      receipts.set(key, receipt);
      return receipt;
    },
  };
  return { post };
}

export const documents = [
  orders.document("1001", { customer: "ann", items: ["lamp", "rug"] }),
  orders.document("1002", { customer: "bob", items: ["chair"] }),
  orders.document("1003", { customer: "ann", items: ["desk"] }),
];
