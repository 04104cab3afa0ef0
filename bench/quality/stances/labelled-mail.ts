import { cleanText } from "../../../pipelines/consensus/src/clean/clean.ts";
import { contentMessageId } from "../../../pipelines/consensus/src/mail/message-id.ts";
import { type ParsedMail, parseMail } from "../../../pipelines/consensus/src/mail/parse.ts";
import { threadMessages } from "../../../pipelines/consensus/src/threads/thread.ts";
import type { Post } from "../../../pipelines/consensus/src/weigh/findings.ts";
import { filesBelow, mailsOf } from "../corpora.ts";
import { readThreadLabels, type ThreadLabel } from "./labels.ts";

/** A labelled thread with its mail, as the pipeline reads it. */
export interface LabelledThread {
  readonly label: ThreadLabel;
  readonly posts: readonly Post[];
}

const folders: Readonly<Record<string, readonly string[]>> = {
  bpf: ["list-bpf-ietf"],
  imagej: ["list-imagej-devel"],
  ksummit: ["list-ksummit"],
  ponymail: ["list-ponymail/corpus"],
  tomoyo: ["list-tomoyo"],
  twisted: ["list-twisted-python", "list-twisted-web-gz"],
};

/** The labelled threads of some lists; posts are identified by Message-ID. */
export async function readLabelledThreads(
  isWanted: (list: string) => boolean,
): Promise<readonly LabelledThread[]> {
  const labels = readThreadLabels().filter(({ list }) => isWanted(list));
  const found = new Map<string, readonly Post[]>();
  for (const list of new Set(labels.map(({ list }) => list)))
    for (const folder of folders[list] ?? [])
      for (const posts of await threadsOf(folder))
        for (const { id } of posts) found.set(`${list} ${id}`, posts);
  return labels.map((label) => {
    const posts = found.get(`${label.list} ${label.messages[0]}`);
    if (posts === undefined) throw new Error(`The corpora have no message ${label.messages[0]}.`);
    return { label, posts };
  });
}

/** The threads of a folder of archives, without the engine. */
export async function threadsOf(folder: string): Promise<readonly (readonly Post[])[]> {
  const mails = new Map<string, ParsedMail>();
  for (const path of filesBelow(folder)) {
    for (const { bytes, envelope } of await mailsOf(path)) {
      const mail = parseMail(bytes, envelope);
      const id = mail.messageId ?? contentMessageId(mail);
      const other = mails.get(id);
      if (other === undefined || isBetter(mail, other)) mails.set(id, mail);
    }
  }
  const headers = [...mails].map(([id, mail]) => ({ ...mail, id, messageId: id }));
  return threadMessages(headers).map(({ members }) =>
    members.map(({ id, parent }) => {
      const { from, date, subject, text } = mails.get(id) as ParsedMail;
      return { id, parent, from, date, subject, clean: cleanText(text).clean };
    }),
  );
}

/** As merging prefers: the least damaged copy, then the longest. */
const isBetter = (a: ParsedMail, b: ParsedMail): boolean =>
  (a.flags.length - b.flags.length || b.text.length - a.text.length) < 0;
