import pico from "picocolors";
import type { Console } from "../../cli/src/terminal.ts";

/** A console that keeps its output. */
export function makeCollectingConsole(): Console & {
  readonly out: () => string;
  readonly err: () => string;
} {
  const out: string[] = [];
  const err: string[] = [];
  return {
    write: (text) => void out.push(text),
    warn: (text) => void err.push(text),
    writeJson: (value) => void out.push(`${JSON.stringify(value)}\n`),
    live: false,
    columns: 100,
    colors: pico.createColors(false),
    out: () => out.join(""),
    err: () => err.join(""),
  };
}
