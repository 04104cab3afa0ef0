import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { asctime, attribution } from "./attributions.ts";
import type { Person, Ready } from "./compose-mail.ts";
import { composeMail, digest } from "./compose-mail.ts";
import { damageMail } from "./damage-mail.ts";
import type { Authored } from "./read-threads.ts";
import { readThread } from "./read-threads.ts";

/** Composes the sample archive from the thread files; the same files give the same bytes. */
export function buildSample(): Buffer {
  const mails = readAuthored();
  const ready = makeReady(mails);
  const deliveries = [...ready.values()].flatMap(deliveriesOf).sort((one, other) => one.at - other.at);
  return Buffer.concat(deliveries.map(({ at, bytes }) => inArchive(bytes, at)));
}

const here = new URL(".", import.meta.url);
export const samplePath = fileURLToPath(new URL("tidewg.mbox", here));

function readAuthored(): Authored[] {
  const folder = fileURLToPath(new URL("threads/", here));
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".txt"))
    .sort();
  return files.flatMap((name) => readThread(readFileSync(folder + name, "utf8")));
}

function readPeople(): Readonly<Record<string, Person>> {
  return JSON.parse(readFileSync(new URL("people.json", here), "utf8"));
}

/** Adds parts that depend on other mails: ids, references and quotes. */
function makeReady(mails: readonly Authored[]): Map<string, Ready> {
  const people = readPeople();
  const ready = new Map<string, Ready>();
  const waiting = [...mails];
  for (let mail = waiting.shift(); mail !== undefined; mail = waiting.shift()) {
    const person = people[mail.by];
    if (person === undefined) throw new Error(`${mail.id} is by "${mail.by}", who is not in people.json.`);
    if (ready.has(mail.id)) throw new Error(`There are two mails "${mail.id}".`);
    const parent = mail.fields.has("re") ? ready.get(mail.fields.get("re") ?? "") : undefined;
    if (mail.fields.has("re") && parent === undefined)
      throw new Error(`${mail.id} answers ${mail.fields.get("re")}, which does not stand before it.`);
    ready.set(mail.id, makeOne(mail, person, parent));
  }
  return ready;
}

function makeOne(mail: Authored, person: Person, parent: Ready | undefined): Ready {
  const date = new Date(`${mail.at.replace(" ", "T")}:${seconds(mail.id)}Z`);
  const outside = mail.fields.get("in-reply-to");
  const isLinked = mail.fields.get("refs") !== "none";
  const inReplyTo = isLinked ? (parent?.messageId ?? outside ?? null) : null;
  const before = parent?.references ?? [];
  const references = inReplyTo === null ? [] : [...before, inReplyTo];
  const messageId = messageIdOf(mail, person);
  const body = parent === undefined ? mail.body : withQuotes(mail.body, person, parent);
  const signature =
    person.signature === undefined || /^%attach /m.test(body) ? "" : `\n\n-- \n${person.signature}`;
  const text = mail.fields.get("signature") === "none" ? body : body + signature;
  return { mail, person, date, messageId, inReplyTo, references, text };
}

const seconds = (id: string) => String(Number.parseInt(digest(id).slice(0, 4), 16) % 60).padStart(2, "0");

function messageIdOf(mail: Authored, person: Person): string {
  const hash = digest(mail.id);
  const domain = person.address.split("@")[1];
  return person.writes === "gmail"
    ? `<CA+${Buffer.from(hash.slice(0, 40)).toString("base64url").slice(0, 46)}@mail.${domain}>`
    : `<${mail.at.replace(/\D/g, "")}.${hash.slice(0, 8)}@${domain}>`;
}

/** `%%` becomes the line that introduces a quote, `%parent` the whole answered text. */
function withQuotes(body: string, person: Person, parent: Ready): string {
  const { name, address } = parent.person;
  const shift = minutes(person.zone) - minutes(parent.person.zone);
  const date = new Date(parent.date.getTime() + shift * 60_000);
  const subject = parent.mail.fields.get("subject") ?? "";
  const intro = attribution(person.writes, { name, address, date, zone: person.zone, subject });
  const [said = ""] = parent.text.split(/^%attach /m);
  const mark = person.writes === "outlook" ? "" : "> ";
  const quoted = said
    .split("\n")
    .map((line) => (line.startsWith(">") ? mark.trim() + line : (mark + line).trimEnd()));
  return body.replace(/^%%$/m, () => intro).replace(/^%parent$/m, () => quoted.join("\n"));
}

const minutes = (zone: string) =>
  (zone.startsWith("-") ? -1 : 1) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3, 5)));

interface Delivery {
  readonly at: number;
  readonly bytes: Buffer;
}

/** A mail arrives once, or also later by another way (`again`), or only then (`arrives`). */
function deliveriesOf(ready: Ready): Delivery[] {
  const { fields } = ready.mail;
  const sent = ready.date.getTime() - minutes(ready.person.zone) * 60_000;
  const moment = (text: string) => Date.parse(`${text.replace(" ", "T")}:30Z`);
  const late = fields.get("arrives");
  const again = fields.get("again");
  const once = {
    at: late === undefined ? sent : moment(late),
    bytes: damageMail(composeMail(ready, 0), fields.get("damage")),
  };
  return again === undefined ? [once] : [once, { at: moment(again), bytes: composeMail(ready, 1) }];
}

/** As an mboxrd writer stores it. */
function inArchive(bytes: Buffer, at: number): Buffer {
  const body = bytes.toString("latin1").replace(/^(>*From )/gm, ">$1");
  const line = `From tidewg-bounces@lists.example.org  ${asctime(new Date(at))}\n`;
  const end = body.endsWith("\n") ? "\n" : "\n\n";
  return Buffer.from(line + body + end, "latin1");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(samplePath, buildSample());
