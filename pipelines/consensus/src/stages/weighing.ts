import { type DocumentOf, type Duration, groupStage } from "@headway/engine";
import { assessments, positions, threads } from "../collections.ts";
import { positionId, threadDigest } from "../identity.ts";
import type { Post } from "../library/library.ts";
import { library } from "../services.ts";
import { weigh } from "../weigh/weigh.ts";

type Threads = { readonly documents: readonly DocumentOf<typeof threads>[] };

/** A thread that has been quiet becomes who stands where in it, and what it came to. On any core: reading takes time. */
export const makeWeighing = (quiet: Duration) =>
  groupStage("weighing", {
    reads: threads,
    per: (thread) => thread.id,
    quiet,
    writes: [assessments, positions],
    version: "4",
    needs: [library],
    isolate: {
      module: import.meta.url,
      lend: async ({ documents: [thread] }: Threads, { library }) => (thread ? library.posts(thread) : []),
    },
    retry: { attempts: 5 },
    *run({ key, documents: [thread] }, { lent }) {
      if (!thread) return;
      const { list, subject } = thread;
      const { positions: found, ...outcome } = weigh(lent as readonly Post[]);
      const ids = found.map(({ message, start }) => positionId(key, message, start));
      for (const [index, position] of found.entries()) {
        const { strength: _, supersededBy, ...shown } = position;
        const later = supersededBy === null ? null : (ids[supersededBy] as string);
        yield positions.document(ids[index] as string, { ...shown, list, thread: key, supersededBy: later });
      }
      const salient = [...outcome.decisions, ...outcome.calls, ...found].map(
        ({ message, start, end, quote }) => ({ message, start, end, quote }),
      );
      yield assessments.document(key, { list, subject, digest: threadDigest(thread), ...outcome, salient });
    },
  });

/** For the isolated process, to which the quiet time means nothing. */
export const weighing = makeWeighing("0s");
