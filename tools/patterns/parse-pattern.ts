/** The part of a pattern relevant to its running time. */
export type Piece =
  | { readonly kind: "atom"; readonly source: string }
  | { readonly kind: "sequence"; readonly pieces: readonly Piece[] }
  | { readonly kind: "choice"; readonly pieces: readonly Piece[] }
  | { readonly kind: "repeat"; readonly piece: Piece; readonly least: number; readonly most: number }
  | { readonly kind: "look"; readonly piece: Piece; readonly source: string }
  /** Consumes nothing and may fail: `$`, `\b`, `^` within a pattern. */
  | { readonly kind: "condition"; readonly source: string };

/** Parses JavaScript's regular expressions; the engine has already validated the source. */
export function parsePattern(source: string): Piece {
  let at = 0;
  const takes = (text: string): boolean => {
    const there = source.startsWith(text, at);
    if (there) at += text.length;
    return there;
  };
  const choice = (): Piece => {
    const pieces = [sequence()];
    while (takes("|")) pieces.push(sequence());
    return pieces.length === 1 ? (pieces[0] as Piece) : { kind: "choice", pieces };
  };
  const sequence = (): Piece => {
    const pieces: Piece[] = [];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") pieces.push(quantified());
    return { kind: "sequence", pieces };
  };
  const quantified = (): Piece => {
    const piece = single();
    const found = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/.exec(source.slice(at, at + 24));
    if (found === null) return piece;
    at += found[0].length;
    return { kind: "repeat", piece, ...boundsOf(found) };
  };
  const group = (): Piece => {
    const start = at;
    const looks = ["(?=", "(?!", "(?<=", "(?<!"].some(takes);
    if (!looks && !takes("(?:")) at += /^\((?:\?<[^>]{1,80}>)?/.exec(source.slice(at))?.[0].length ?? 1;
    const piece = choice();
    takes(")");
    return looks ? { kind: "look", piece, source: source.slice(start, at) } : piece;
  };
  const single = (): Piece => {
    if (source[at] === "(") return group();
    const start = at;
    at += atomLength(source, at);
    const text = source.slice(start, at);
    if (/^(?:\^|\$|\\b|\\B|\\k.*|\\[1-9])$/s.test(text)) return { kind: "condition", source: text };
    return { kind: "atom", source: text };
  };
  return choice();
}

function boundsOf([, sign, least, comma, most]: RegExpExecArray): { least: number; most: number } {
  if (sign !== undefined)
    return { least: sign === "+" ? 1 : 0, most: sign === "?" ? 1 : Number.POSITIVE_INFINITY };
  if (comma === undefined) return { least: Number(least), most: Number(least) };
  return { least: Number(least), most: most === "" ? Number.POSITIVE_INFINITY : Number(most) };
}

function atomLength(source: string, at: number): number {
  if (source[at] === "[") {
    let end = at + 1;
    while (source[end] !== "]") end += source[end] === "\\" ? 2 : 1;
    return end + 1 - at;
  }
  const escaped = /^\\(?:[pPuk](?:\{[^}]*\}|<[^>]*>)|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[\s\S])/.exec(
    source.slice(at, at + 80),
  );
  if (escaped !== null) return escaped[0].length;
  return (source.codePointAt(at) as number) > 0xffff ? 2 : 1;
}
