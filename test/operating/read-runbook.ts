import { readPage } from "../../tools/markdown.ts";

/** A page of docs/operating, as run by the test: initial state, commands, expected output. */
export interface Runbook {
  /** `<!-- world: stuck -->`: what is broken before the first command. */
  readonly world: string;
  readonly steps: readonly Step[];
}

export type Step =
  /** ```` ```sh run ````, or ```` ```sh run exits 1 ````, with the ```` ```text output ```` blocks below. */
  | {
      readonly kind: "type";
      readonly line: number;
      readonly code: string;
      readonly exits: number;
      readonly outputs: readonly { readonly line: number; readonly text: string }[];
    }
  /** `<!-- meanwhile: the server answers again -->`: an event without a command. */
  | { readonly kind: "meanwhile"; readonly line: number; readonly what: string };

/** Null: the page has no runnable commands. */
export function readRunbook(text: string): Runbook | null {
  const steps: Step[] = [...typedIn(text), ...meanwhileIn(text)].sort((one, other) => one.line - other.line);
  if (steps.length === 0) return null;
  return { world: /^<!-- world: (.+) -->$/m.exec(text)?.[1] ?? "calm", steps };
}

type Typed = Step & { readonly kind: "type" };

function typedIn(text: string): Typed[] {
  const typed: Typed[] = [];
  for (const { info, code, line } of readPage(text).blocks) {
    const exits = /^sh run(?: exits (\d+))?$/.exec(info);
    if (exits) typed.push({ kind: "type", line, code, exits: Number(exits[1] ?? 0), outputs: [] });
    else if (info === "text output") {
      const last = typed.pop();
      if (!last) throw new Error(`Line ${line} shows the output of no command.`);
      typed.push({ ...last, outputs: [...last.outputs, { line, text: code }] });
    }
  }
  return typed;
}

const meanwhileIn = (text: string): Step[] =>
  text.split("\n").flatMap((line, index): Step[] => {
    const what = /^<!-- meanwhile: (.+) -->$/.exec(line)?.[1];
    return what === undefined ? [] : [{ kind: "meanwhile", line: index + 1, what }];
  });
