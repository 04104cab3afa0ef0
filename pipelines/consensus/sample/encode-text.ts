/** Bytes of a text in a charset of old mail; the platform only decodes these, so the tables are turned round. */
export function encodeText(text: string, charset: string): Buffer {
  if (charset === "utf-8" || charset === "us-ascii") return Buffer.from(text, "utf8");
  return charset === "iso-2022-jp" ? encodeJapanese(text) : encodeSingleBytes(text, charset);
}

export function canEncode(text: string, charset: string): boolean {
  const table = tableOf(charset);
  return table === null || [...text].every((character) => isAscii(character) || table.has(character));
}

const isAscii = (character: string) => character.charCodeAt(0) < 0x80;

/** The bytes of each character beyond ASCII; null for UTF-8, which has all. */
function tableOf(charset: string): ReadonlyMap<string, readonly number[]> | null {
  if (charset === "utf-8" || charset === "us-ascii") return null;
  const wide = charset === "iso-2022-jp";
  const decoder = new TextDecoder(wide ? "euc-jp" : charset);
  const upper = Array.from({ length: 128 }, (_, at) => at + 128);
  const codes = wide ? upper.flatMap((row) => upper.map((cell) => [row, cell])) : upper.map((byte) => [byte]);
  return new Map(codes.map((code) => [decoder.decode(Uint8Array.from(code)), code] as const));
}

function encodeSingleBytes(text: string, charset: string): Buffer {
  const table = tableOf(charset);
  return Buffer.from([...text].flatMap((character) => table?.get(character) ?? [character.charCodeAt(0)]));
}

function encodeJapanese(text: string): Buffer {
  const table = tableOf("iso-2022-jp");
  const bytes: number[] = [];
  let wide = false;
  for (const character of text) {
    if (isAscii(character) === wide) bytes.push(0x1b, ...Buffer.from(wide ? "(B" : "$B"));
    wide = !isAscii(character);
    bytes.push(...(table?.get(character)?.map((byte) => byte & 0x7f) ?? [character.charCodeAt(0)]));
  }
  if (wide) bytes.push(0x1b, ...Buffer.from("(B"));
  return Buffer.from(bytes);
}

export function encodeBase64(bytes: Buffer): string {
  return (bytes.toString("base64").match(/.{1,76}/g) ?? []).join("\n");
}

export function encodeQuotedPrintable(bytes: Buffer): string {
  const lines = bytes.toString("latin1").split("\n");
  return lines.map(foldQuoted).join("\n");
}

function foldQuoted(line: string): string {
  const pieces = [...line].map((character, at) => {
    const code = character.charCodeAt(0);
    const isPlain = (code >= 33 && code <= 126 && code !== 61) || (code === 32 && at < line.length - 1);
    return isPlain ? character : `=${code.toString(16).toUpperCase().padStart(2, "0")}`;
  });
  let folded = "";
  let width = 0;
  for (const piece of pieces) {
    if (width + piece.length > 75) {
      folded += "=\n";
      width = 0;
    }
    folded += piece;
    width += piece.length;
  }
  return folded;
}

/** A header value; what is not ASCII becomes an encoded word. */
export function encodeHeader(text: string, charset: string): string {
  const isAscii = [...text].every((character) => character.charCodeAt(0) < 0x80);
  if (isAscii) return text;
  const words = text.match(/[\s\S]{1,18}/gu) ?? [];
  const encoded = words.map((word) => `=?${charset}?B?${encodeText(word, charset).toString("base64")}?=`);
  return encoded.join("\n ");
}
