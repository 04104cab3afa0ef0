import type { FromLine } from "./split-from-line.ts";
import { readFromLine } from "./split-from-line.ts";
import type { Opening } from "./split-header-lines.ts";
import {
  isListservLine,
  isListservOpening,
  listservLine,
  lookAtOpening,
  openingBytes,
} from "./split-header-lines.ts";
import type { Window } from "./split-window.ts";

/** A line between two mails: `at` is its first byte, `next` the first one of the mail after it. */
export interface Separator {
  readonly at: number;
  readonly next: number;
  readonly line: FromLine | null;
  readonly opening: Opening;
}

/** What the first separator of an archive was like; oddities are believed again only where they are a habit. */
export interface Habits {
  readonly patch: boolean;
  readonly bare: boolean;
  readonly headless: boolean;
  readonly sender: string | null;
}

/** Where in an archive the search is. */
export type Place =
  /** Nothing but leading bytes so far, the first of them at `begin`. */
  | { readonly kind: "lead"; readonly begin: number }
  /** In a mail that began without a separator, which may as well be a whole file. */
  | { readonly kind: "lone" }
  | { readonly kind: "inside"; readonly habits: Habits };

export const fromNeedle = Buffer.from("From ");
export const mmdfNeedle = Buffer.from("\u0001\u0001\u0001\u0001");
export const listservNeedle = Buffer.from(listservLine);

/** How far a decision looks back and ahead. */
export const lookBackBytes = 128;
const lineBytesMax = 1000;
const newline = 0x0a;
const carriageReturn = 0x0d;

/** Decides whether the "From " at `at` separates mails. */
export async function judgeFromLine(window: Window, at: number, place: Place): Promise<Separator | null> {
  const atBegin = place.kind === "lead" && at === place.begin;
  if (!atBegin && !isNewline(window.byteAt(at - 1))) return null;
  await window.reach(at + lineBytesMax + openingBytes);
  const end = lineEnd(window, at);
  const line = end < 0 ? null : readFromLine(window.view(at, end).toString("latin1"));
  if (line === null) return null;
  const next = afterNewline(window, end);
  const opening = lookAtOpening(window.view(next, next + openingBytes));
  const separator = { at, next, line, opening };
  return separates(separator, line, place, atBegin || isBlankBefore(window, at)) ? separator : null;
}

function separates({ at, opening }: Separator, line: FromLine, place: Place, blankBefore: boolean): boolean {
  switch (place.kind) {
    case "lead":
      return opening === "headers" || (at === place.begin && line.grade !== "bare");
    case "lone":
      return line.grade === "strict" && blankBefore && opening === "headers";
    case "inside":
      return followsHabits(line, opening, place.habits, blankBefore);
  }
}

function followsHabits(line: FromLine, opening: Opening, habits: Habits, blankBefore: boolean): boolean {
  switch (line.grade) {
    case "patch":
      return habits.patch && blankBefore && opening === "headers";
    case "bare":
      return habits.bare && blankBefore && opening === "headers";
    case "wordy":
      return blankBefore && opening === "headers";
    case "strict":
      if (opening === "headers") return true;
      if (opening === "blank")
        return blankBefore && (habits.headless || (line.sender !== null && line.sender === habits.sender));
      // Prose is followed by prose; what is followed by garbage or nothing was the start of a damaged mail.
      return blankBefore && (opening === "binary" || opening === "end");
  }
}

/** A line of four ^A stands before and after every mail of MMDF. */
export async function judgeMmdfLine(window: Window, at: number): Promise<Separator | null> {
  if (at > 0 && window.byteAt(at - 1) >= 0 && !isNewline(window.byteAt(at - 1))) return null;
  await window.reach(at + lineBytesMax + openingBytes);
  const end = at + mmdfNeedle.length;
  if (window.byteAt(end) >= 0 && !isNewline(window.byteAt(end))) return null;
  const next = afterNewline(window, end);
  const inner = window.view(next, next + fromNeedle.length).equals(fromNeedle) ? lineEnd(window, next) : -1;
  const line = inner < 0 ? null : readFromLine(window.view(next, inner).toString("latin1"));
  return { at, next: line === null ? next : afterNewline(window, inner), line, opening: "headers" };
}

/** A line of 73 "=" stands before every mail of a LISTSERV log, and headers below it. */
export async function judgeListservLine(window: Window, at: number): Promise<Separator | null> {
  if (at > 0 && window.byteAt(at - 1) >= 0 && !isNewline(window.byteAt(at - 1))) return null;
  await window.reach(at + lineBytesMax + openingBytes);
  const end = lineEnd(window, at);
  if (end < 0 || !isListservLine(window.view(at, end).toString("latin1"))) return null;
  const next = afterNewline(window, end);
  const lines = window
    .view(next, next + openingBytes)
    .toString("latin1")
    .split(/\r\n|\n|\r/);
  return isListservOpening(lines) ? { at, next, line: null, opening: "headers" } : null;
}

export const isNewline = (byte: number) => byte === newline || byte === carriageReturn;

/** Where the line ends, or -1 when it is too long to be a separator. */
function lineEnd(window: Window, at: number): number {
  for (let end = at; end < at + lineBytesMax; end++) {
    const byte = window.byteAt(end);
    if (byte < 0 || isNewline(byte)) return end;
  }
  return -1;
}

function afterNewline(window: Window, end: number): number {
  const byte = window.byteAt(end);
  if (byte < 0) return end;
  return byte === carriageReturn && window.byteAt(end + 1) === newline ? end + 2 : end + 1;
}

/** Whether the line before holds nothing but blanks. */
function isBlankBefore(window: Window, at: number): boolean {
  let before = at - 1;
  if (window.byteAt(before) === newline && window.byteAt(before - 1) === carriageReturn) before--;
  for (let back = before - 1; back > at - lookBackBytes; back--) {
    const byte = window.byteAt(back);
    if (byte < 0 || isNewline(byte)) return true;
    if (byte !== 0x20 && byte !== 0x09) return false;
  }
  return false;
}
