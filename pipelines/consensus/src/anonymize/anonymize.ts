import { appendFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { DocumentOf, Engine } from "@headway/engine";
import { readings } from "../collections.ts";
import { normaliseSubject } from "../threads/subject.ts";
import { type Header, threadMessages } from "../threads/thread.ts";
import { anonymousMail } from "./anonymous-mail.ts";
import { type Digest, moveDates } from "./moments.ts";
import {
  canonical,
  makeDigest,
  makePseudonyms,
  type PseudonymOptions,
  type Pseudonyms,
  wordPattern,
} from "./pseudonyms.ts";

type Reading = DocumentOf<typeof readings>;
type Reader = Pick<Engine, "documents">;

export interface AnonymousArchives {
  /** What was written: a folder for each list. */
  readonly lists: readonly { readonly list: string; readonly folder: string }[];
  readonly mails: number;
}

/**
 * Writes archives with the build of the read archives, and with new people and new words. The same person has the same
 * new name everywhere. The key is forgotten, so there is no way back.
 */
export async function writeAnonymousArchives(
  engine: Reader,
  folder: string,
  { key, onMail }: { key: Uint8Array; onMail?: (mails: number) => void },
): Promise<AnonymousArchives> {
  const { headers, ...words } = await readWords(engine);
  const pseudonyms = makePseudonyms({ key, ...words });
  const dates = datesOf(headers, makeDigest(key));
  const lists = new Map<string, { list: string; folder: string }>();
  let mails = 0;
  let held = { path: "", text: "" };
  const flush = async () => {
    if (held.text !== "") await appendFile(held.path, held.text, { mode: 0o600 });
    held = { path: "", text: "" };
  };
  for await (const reading of engine.documents(readings)) {
    const { list, folder: place } = await listOf(reading, { lists, folder, pseudonyms });
    const path = join(place, `${pseudonyms.label(`archive ${list} ${reading.archive}`)}.mbox`);
    if (path !== held.path || held.text.length > heldMax) await flush();
    held = { path, text: held.text + anonymousMail({ ...reading, date: dates(reading) }, pseudonyms) };
    mails += 1;
    onMail?.(mails);
  }
  await flush();
  return { lists: [...lists.values()], mails };
}

const heldMax = 4_000_000;

async function listOf(
  { list }: Reading,
  {
    lists,
    folder,
    pseudonyms,
  }: { lists: Map<string, { list: string; folder: string }>; folder: string; pseudonyms: Pseudonyms },
): Promise<{ list: string; folder: string }> {
  const known = lists.get(list);
  if (known) return known;
  const name = pseudonyms.label(`list ${list}`);
  const made = { list: name, folder: join(folder, name) };
  await mkdir(made.folder, { recursive: true, mode: 0o700 });
  lists.set(list, made);
  return made;
}

type Headers = ReadonlyMap<string, readonly Header[]>;

/** When each mail is said to be sent. Threads on one subject are moved alike: an answer finds its thread by time, too. */
function datesOf(headers: Headers, digest: Digest): (reading: Reading) => string | null {
  const dates = new Map<string, string>();
  for (const [list, all] of headers) {
    const known = new Map(all.map((header) => [header.id, header]));
    for (const { subject, members } of threadMessages([...known.values()])) {
      const dated = members.flatMap(({ id }) => {
        const date = known.get(id)?.date ?? null;
        return date === null ? [] : [{ key: `${list}\n${id}`, date }];
      });
      const thread = `${list}\n${normaliseSubject(subject).base}`;
      for (const [key, date] of moveDates(dated, { digest, thread })) dates.set(key, date);
    }
  }
  return ({ list, messageId, date }) => (date === null ? null : (dates.get(`${list}\n${messageId}`) ?? null));
}

/** All words, names and ids in use; an invented name must not be among the names in use. */
async function readWords(engine: Reader): Promise<Omit<PseudonymOptions, "key"> & { headers: Headers }> {
  const words = new Set<string>();
  const nameWords = new Set<string>();
  const messageIds = new Set<string>();
  const headers = new Map<string, Header[]>();
  const collect = (text: string, into: Set<string>) => {
    for (const [word] of text.matchAll(wordPattern)) into.add(canonical(word));
  };
  for await (const reading of engine.documents(readings)) {
    const { list, messageId, inReplyTo, references, subject, date } = reading;
    const ofList = headers.get(list) ?? [];
    ofList.push({ id: messageId, messageId, inReplyTo, references, subject, date });
    headers.set(list, ofList);
    for (const id of [messageId, ...references]) messageIds.add(id);
    if (inReplyTo !== null) messageIds.add(inReplyTo);
    collect(reading.from.name, nameWords);
    for (const text of [reading.from.name, reading.from.address, reading.subject, reading.text, reading.list])
      collect(text, words);
  }
  return { words, nameWords, messageIds, headers };
}
