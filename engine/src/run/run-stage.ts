import type { Collection, DocumentDraft, DocumentOf } from "../define/collection.ts";
import type { Service, ServicesOf } from "../define/service.ts";
import type { JsonObject, Stage } from "../define/stage.ts";
import { runHere } from "./run-here.ts";

/** Parts of the context that a test sets. */
export interface RunStageOptions {
  readonly signal?: AbortSignal;
  readonly attempt?: number;
  readonly config?: JsonObject;
  /** The documents of each look-up, by its name; for a batch a map by the input's id. */
  readonly looks?: Readonly<Record<string, unknown>>;
}

/**
 * Runs a stage once, without an engine or a database, and returns what it yields: `await runStage(parsing, archive,
 * services)`. What is yielded is checked against its collection, as the engine would.
 *
 * @example
 * import { collection, stage } from "@headway/engine";
 * import { aDocument, runStage } from "@headway/engine/testing";
 * import { z } from "zod";
 *
 * const texts = collection("texts", z.object({ text: z.string() }));
 * const counts = collection("counts", z.object({ words: z.number() }));
 * const counting = stage("counting", {
 *   reads: texts,
 *   writes: [counts],
 *   *run({ id, text }) {
 *     yield counts.document(id, { words: text.split(" ").length });
 *   },
 * });
 *
 * export const yielded = () => runStage(counting, aDocument(texts, { text: "to be" }), {});
 */
export async function runStage<Needs extends readonly Service[]>(
  stage: Stage<Needs>,
  input: unknown,
  services: ServicesOf<Needs>,
  options: RunStageOptions = {},
): Promise<DocumentDraft[]> {
  const context = {
    signal: options.signal ?? new AbortController().signal,
    config: { ...stage.config, ...options.config },
    attempt: options.attempt ?? 1,
    idempotencyKey: `${stage.name}/test`,
    correlationId: `req_00000000-0000-4000-8000-000000000000.stage_${stage.name}.retry_0`,
    traceparent: "00-00000000000040008000000000000000-0000000000000001-01",
    ...services,
    ...options.looks,
  };
  const drafts: DocumentDraft[] = [];
  for await (const yielded of runHere(stage as Stage, input, context)) {
    const draft = (stage.shape === "batch" ? (yielded as readonly unknown[])[1] : yielded) as
      | DocumentDraft
      | undefined;
    if (draft) drafts.push(await checked(stage as Stage, draft));
  }
  return drafts;
}

async function checked(stage: Stage, draft: DocumentDraft): Promise<DocumentDraft> {
  const collection = stage.writes.find((one) => one.name === draft.collection);
  if (!collection)
    throw new Error(
      `Stage "${stage.name}" yielded a document of "${draft.collection}", which it does not say it writes.`,
    );
  const result = await collection.schema["~standard"].validate(draft.body);
  if (result.issues) {
    throw new Error(
      `The body of "${draft.id}" does not fit "${collection.name}": ${result.issues.map((issue) => issue.message).join("; ")}`,
    );
  }
  return { ...draft, body: result.value };
}

/**
 * Fills in a document for a test: `aDocument(messages, { subject: "Hello" })` with an id made up.
 *
 * @example
 * import { collection } from "@headway/engine";
 * import { aDocument } from "@headway/engine/testing";
 * import { z } from "zod";
 *
 * const texts = collection("texts", z.object({ text: z.string() }));
 * export const text = aDocument(texts, { text: "to be" });
 */
export function aDocument<C extends Collection>(
  _collection: C,
  body: Omit<DocumentOf<C>, "id">,
  id = "a-document",
): DocumentOf<C> {
  return { ...body, id } as DocumentOf<C>;
}
