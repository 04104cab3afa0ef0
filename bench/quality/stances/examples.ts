import { meetPeople } from "../../../pipelines/consensus/src/weigh/people.ts";
import { readPosts } from "../../../pipelines/consensus/src/weigh/read-post.ts";
import type { Paragraph } from "../../../pipelines/consensus/src/weigh/reader/features.ts";
import { paragraphsOf } from "../../../pipelines/consensus/src/weigh/reader/paragraphs.ts";
import { type StanceKind, stanceKinds } from "../../../pipelines/consensus/src/weigh/reader/weights.ts";
import type { LabelledThread } from "./labelled-mail.ts";
import { readStanceLabels } from "./labels.ts";

/** A labelled message; kinds are those of its paragraphs. */
export interface Example {
  readonly list: string;
  readonly message: string;
  readonly kinds: ReadonlySet<StanceKind>;
  readonly paragraphs: readonly { readonly paragraph: Paragraph; readonly is: readonly boolean[] }[];
}

/** The labelled messages with the rules' findings, in the order of the labels. */
export function examplesOf(threads: readonly LabelledThread[]): readonly Example[] {
  const labels = new Map<string, { start: number; end: number; kind: StanceKind }[]>();
  for (const { list, message, readers, ...label } of readStanceLabels()) {
    if (!readers.includes("settled")) continue;
    const key = `${list} ${message}`;
    labels.set(key, [...(labels.get(key) ?? []), label]);
  }
  return threads.flatMap(({ label: { list, messages }, posts }) => {
    const labelled = new Set(messages);
    return readPosts(posts, meetPeople(posts))
      .filter(({ post }) => labelled.has(post.id))
      .map((reading): Example => {
        const own = labels.get(`${list} ${reading.post.id}`) ?? [];
        const paragraphs = paragraphsOf(reading).map(({ span, paragraph }) => ({
          paragraph,
          is: stanceKinds.map((kind) =>
            own.some((label) => label.kind === kind && label.start < span.end && span.start < label.end),
          ),
        }));
        return { list, message: reading.post.id, kinds: new Set(own.map(({ kind }) => kind)), paragraphs };
      });
  });
}
