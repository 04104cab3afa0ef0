/** Text of `text/enriched` (RFC 1896) and `text/richtext` (RFC 1341) without commands. */
export function enrichedToText(source: string, isRichtext: boolean): string {
  const out: string[] = [];
  let parameterDepth = 0;
  for (let at = 0; at < source.length; ) {
    const open = source.indexOf("<", at);
    const end = open < 0 ? source.length : open;
    if (parameterDepth === 0)
      out.push(isRichtext ? source.slice(at, end).replace(/\s+/g, " ") : source.slice(at, end));
    if (open < 0) break;
    if (source[open + 1] === "<") {
      if (parameterDepth === 0) out.push("<");
      at = open + 2;
      continue;
    }
    const command = /^<(\/?[a-z0-9-]{1,60})>/i.exec(source.slice(open, open + 64));
    if (!command) {
      if (parameterDepth === 0) out.push("<");
      at = open + 1;
      continue;
    }
    const name = command[1]!.toLowerCase();
    if (name === "param" || name === "comment") parameterDepth++;
    if (name === "/param" || name === "/comment") parameterDepth = Math.max(0, parameterDepth - 1);
    out.push(richtextBreaks.get(name) ?? "");
    at = open + command[0].length;
  }
  const text = out.join("");
  // One line break is a blank, each further break a line.
  return isRichtext ? text : text.replace(/\n+/g, (breaks) => (breaks.length === 1 ? " " : breaks.slice(1)));
}

const richtextBreaks: ReadonlyMap<string, string> = new Map([
  ["nl", "\n"],
  ["np", "\n\n"],
  ["/paragraph", "\n\n"],
  ["lt", "<"],
]);
