import { randomUUID } from "node:crypto";
import { collection, pipeline, service, stage } from "@headway/engine";
import { z } from "zod";

/** The shop of orders.ts as one writes it in a hurry. `headway drill` finds all three mistakes. */
const orders = collection("orders", z.object({ customer: z.string(), items: z.array(z.string()) }));
const items = collection("items", z.object({ customer: z.string(), name: z.string() }));
const stamps = collection("stamps", z.object({ at: z.number() }));
const letters = collection("letters", z.object({ to: z.string() }));

interface Post {
  send(letter: { to: string; text: string }): Promise<void>;
}
const post = service("post").as<Post>();

/** An id by chance: made again, it is another document. */
const splitting = stage("splitting", {
  reads: orders,
  writes: [items],
  *run({ customer, items: names }) {
    for (const name of names) yield items.document(randomUUID(), { customer, name });
  },
});

/** The time is no part of the order: made again, it is another stamp. */
const stamping = stage("stamping", {
  reads: orders,
  writes: [stamps],
  *run(order) {
    yield stamps.document(order.id, { at: Date.now() });
  },
});

/** Without a key, who is killed after sending sends again. */
const writing = stage("writing", {
  reads: orders,
  writes: [letters],
  needs: [post],
  async *run(order, { post }) {
    await post.send({ to: order.customer, text: order.items.join("\n") });
    yield letters.document(order.id, { to: order.customer });
  },
});

export const shop = pipeline("shop", { stages: [splitting, stamping, writing] });

export const services = () => ({ post: { send: async () => undefined } });

export const documents = [
  orders.document("1001", { customer: "ann", items: ["lamp", "rug"] }),
  orders.document("1002", { customer: "bob", items: ["chair"] }),
];
