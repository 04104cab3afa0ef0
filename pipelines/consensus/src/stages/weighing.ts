import { type Duration, groupStage } from "@headway/engine";
import { assessments, positions, threads } from "../collections.ts";
import { positionId } from "../identity.ts";
import { postFields, postsAt } from "../threads/posts.ts";
import { weigh } from "../weigh/weigh.ts";

/** A thread that has been quiet becomes who stands where in it, and what it came to. On any core: reading takes time. */
export const makeWeighing = (quiet: Duration) =>
  groupStage("weighing", {
    reads: threads,
    per: (thread) => thread.id,
    quiet,
    writes: [assessments, positions],
    version: "5",
    looks: {
      posts: {
        of: postFields,
        ids: ({ documents: [thread] }) => thread?.messages.map(({ message }) => message) ?? [],
      },
    },
    isolate: { module: import.meta.url },
    retry: { attempts: 5 },
    *run({ key, documents: [thread] }, { posts }) {
      if (!thread) return;
      const { list, subject } = thread;
      const messages = thread.messages.map(({ message, parent }) => ({ message, parent }));
      const { positions: found, ...outcome } = weigh(postsAt(messages, posts));
      const ids = found.map(({ message, start }) => positionId(key, message, start));
      for (const [index, position] of found.entries()) {
        const { strength: _, supersededBy, ...shown } = position;
        const later = supersededBy === null ? null : (ids[supersededBy] as string);
        yield positions.document(ids[index] as string, { ...shown, list, thread: key, supersededBy: later });
      }
      const salient = [...outcome.decisions, ...outcome.calls, ...found, ...outcome.commitments].map(
        ({ message, start, end, quote }) => ({ message, start, end, quote }),
      );
      yield assessments.document(key, { list, subject, messages, ...outcome, salient });
    },
  });

/** For the isolated process, to which the quiet time means nothing. */
export const weighing = makeWeighing("0s");
