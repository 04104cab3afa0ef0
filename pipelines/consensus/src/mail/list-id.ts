import { readAddress } from "./addresses.ts";
import { firstField, type Headers } from "./headers.ts";

/** The identity of the sending list, as in List-Id (RFC 2919), in lower case. */
export function readListId(headers: Headers): string | null {
  return fromListId(firstField(headers, "list-id")) ?? fromAddress(findListAddress(headers));
}

function fromListId(field: string): string | null {
  const inside = [...field.slice(0, 2000).matchAll(/<([^<>]+)>/g)].at(-1)?.[1] ?? field.slice(0, 2000);
  const id = inside
    .replace(/\([^()]*\)/g, "")
    .replace(/\s+/g, "")
    .toLowerCase();
  if (/^[^\s"<>@()]+$/.test(id) && (id.includes(".") || inside !== field)) return id;
  return fromAddress(readAddress(inside));
}

/** The list's own address, from the fields of ezmlm, Majordomo, Mailman, Yahoo and vger. */
function findListAddress(headers: Headers): string {
  const of = (name: string) => firstField(headers, name).slice(0, 2000);
  const candidates = [
    /<mailto:([^>?]+)/i.exec(of("list-post"))?.[1],
    /<?([^\s<>;]{1,300}@[^\s<>;]+)/.exec(of("x-mailing-list"))?.[1],
    /\blist ([^\s<>;]+@[^\s<>;]+)/i.exec(of("mailing-list"))?.[1],
    /\bcontact ([^\s<>;@]+?)-(?:help|owner)(@[^\s<>;]+)/i.exec(of("mailing-list"))?.slice(1).join(""),
    /<?([^\s<>;]{1,300}@[^\s<>;]+)/.exec(of("x-beenthere"))?.[1],
    /^mailing list ([^\s<>;]+@[^\s<>;]+)/i.exec(of("delivered-to"))?.[1],
  ];
  return candidates.map((each) => readAddress(each ?? "")).find((address) => address !== "") ?? "";
}

const fromAddress = (address: string) => (address === "" ? null : address.toLowerCase().replace("@", "."));
