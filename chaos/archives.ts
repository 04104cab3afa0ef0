import type { Blobs } from "../intake/src/blobs.ts";
import { archives } from "../pipelines/consensus/src/collections.ts";
import { makeConsensus } from "../pipelines/consensus/src/pipeline.ts";
import { readSettings } from "../pipelines/consensus/src/settings.ts";
import { openSummarizer } from "../pipelines/consensus/src/summary/choose.ts";
import { anMbox, type MailSpec } from "../test/consensus/invented-mail.ts";
import { openStaticModel } from "../text/src/embed/static-model.ts";
import { bundledModule } from "./isolated-module.ts";
import { stormQuiet } from "./settings.ts";

/** The real pipeline. Isolated stages run in child processes from bundled modules of this folder; null: in this process. */
export function makeConsensusParts(bundled: URL | null) {
  const embedder = openStaticModel();
  const summarizer = openSummarizer(readSettings({}));
  const { stages, migrations } = makeConsensus({
    embedder,
    summarizer,
    ...stormQuiet,
  });
  const settle = (isolate: (typeof stages)[number]["isolate"]) =>
    isolate && bundled ? { ...isolate, module: bundledModule(isolate.module, bundled) } : null;
  return {
    embedder,
    summarizer,
    migrations,
    stages: stages.map((one) => ({ ...one, isolate: settle(one.isolate) })),
  };
}

const people = [
  "Anna Lind <anna@example.org>",
  "Bela Novak <bela@example.net>",
  "Chen Wu <chen@example.com>",
];
const opinions = [
  "I support the adoption of this draft, it is ready.",
  "I object: there are no security considerations.",
  "I have read it and I agree with the change.",
  "I am not sure that we need this at all.",
];
const garbage = "From nobody@example.org Mon Mar  4 10:00:00 2024\n\u0001\u0002\u0003\n\n";

/** A list after `age` months: each month adds three mails, sometimes with a damaged mail in between. */
export function mboxOf(list: number, age: number): string {
  let text = "";
  for (let month = 0; month <= age; month++) {
    const root = `l${list}m${month}`;
    const mails: MailSpec[] = [
      {
        id: root,
        from: people[list % 3] as string,
        subject: `Tide ${month}`,
        text: `I propose that we adopt draft ${month}.`,
      },
      ...[0, 1].map((at) => ({
        id: `${root}r${at}`,
        from: people[(list + at + 1) % 3] as string,
        subject: `Re: Tide ${month}`,
        inReplyTo: root,
        text: `> I propose that we adopt draft ${month}.\n\n${opinions[(list + month + at) % opinions.length]}`,
      })),
    ];
    text += anMbox(...mails) + (month % 4 === 3 ? garbage : "");
  }
  return text;
}

export async function keepArchive(blobs: Blobs, list: number, age: number) {
  const mbox = Buffer.from(mboxOf(list, age));
  const { sha256, size } = await blobs.put(pieces(mbox));
  const name = `list-${list}`;
  return archives.document(`${name}/all`, { list: name, place: `${name}.mbox`, blob: sha256, size });
}

async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}
