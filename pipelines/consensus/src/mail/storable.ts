/** Text accepted by every database and JSON reader: without NULs, and with whole characters only. */
export function storable(text: string): string {
  const withoutNul = text.includes("\0") ? text.replaceAll("\0", "") : text;
  return /[\ud800-\udfff]/.test(withoutNul) ? withoutNul.replace(/\p{Surrogate}/gu, "\ufffd") : withoutNul;
}

/** The same for a single line: control characters and line breaks become blanks. */
export const storableLine = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed here.
  storable(text.replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, " ").trim());
