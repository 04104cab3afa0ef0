/** UTF-7 (RFC 2152) as text; anything else stays unchanged. */
export function decodeUtf7(bytes: Buffer): string {
  const text = bytes.toString("latin1");
  let out = "";
  let at = 0;
  while (at < text.length) {
    const plus = text.indexOf("+", at);
    if (plus < 0) break;
    let end = plus + 1;
    while (end < text.length && isBase64(text.charCodeAt(end))) end++;
    out += text.slice(at, plus) + readShifted(text.slice(plus + 1, end), text.charCodeAt(end) === 45);
    at = text.charCodeAt(end) === 45 ? end + 1 : end;
  }
  return out + text.slice(at);
}

function readShifted(encoded: string, closed: boolean): string {
  if (encoded === "") return "+";
  const bytes = Buffer.from(encoded, "base64");
  // Fewer bits than one character: a literal plus sign.
  if (bytes.length < 2) return `+${encoded}${closed ? "-" : ""}`;
  let out = "";
  for (let i = 0; i + 1 < bytes.length; i += 2) out += String.fromCharCode(bytes.readUInt16BE(i));
  return out;
}

const isBase64 = (code: number) =>
  (code >= 65 && code <= 90) ||
  (code >= 97 && code <= 122) ||
  (code >= 48 && code <= 57) ||
  code === 43 ||
  code === 47;
