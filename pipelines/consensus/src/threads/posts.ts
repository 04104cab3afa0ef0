import type { DocumentOf } from "@headway/engine";
import { messages } from "../collections.ts";

type Message = DocumentOf<typeof messages>;

/** The fields of a message that stages of its thread read: a further copy of a message changes none of them. */
export const postFields = messages.only("from", "date", "subject", "clean");

/** A message as seen by the stages of its thread. */
export type Post = Pick<Message, "id" | "from" | "date" | "subject" | "clean"> & {
  readonly parent: string | null;
};

/** The messages of a thread, in its order; `found` holds a message for each place. */
export const postsAt = (
  places: readonly { readonly message: string; readonly parent: string | null }[],
  found: readonly Omit<Post, "parent">[],
): Post[] => places.map(({ parent }, at) => ({ ...(found[at] as Omit<Post, "parent">), parent }));
