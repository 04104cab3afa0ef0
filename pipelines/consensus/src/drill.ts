import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Database, DocumentDraft, Pipeline } from "@headway/engine";
import type { Blobs } from "@headway/intake";
import { openStaticModel } from "@headway/text";
import { archives } from "./collections.ts";
import { archiveId } from "./identity.ts";
import { makeLibrary } from "./library/library.ts";
import { makeConsensus } from "./pipeline.ts";
import { samplePath } from "./sample.ts";
import { readSettings } from "./settings.ts";
import { openSummarizer } from "./summary/choose.ts";

const mailsMax = 6;

/** The pipeline with the first mails of the sample, for `headway drill`, without any external service. */
export function consensusDrill(): {
  readonly pipelines: readonly Pipeline[];
  readonly makeServices: (given: { readonly database: Database }) => unknown;
  readonly documents: readonly DocumentDraft[];
} {
  const embedder = openStaticModel();
  const summarizer = openSummarizer(readSettings({}));
  const bytes = firstMails(readFileSync(samplePath(), "latin1"), mailsMax);
  const blob = createHash("sha256").update(bytes).digest("hex");
  const body = { list: "tidewg", place: "tidewg.mbox", blob, size: bytes.length };
  const blobs: Pick<Blobs, "open"> = {
    async *open() {
      yield bytes;
    },
  };
  return {
    pipelines: [makeConsensus({ embedder, summarizer })],
    makeServices: ({ database }) => ({
      blobs,
      library: makeLibrary(Promise.resolve(database)),
      embedder,
      summarizer,
    }),
    documents: [archives.document(archiveId("tidewg", "tidewg.mbox"), body)],
  };
}

function firstMails(mbox: string, most: number): Buffer {
  const mails = mbox.split(/^(?=From )/m).filter((part) => part !== "");
  return Buffer.from(mails.slice(0, most).join(""), "latin1");
}
