import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { DrillPlan } from "@headway/engine";
import type { Blobs } from "@headway/intake";
import { openStaticModel } from "@headway/text";
import { archives } from "./collections.ts";
import { archiveId } from "./identity.ts";
import { samplePath } from "./sample.ts";
import { readSettings } from "./settings.ts";
import { openSummarizer } from "./summary/choose.ts";

const mailsMax = 6;

/** The first mails of the sample for `headway drill`, with services that need no server. */
export const consensusDrill: DrillPlan = {
  documents: () => [archives.document(archiveId("tidewg", "tidewg.mbox"), sampleBody())],
  services: () => ({
    blobs: {
      async *open() {
        yield sampleBytes();
      },
    } satisfies Pick<Blobs, "open">,
    embedder: openStaticModel(),
    summarizer: openSummarizer(readSettings({})),
  }),
};

const sampleBytes = (): Buffer => firstMails(readFileSync(samplePath(), "latin1"), mailsMax);

function sampleBody() {
  const bytes = sampleBytes();
  const blob = createHash("sha256").update(bytes).digest("hex");
  return { list: "tidewg", place: "tidewg.mbox", blob, size: bytes.length };
}

function firstMails(mbox: string, most: number): Buffer {
  const mails = mbox.split(/^(?=From )/m).filter((part) => part !== "");
  return Buffer.from(mails.slice(0, most).join(""), "latin1");
}
