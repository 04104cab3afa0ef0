import { cleanLine, mayLink } from "./wording.ts";

/**
 * Text from a mail as words inside a line of Markdown: it makes no heading, list, link, image, code, table cell or
 * HTML, and the addresses in it do not become links by themselves.
 */
export function escapeMarkdown(text: string): string {
  return cleanLine(text)
    .replace(/[\\`*_[\]<>|~#$^]/g, "\\$&")
    .replace(/&/g, "&amp;")
    .replace(/:\/\//g, "\\://")
    .replace(/\bwww\./gi, (found) => `${found.slice(0, 3)}\\.`)
    .replace(/@/g, "&#64;")
    .replace(/^[-+=!]/, "\\$&")
    .replace(/^(\d{1,9})([.)])/, "$1\\$2");
}

/** A link to the web, or only its words where it leads elsewhere. */
export function markdownLink(label: string, href: string | null): string {
  const words = escapeMarkdown(label);
  if (!mayLink(href)) return words;
  const address = href.replace(/[^\w.~:/?#@!$&'*+,;=%-]/gu, (character) => encodeCharacter(character));
  return `[${words}](<${address}>)`;
}

function encodeCharacter(character: string): string {
  return /\p{Cs}/u.test(character) ? "%EF%BF%BD" : encodeURIComponent(character).replace(/[()]/g, percent);
}

const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
