import { nameOf, type Post } from "./post.ts";

/** A stretch of a post; posts are numbered from 1 in thread order. */
export interface Piece {
  readonly number: number;
  readonly post: Post;
  readonly start: number;
  readonly end: number;
}

/** The unit of one question. */
export type Window = readonly Piece[];

/**
 * Divides a whole thread into windows of at most `tokensMax` tokens, in order; nothing is left out. A post larger
 * than a window is cut at a paragraph, a line or a word.
 */
export function layWindows(posts: readonly Post[], tokensMax: number): readonly Window[] {
  const windows: Piece[][] = [];
  let room = 0;
  const room0 = Math.max(tokensMin, tokensMax);
  for (const piece of posts.flatMap((post, at) => cutPost(post, at + 1, room0))) {
    const tokens = costOf(piece);
    if (windows.length === 0 || tokens > room) {
      windows.push([]);
      room = room0;
    }
    windows.at(-1)!.push(piece);
    room -= tokens;
  }
  return windows;
}

/** Two halves of an oversized window; undefined if indivisible. */
export function halve(window: Window): readonly [Window, Window] | undefined {
  if (window.length >= 2) {
    const middle = Math.ceil(window.length / 2);
    return [window.slice(0, middle), window.slice(middle)];
  }
  const [piece] = window;
  if (piece === undefined || piece.end - piece.start < 2 * pieceLengthMin) return undefined;
  const cut = cutBefore(
    piece.post.clean,
    piece.start,
    piece.start + Math.ceil((piece.end - piece.start) / 2),
  );
  return [[{ ...piece, end: cut }], [{ ...piece, start: cut }]];
}

const tokensMin = 200;
const pieceLengthMin = 400;
/** Number, name, date and the signs around them. */
const frameTokens = 60;

/** Approximate number of tokens: a model cuts English into words, and most other scripts into characters. */
export function countTokens(text: string): number {
  let plain = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) < 0x250) plain++;
  return Math.ceil(plain / 3.5) + (text.length - plain);
}

const costOf = ({ post, start, end }: Piece): number =>
  frameTokens + countTokens(nameOf(post.from)) + countTokens(JSON.stringify(post.clean.slice(start, end)));

function cutPost(post: Post, number: number, tokensMax: number): readonly Piece[] {
  const pieces: Piece[] = [];
  const open: Piece[] = [{ number, post, start: 0, end: post.clean.length }];
  for (let piece = open.pop(); piece !== undefined; piece = open.pop()) {
    const halves = costOf(piece) > tokensMax ? halve([piece]) : undefined;
    if (halves === undefined) pieces.push(piece);
    else open.push(halves[1][0]!, halves[0][0]!);
  }
  return pieces.filter(({ start, end }) => /\S/.test(post.clean.slice(start, end)));
}

/** The best position to cut, at most a fifth of the way back. */
function cutBefore(text: string, start: number, wanted: number): number {
  const from = wanted - Math.floor((wanted - start) / 5);
  const tail = text.slice(from, wanted);
  for (const sign of ["\n\n", ". ", "\n", " "]) {
    const at = tail.lastIndexOf(sign);
    if (at !== -1) return from + at + sign.length;
  }
  return /[\uDC00-\uDFFF]/.test(text[wanted] ?? "") ? wanted - 1 : wanted;
}
