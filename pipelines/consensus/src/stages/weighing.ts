import { type Duration, groupStage } from "@headway/engine";
import { assessments, positions, threads } from "../collections.ts";
import { positionId, threadDigest } from "../identity.ts";
import { library } from "../services.ts";
import { weigh } from "../weigh/weigh.ts";

/** A thread that has been quiet becomes who stands where in it, and what it came to. */
export const makeWeighing = (quiet: Duration) =>
  groupStage("weighing", {
    reads: threads,
    per: (thread) => thread.id,
    quiet,
    writes: [assessments, positions],
    version: "3",
    needs: [library],
    retry: { attempts: 5 },
    async *run({ key, documents: [thread] }, { library }) {
      if (!thread) return;
      const { list, subject } = thread;
      const { positions: found, ...outcome } = weigh(await library.posts(thread));
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
