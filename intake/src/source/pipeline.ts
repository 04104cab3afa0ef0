import { collection, type DocumentOf, pipeline, service, stage } from "@headway/engine";
import { z } from "zod";
import { sourceFixes } from "./fixes.ts";

/** One run of a source, owed to the stage `fetching`. */
export const sourceRuns = collection(
  "source_runs",
  z.object({
    source: z.string(),
    run: z.int(),
    /** The moment of the schedule, or of the request. */
    due: z.iso.datetime(),
    asked: z.enum(["schedule", "operator", "change"]),
  }),
);

const note = z.object({ place: z.string(), because: z.string() });

/** The result of a run. */
export const fetches = collection(
  "fetches",
  z.object({
    source: z.string(),
    run: z.int(),
    place: z.string(),
    /** Documents with a new id or new content. */
    new: z.int(),
    unchanged: z.int(),
    /** Files of the source that were refused. */
    refused: z.int(),
    /** Files with damaged parts; the rest was accepted. */
    damaged: z.int(),
    bytes: z.int(),
    /** The source has more files than one run takes; the next run follows at once. */
    more: z.boolean(),
    notes: z.array(note).max(20),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime(),
  }),
);

type FetchResult = DocumentOf<typeof fetches>;

export interface Fetcher {
  fetch(
    run: { readonly source: string; readonly run: number },
    options: { readonly signal: AbortSignal; readonly request: string },
  ): Promise<Fetched>;
}

export type Fetched = Omit<FetchResult, "id" | "source" | "run">;

export const fetcher = service("fetcher").as<Fetcher>();

/**
 * Fetches a run of a source: the reading pipeline accepts the files, and the result is kept. Safe to repeat: a file accepted before is
 * unchanged.
 */
export const fetching = stage("fetching", {
  reads: sourceRuns,
  writes: [fetches],
  needs: [fetcher],
  announces: { done: "SourceFetched", failed: "SourceFailed" },
  retry: {
    transient: { attempts: 4, initial: "5s", max: "2m" },
    unknown: { attempts: 3, initial: "5m", max: "30m" },
    "rate-limited": { attempts: 1_000, initial: "5s", max: "15m", ttl: null },
  },
  timeout: "4h",
  // A host, or a source: never the fetcher as a whole, or a single failing host would hold all sources.
  classify: (thrown) => ({
    dependency: (thrown as { dependency?: string } | null)?.dependency ?? "a source",
  }),
  async *run({ id, source, run }, { fetcher, signal, correlationId }) {
    const request = /^req_([0-9a-f-]{36})/.exec(correlationId)?.[1] ?? "";
    yield fetches.document(id, {
      source,
      run,
      ...(await fetcher.fetch({ source, run }, { signal, request })),
    });
  },
});

export const sourceMigrations = new URL("../../migrations/", import.meta.url);

export const makeSourcesPipeline = () =>
  pipeline("sources", { stages: [fetching], migrations: sourceMigrations, fixes: sourceFixes });
