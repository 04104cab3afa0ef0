import { type DocumentOf, groupStage } from "@headway/engine";
import { headers, messages, readings } from "../collections.ts";
import { messageDocumentId } from "../identity.ts";

type Reading = DocumentOf<typeof readings>;

/** All mails with one Message-ID become one message of the list, which knows how often it was delivered. */
export const merging = groupStage("merging", {
  reads: readings,
  per: (reading) => messageDocumentId(reading.list, reading.messageId),
  // Copies of a message: the message stays while a copy is left.
  madeOf: "any",
  writes: [messages, headers],
  version: "2",
  announces: { failed: "ParsingFailed" },
  retry: { attempts: 3 },
  *run({ key, documents }) {
    const [best] = [...documents].sort(byPreference);
    if (!best) return;
    const { id: _, mail: __, archive: ___, ...content } = best;
    const occurrences = documents
      .map(({ archive, mail }) => ({ archive, mail }))
      .sort((a, b) => (a.mail < b.mail ? -1 : 1));
    yield messages.document(key, { ...content, occurrences });
    yield headers.document(key, {
      list: best.list,
      messageId: best.messageId,
      subject: best.subject,
      from: best.from,
      date: best.date,
      inReplyTo: best.inReplyTo,
      references: best.references,
    });
  },
});

/** The least damaged copy, then the longest, then the same one each time whatever came first. */
const byPreference = (a: Reading, b: Reading): number =>
  a.flags.length - b.flags.length || b.text.length - a.text.length || (a.id < b.id ? -1 : 1);
