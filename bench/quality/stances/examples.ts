import { meetPeople } from "../../../pipelines/consensus/src/weigh/people.ts";
import { readPosts } from "../../../pipelines/consensus/src/weigh/read-post.ts";
import type { Paragraph } from "../../../pipelines/consensus/src/weigh/reader/features.ts";
import { paragraphsOf } from "../../../pipelines/consensus/src/weigh/reader/paragraphs.ts";
import { type StanceKind, stanceKinds } from "../../../pipelines/consensus/src/weigh/reader/weights.ts";
import type { LabelledThread } from "./labelled-mail.ts";
import { readStanceLabels, type StanceLabel } from "./labels.ts";

/** A labelled message; kinds are those of its paragraphs. */
export interface Example {
  readonly list: string;
  readonly message: string;
  readonly kinds: ReadonlySet<StanceKind>;
  /** Sides taken by an answer to the message with the question; null for any other message. */
  readonly answers: ReadonlySet<string> | null;
  readonly paragraphs: readonly { readonly paragraph: Paragraph; readonly is: readonly boolean[] }[];
}

type Label = Pick<StanceLabel, "start" | "end" | "kind" | "question" | "side">;

/** The labelled messages with the rules' findings, in the order of the labels. */
export function examplesOf(threads: readonly LabelledThread[]): readonly Example[] {
  const labels = new Map<string, Label[]>();
  for (const { list, message, readers, ...label } of readStanceLabels()) {
    if (!readers.includes("settled")) continue;
    const key = `${list} ${message}`;
    labels.set(key, [...(labels.get(key) ?? []), label]);
  }
  return threads.flatMap(({ label: { list, messages, questions }, posts }) => {
    const asked = new Set(questions.map(({ message }) => message));
    const labelled = new Set(messages);
    return readPosts(posts, meetPeople(posts), () => null)
      .filter(({ post }) => labelled.has(post.id))
      .map((reading): Example => {
        const own = labels.get(`${list} ${reading.post.id}`) ?? [];
        const paragraphs = paragraphsOf(reading).map(({ span, paragraph }) => ({
          paragraph,
          is: stanceKinds.map((kind) =>
            own.some((label) => label.kind === kind && label.start < span.end && span.start < label.end),
          ),
        }));
        const { id, parent } = reading.post;
        const sides = own.flatMap(({ question, side }) => (question && side !== null ? [side] : []));
        const answers = parent !== null && asked.has(parent) ? new Set(sides) : null;
        return { list, message: id, kinds: new Set(own.map(({ kind }) => kind)), answers, paragraphs };
      });
  });
}
