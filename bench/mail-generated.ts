import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

/** Writes an archive in the shape of a real list: threads of 1–200 mails, quotes, attachments, a file a month. Returns its bytes. */
export async function writeGenerated(folder: string, mails: number): Promise<number> {
  await mkdir(folder, { recursive: true });
  const dice = makeDice(mails);
  const months = new Map<string, WriteStream>();
  let bytes = 0;
  for (const mail of inOrder(makeThreads(mails, dice))) {
    const month = mail.date.toISOString().slice(0, 7);
    const file = months.get(month) ?? createWriteStream(join(folder, `${month}.mbox`));
    months.set(month, file);
    const text = written(mail, dice);
    bytes += text.length;
    if (!file.write(text, "latin1")) await once(file, "drain");
  }
  for (const file of months.values()) {
    file.end();
    await once(file, "finish");
  }
  return bytes;
}

/** A mail of the archive; `text` is filled in when written, because replies quote it. */
interface Mail {
  readonly number: number;
  readonly topic: number;
  readonly parent: Mail | null;
  readonly date: Date;
  text: string;
}

interface Dice {
  /** From 0 up to, but without, `end`. */
  below(end: number): number;
  chance(share: number): boolean;
}

/** The same archive for the same number of mails, each time. */
function makeDice(seed: number): Dice {
  let state = seed >>> 0 || 1;
  const roll = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return { below: (end) => Math.floor(roll() * end), chance: (share) => roll() < share };
}

const start = Date.UTC(2024, 0, 1);
const hourMs = 3_600_000;
/** Pace of a busy list. */
const mailsPerMonth = 1_200;

function makeThreads(mails: number, dice: Dice): Mail[] {
  const all: Mail[] = [];
  for (let topic = 0; all.length < mails; topic++) {
    const size = Math.min(threadSize(dice), mails - all.length);
    const thread: Mail[] = [];
    let at = start + (all.length / mailsPerMonth) * 30 * 24 * hourMs + dice.below(24 * hourMs);
    for (let number = 0; number < size; number++) {
      const parent = thread[dice.chance(0.5) ? thread.length - 1 : dice.below(thread.length)] ?? null;
      at += dice.below(6 * hourMs);
      thread.push({ number: all.length + number, topic, parent, date: new Date(at), text: "" });
    }
    all.push(...thread);
  }
  return all;
}

/** Half of the threads are a single mail or two, few are long. */
function threadSize(dice: Dice): number {
  if (dice.chance(0.5)) return 1 + dice.below(2);
  if (dice.chance(0.9)) return 3 + dice.below(12);
  return dice.chance(0.9) ? 15 + dice.below(45) : 60 + dice.below(141);
}

const inOrder = (mails: Mail[]): Mail[] => mails.sort((a, b) => a.date.getTime() - b.date.getTime());

const words =
  `the of to and a in for is on that with this be it as we are not have by from at or which an if will can you should but
  patch release branch module server client change test build version code interface review schema parser thread message
  list document queue worker index cache buffer socket error failure timeout memory latency default option header proposal
  migration protocol stream token field value record commit merge deadline maintainer user report feature behaviour`.split(
    /\s+/,
  );
const stances = [
  "+1 from me.",
  "I agree with this proposal.",
  "I object to this change because it breaks existing users.",
  "-1, we need a migration path first.",
  "Let us vote on this by Friday.",
  "We decided to keep the old interface for one release.",
  "Could you explain why the second option is better?",
];

function sentence(dice: Dice): string {
  const count = 6 + dice.below(18);
  const text = Array.from({ length: count }, () => words[dice.below(words.length)]).join(" ");
  return `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}

function paragraphs(dice: Dice): string {
  const count = 1 + dice.below(5);
  return Array.from({ length: count }, () => {
    const told = Array.from({ length: 1 + dice.below(6) }, () => sentence(dice));
    if (dice.chance(0.2)) told.push(stances[dice.below(stances.length)] as string);
    return wrapped(told.join(" "));
  }).join("\n\n");
}

const wrapped = (text: string): string => text.replaceAll(/(.{1,72})(?: |$)/g, "$1\n").trimEnd();

const people = 140;
const personOf = (mail: Mail): string => {
  const person = (mail.number * 7 + mail.topic) % people;
  return `Person Number${person} <person${person}@example.org>`;
};
const idOf = (mail: Mail): string => `<m${mail.number}.t${mail.topic}@lists.example.org>`;

function written(mail: Mail, dice: Dice): string {
  const own = paragraphs(dice);
  mail.text = own;
  const { parent } = mail;
  const quote = parent
    ? `On ${parent.date.toUTCString()}, ${personOf(parent)} wrote:\n${parent.text.replaceAll(/^/gm, "> ")}\n\n`
    : "";
  const body = `${quote}${own}\n\n-- \n${personOf(mail)}\n`.replaceAll(/^From /gm, ">From ");
  const attached = dice.chance(0.12);
  const head = [
    `From ${personOf(mail).replace(/.*<|>/g, "")} ${mail.date.toUTCString()}`,
    `Received: from mail.example.org by lists.example.org with ESMTP id ${mail.number}; ${mail.date.toUTCString()}`,
    `From: ${personOf(mail)}`,
    "To: dev@lists.example.org",
    `Date: ${mail.date.toUTCString()}`,
    `Subject: ${parent ? "Re: " : ""}${topicOf(mail.topic)}`,
    `Message-ID: ${idOf(mail)}`,
    ...(parent ? [`In-Reply-To: ${idOf(parent)}`, `References: ${references(parent)}`] : []),
    "List-Id: <dev.lists.example.org>",
    "MIME-Version: 1.0",
  ];
  return `${head.join("\n")}\n${attached ? multipart(body, mail, dice) : plain(body)}\n\n`;
}

const topicOf = (topic: number): string =>
  `[DISCUSS] ${[3, 5, 7, 11].map((step) => words[(topic * step) % words.length]).join(" ")} ${topic}`;

const referencesMax = 10;
function references(parent: Mail): string {
  const ids: string[] = [];
  for (let at: Mail | null = parent; at && ids.length < referencesMax; at = at.parent) ids.unshift(idOf(at));
  return ids.join("\n ");
}

const plain = (body: string): string =>
  `Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n${body}`;

function multipart(body: string, mail: Mail, dice: Dice): string {
  const boundary = `part-${mail.number}`;
  const bytes = Buffer.alloc(10_000 + dice.below(80_000), `attachment ${mail.number} `);
  const lines = bytes.toString("base64").replaceAll(/.{76}/g, "$&\n");
  return [
    `Content-Type: multipart/mixed; boundary="${boundary}"\n`,
    `--${boundary}\n${plain(body)}`,
    `--${boundary}\nContent-Type: application/octet-stream; name="file-${mail.number}.bin"`,
    `Content-Disposition: attachment; filename="file-${mail.number}.bin"\nContent-Transfer-Encoding: base64\n\n${lines}`,
    `--${boundary}--`,
  ].join("\n");
}
