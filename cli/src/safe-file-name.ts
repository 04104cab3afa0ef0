const bytesMax = 150;

/**
 * A name for a file from a mail that is safe in one folder on any system: no separators, control or direction
 * characters, no leading dots or dashes, no names of devices.
 */
export function safeFileName(given: string | null): string {
  const plain = (given ?? "")
    .normalize("NFC")
    .replace(/[\p{C}\u2028\u2029]/gu, "")
    .replace(/[/\\<>:"|?*%$`'\s]+/g, "_")
    .replace(/^[.\-_~]+/, "");
  const name = shorten(withoutLastDots(plain));
  if (name === "") return "attachment";
  return devices.test(name) ? `file_${name}` : name;
}

/** Windows drops dots at the end of a name. */
function withoutLastDots(name: string): string {
  let length = name.length;
  while (name[length - 1] === ".") length -= 1;
  return name.slice(0, length);
}

const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** At most so many bytes; the ending shows the type, so it stays. */
function shorten(name: string): string {
  if (Buffer.byteLength(name) <= bytesMax) return name;
  const ending = /\.\w{1,10}$/.exec(name)?.[0] ?? "";
  let start = "";
  for (const character of name) {
    if (Buffer.byteLength(start + character + ending) > bytesMax) break;
    start += character;
  }
  return start + ending;
}

/** `name.pdf`, `name-2.pdf`, `name-3.pdf` … */
export function numberedName(name: string, number: number): string {
  if (number === 1) return name;
  const dot = name.lastIndexOf(".");
  return dot > 0 ? `${name.slice(0, dot)}-${number}${name.slice(dot)}` : `${name}-${number}`;
}
