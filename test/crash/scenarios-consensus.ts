import { pipeline } from "@headway/engine";
import type { World } from "../../engine/src/drill/world.ts";
import type { Database } from "../../engine/src/store/database.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { archives } from "../../pipelines/consensus/src/collections.ts";
import { makeConsensus } from "../../pipelines/consensus/src/pipeline.ts";
import { readSettings } from "../../pipelines/consensus/src/settings.ts";
import { openSummarizer } from "../../pipelines/consensus/src/summary/choose.ts";
import { openStaticModel } from "../../text/src/embed/static-model.ts";
import { anMbox, type MailSpec } from "../consensus/invented-mail.ts";
import { makeMemoryBlobs } from "../consensus/memory-blobs.ts";
import type { Scenario } from "./scenarios.ts";

const embedder = openStaticModel();
const summarizer = openSummarizer(readSettings({}));
const { stages, projections, migrations } = makeConsensus({ embedder, summarizer });
// In this process: a process for each of thousands of runs would take hours, and process deaths are tested elsewhere.
const together = stages.map((stage) => ({ ...stage, isolate: null }));

const proposal: MailSpec = {
  id: "m1",
  text: "I propose that we adopt draft-tide. Please say what you think.",
};
const objection: MailSpec = {
  id: "m2",
  from: "Bela Novak <bela@example.net>",
  subject: "Re: Tides",
  inReplyTo: "m1",
  text: "> Please say what you think.\n\nI object to the adoption: it has no security considerations.",
};
const answer: MailSpec = {
  id: "m3",
  subject: "Re: Tides",
  inReplyTo: "m2",
  text: "I will add them this week.",
};
const turn: MailSpec = {
  ...objection,
  id: "m4",
  inReplyTo: "m3",
  text: "Thank you. With that change I support the adoption.",
};
const garbage = "From nobody@example.org Mon Mar  4 10:00:00 2024\n\u0001\u0002\u0003\n\n";

/** The real pipeline: an archive with a damaged mail is read, then grows, then loses its first mail. */
export const consensus: Scenario = {
  name: "consensus",
  pipelines: [pipeline("consensus", { stages: together, projections, ...(migrations && { migrations }) })],
  ending: { dead: 1, task: 0 },
  make() {
    const blobs = makeMemoryBlobs();
    const read = async (world: World, mbox: string) => {
      const body = { list: "tides", place: "march.mbox", blob: blobs.keep(mbox), size: mbox.length };
      await world.accept(archives.document("tides/march", body));
      await world.drain();
    };
    return {
      services: { blobs, embedder, summarizer },
      async run(world) {
        await read(world, anMbox(proposal, objection) + garbage);
        await read(world, anMbox(proposal, objection) + garbage + anMbox(answer, turn));
        await read(world, anMbox(objection) + garbage + anMbox(answer, turn));
        await checkIndex(world.real);
      },
    };
  },
};

/** What can be found by searching is what there is. */
async function checkIndex(db: Database): Promise<void> {
  const [row] = await db.query<{ broken: number; passages: number }>(sql`
    with chunk as (
      select d.id from headway.document d join headway.collection c on c.id = d.collection
      where c.name = 'chunks' and d.gone_at is null
    )
    select (select count(*) from chunk full join headway_read.passages p on p.id = chunk.id
        where p.id is null or chunk.id is null) as broken,
      (select count(*) from headway_read.passages) as passages`);
  if (!row || row.broken > 0 || row.passages === 0)
    throw new Error(`The index differs from the documents: ${JSON.stringify(row)}.`);
}
