import { intakeFixes } from "@headway/intake";

/** Advice by fault code, shown beside dead letters and explanations. */
export const consensusFixes = {
  ...intakeFixes,
  "archive.mbox": "Save the archive as mbox, .eml or maildir, and hand it in again.",
  "assessment.old":
    "Run `headway reprocess --stage weighing --stale --apply`: a new assessment is summarized by itself.",
  "embedding.garbled": "Check the address of the embedder: the answer is none of an embedding server.",
  "embedding.redirected": "Set the embedder's final address: redirections are not followed.",
  "embedding.*": "Check HEADWAY_EMBEDDER and the server behind it; requeue when it is well.",
  "llm.busy": "Lower the rate of summarizing, or ask the provider for a larger quota.",
  "llm.garbled": "Try another model: the answers cannot be read. Summaries without a model need no server.",
  "llm.refused": "Renew HEADWAY_LLM_KEY, or correct the name of the model; then requeue.",
  "llm.*": "Check HEADWAY_LLM_URL and the server behind it; requeue when it is well.",
  "mail.slow":
    "Look at the mail with `headway documents ID --body`: reading it takes longer than any honest mail.",
  "mail.*": "Get the mail again from its archive: what was stored cannot be read as a mail.",
  "thread.*": "Requeue: the thread changed while it was read. If it dies again, see `headway verify`.",
  "year.invalid": "Correct the date in the name of the archive.",
} as const;
