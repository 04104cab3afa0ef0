import { IngestRefusal } from "./refusal.ts";

/** Whether a place is meant as a web address and not as a path. */
export const isUrl = (place: string) => /^[a-z][a-z0-9+.-]+:\/\//i.test(place);

/** The parser normalises all spellings of an IPv4 address (decimal, octal, hexadecimal). */
export function parseUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || url.hostname === "") {
    throw new IngestRefusal(
      "url.invalid",
      hideCredentials(address),
      `${hideCredentials(address)} is not a valid address.`,
    );
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    const message = `${showUrl(url)} is not an HTTP(S) address: only these are read.`;
    throw new IngestRefusal("url.invalid", showUrl(url), message);
  }
  url.hash = "";
  return url;
}

/** An address for people and logs: without user and password. */
export function showUrl(url: URL): string {
  const shown = new URL(url);
  shown.username = "";
  shown.password = "";
  return shown.href;
}

/** For any text, also an unparsable address: a possible password stands before the last `@`. */
export function hideCredentials(address: string): string {
  const at = address.lastIndexOf("@");
  const start = address.indexOf("://");
  return at > start && start !== -1 ? address.slice(0, start + 3) + address.slice(at + 1) : address;
}
