import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { Header } from "../src/threads/order-messages.ts";

export const corpora = fileURLToPath(new URL("../../../../shared/corpora/", import.meta.url));
export const corporaAbsent = !existsSync(corpora);

/** The headers of an archive, read with as little cleverness as the known answers need. Ids are places: 0001, 0002, … */
export function readHeaders(mbox: string): readonly Header[] {
  return splitMbox(mbox).map((mail, place) => readHeader(mail, String(place + 1).padStart(6, "0")));
}

export function readHeader(mail: string, id: string): Header {
  const end = mail.search(/\r?\n\r?\n/);
  const [separator = "", ...lines] = (end === -1 ? mail : mail.slice(0, end)).split(/\r?\n/);
  const isSeparator = separator.startsWith("From ");
  const head = [...(isSeparator ? [] : [separator]), ...lines].join("\n").replace(/\n[ \t]+/g, " ");
  const field = (name: string): string | null =>
    new RegExp(`^${name}:[ \t]*(.*)$`, "im").exec(head)?.[1]?.trim() ?? null;
  const ids = (name: string): string[] =>
    [...(field(name) ?? "").matchAll(/<([^<>\s]+)>/g)].map((each) => each[1] as string);
  const date = Date.parse(field("Date") ?? (isSeparator ? separator.replace(/^From \S+\s+/, "") : ""));
  return {
    id,
    messageId: ids("Message-ID")[0] ?? `none.${id}`,
    inReplyTo: ids("In-Reply-To")[0] ?? null,
    references: ids("References"),
    subject: field("Subject") ?? "",
    date: Number.isNaN(date) ? null : new Date(date).toISOString(),
  };
}

function splitMbox(mbox: string): readonly string[] {
  return mbox.split(/^(?=From \S+.*\d{4}(?: [-+]\d{4})?\r?$)/m).filter((mail) => mail.startsWith("From "));
}

/** Every mailing-list archive of the corpora, by name. Headers are ASCII, so Latin-1 reads them all. */
export function readLists(): readonly { readonly name: string; readonly headers: readonly Header[] }[] {
  return readdirSync(corpora)
    .filter((folder) => folder.startsWith("list-"))
    .map((folder) => ({
      name: folder,
      headers: filesBelow(join(corpora, folder))
        .filter((path) => /\.(mbox|txt|txt\.gz)$/.test(path) && !path.endsWith("SOURCE.txt"))
        .flatMap((path) =>
          readHeaders(readText(path)).map((header) => ({ ...header, id: `${path} ${header.id}` })),
        ),
    }))
    .filter(({ headers }) => headers.length > 20);
}

export function readText(path: string): string {
  const bytes = readFileSync(path);
  return (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("latin1");
}

export function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? filesBelow(path) : [path]));
}
