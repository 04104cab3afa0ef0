import { cleanLine, mayLink } from "./wording.ts";

/**
 * Text from a mail as words inside a line of Markdown: no heading, list, link, image, code, table cell or
 * HTML, and no automatic links.
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

/** A web link, or only its words for any other target. */
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
