import { cleanText } from "../src/clean/clean.ts";
import { contentMessageId } from "../src/mail/message-id.ts";
import { parseMail } from "../src/mail/parse.ts";
import { splitMails } from "../src/mail/split.ts";
import { threadMessages } from "../src/threads/thread.ts";
import type { Post } from "../src/weigh/weigh.ts";

export type ReadMail = ReturnType<typeof parseMail> & {
  readonly id: string;
  readonly messageId: string;
  readonly clean: string;
  readonly list: string;
  readonly mail: string;
  readonly archive: string;
  readonly removed: ReturnType<typeof cleanText>["removed"];
};

/** The mails of an archive as the stages read them, each Message-ID once, without an engine. */
export async function readArchive(bytes: Buffer): Promise<readonly ReadMail[]> {
  const found = new Map<string, ReadMail>();
  async function* source() {
    yield bytes;
  }
  for await (const { bytes: raw, envelope } of splitMails(source())) {
    const parsed = parseMail(raw, envelope);
    if (parsed.flags.includes("header.missing")) continue;
    const messageId = parsed.messageId ?? contentMessageId(parsed);
    const { clean, removed } = cleanText(parsed.text);
    const known = { list: "list", mail: messageId, archive: "archive", id: messageId };
    if (!found.has(messageId)) found.set(messageId, { ...parsed, ...known, messageId, clean, removed });
  }
  return [...found.values()];
}

/** Their threads, as weighing gets them. */
export function postsByThread(mails: readonly ReadMail[]): readonly (readonly Post[])[] {
  const byId = new Map(mails.map((mail) => [mail.id, mail]));
  return threadMessages(mails).map(({ members }) =>
    members.map(({ id, parent }) => {
      const { from, date, subject, clean } = byId.get(id) as ReadMail;
      return { id, parent, from, date, subject, clean };
    }),
  );
}
