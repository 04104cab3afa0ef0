import { type Mailbox, readAddress, readMailboxes } from "./addresses.ts";
import { firstField, type Headers } from "./headers.ts";

export interface Sender {
  readonly from: Mailbox;
  readonly flags: readonly string[];
}

/**
 * The author of the mail. Lists that must not send in their members' names (DMARC) put their own address into From
 * and the author into other fields.
 */
export function readSender(headers: Headers, hint: string | null, envelopeSender: string | null): Sender {
  const from = readMailboxes(firstField(headers, "from"), hint)[0];
  if (from !== undefined) {
    const author = unwrap(from) ?? findAuthor(headers, from, hint);
    return author ? { from: author, flags: ["from.rewritten"] } : { from, flags: [] };
  }
  const other = fallbacks.map((name) => readMailboxes(firstField(headers, name), hint)[0]).find((box) => box);
  const address = envelopeSender === null ? "" : readAddress(envelopeSender);
  return { from: other ?? { name: "", address }, flags: ["from.missing"] };
}

const fallbacks = ["sender", "reply-to", "resent-from", "x-envelope-from", "return-path"];

/** `ann=40host.org@dmarc.ietf.org` and `ann=host.org@groups.io` are ann@host.org. */
function unwrap(from: Mailbox): Mailbox | null {
  const [, local, domain] =
    /^(.+)=40([^@=.]+\.[^@=]+)@dmarc\./.exec(from.address) ??
    /^(.+)=([^@=.]+\.[^@=]+)@groups\.io$/.exec(from.address) ??
    [];
  if (!local || !domain) return null;
  return { name: from.name.replace(/ via .{1,80}$/, ""), address: `${local}@${domain.toLowerCase()}` };
}

const authorFields = ["x-original-from", "x-mailman-original-from", "x-original-sender", "reply-to"];

function findAuthor(headers: Headers, from: Mailbox, hint: string | null): Mailbox | null {
  const via = /^(.*\S) via .{1,80}$/i.exec(from.name.slice(0, 400));
  if (!via) return null;
  const name = via[1]!.replace(/^'(.*)'$/, "$1");
  const listAddresses = new Set([from.address, addressIn(firstField(headers, "list-post"))]);
  for (const field of authorFields) {
    const boxes = readMailboxes(firstField(headers, field), hint).filter(
      (box) =>
        box.address !== "" &&
        !listAddresses.has(box.address) &&
        (field !== "reply-to" || box.name === name || !isNeighbour(box.address, from.address)),
    );
    const author = boxes.find((box) => box.name === name) ?? boxes[0];
    if (author) return { name: author.name || name, address: author.address };
  }
  return null;
}

/** Trackers ask for replies at an address that belongs to no person. */
function isNeighbour(address: string, other: string): boolean {
  const domain = (of: string) =>
    of
      .slice(of.lastIndexOf("@") + 1)
      .split(".")
      .slice(-2)
      .join(".");
  return domain(address) === domain(other);
}

const addressIn = (field: string) => readAddress(/<mailto:([^>?]+)/i.exec(field)?.[1] ?? "");
