import { countingBlobs, type Feeder } from "@headway/intake";
import { archives } from "./collections.ts";
import type { Consensus } from "./consensus.ts";
import { feed } from "./feed.ts";
import { archiveId } from "./identity.ts";
import { mailRecogniser } from "./ingest/recognise-mail.ts";

/** Takes in files of sources: archives of mail, and single mails of a mailbox. */
export const makeMailFeeder = (consensus: Consensus): Feeder => ({
  async places(places, { list, allowPrivate, request, signal }) {
    const { blobs, bytes } = countingBlobs(consensus.blobs);
    const fed = await feed({ ...consensus, blobs }, places, {
      ...(list !== null && { list }),
      ...(request !== "" && { request }),
      allowPrivate,
      signal,
    });
    const { accepted, unchanged, skipped, refused } = fed;
    return { new: accepted, unchanged, bytes: bytes(), skipped, refused };
  },
  /** A mail is an archive of one, under a name that its mailbox gave: the same mail again changes nothing. */
  async files(files, { list: named, request, signal }) {
    const list = mailRecogniser.nameList(named);
    const drafts = [];
    let bytes = 0;
    for (const { key, place, bytes: content } of files) {
      const { sha256, size } = await consensus.blobs.put(oneByOne(content), { signal });
      bytes += size;
      drafts.push(archives.document(archiveId(list, key), { list, place, blob: sha256, size }));
    }
    const source = `list ${list}`;
    const { inserted, changed, unchanged } = await consensus.engine.accept(drafts, {
      source,
      ...(request !== "" && { request }),
    });
    return { new: inserted + changed, unchanged, bytes };
  },
});

async function* oneByOne(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}
