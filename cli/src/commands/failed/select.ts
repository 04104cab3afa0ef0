import { type Command, Option, type OptionValues } from "@commander-js/extra-typings";
import { type Duration, durationMs } from "@headway/engine";
import type { DeadFilter } from "@headway/engine/operate";
import { Refusal } from "../../exit-codes.ts";
import { parseCount, parseDate, sharedFlags } from "../../shared-options.ts";
import { showCount, showNumber } from "../../terminal.ts";

/** Options for selecting dead letters; all given conditions have to match. */
export type SelectOptions = {
  readonly stage?: string;
  readonly code?: string;
  readonly fingerprint?: string;
  readonly document?: readonly string[];
  readonly olderThan?: string;
  readonly newerThan?: string;
  readonly state?: "open" | "closed" | "all";
  readonly limit?: string;
  readonly all?: boolean;
  readonly data?: string;
  readonly database?: string;
  readonly json?: boolean;
};

/** Further options of commands with effects. */
export type ActOptions = SelectOptions & {
  readonly dryRun?: boolean;
  readonly why?: string;
  readonly yes?: boolean;
};

/** A command with a selection of dead letters. */
export type Selecting<Options extends OptionValues> = Command<[string[]], Options>;

const limitMax = 1_000_000;

/** The argument and options shared by all commands about dead letters. */
export function addSelection(command: Command): Selecting<SelectOptions> {
  const selecting = command
    .argument(
      "[which...]",
      "a stage (parsing, or its failed queue parsing.failed), or numbers of dead letters",
    )
    .option("--stage <stage>", "only of this stage; the same as its name alone")
    .option("--code <code>", "only with this error code, such as mail.unreadable")
    .option("--fingerprint <fingerprint>", "only those that died of the same cause: headway failed groups")
    .option("--document <id...>", "only of these documents or groups")
    .option("--older-than <age>", "only those that died before: 2d, 6h, 30m, or a date")
    .option("--newer-than <age>", "only those that died since: 2d, 6h, 30m, or a date")
    .addOption(
      new Option("--state <state>", "those that wait for a person, those that one has settled, or both")
        .choices(["open", "closed", "all"] as const)
        .default("open" as const),
    )
    .option("--limit <number>", "at most so many, oldest first")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json);
  return selecting as unknown as Selecting<SelectOptions>;
}

/** The same for commands with effects. */
export function addActing(command: Command): Selecting<ActOptions> {
  const acting = addSelection(command)
    .option("--all", "all of them, when nothing else says which")
    .option("--why <text>", "the reason, for the audit")
    .option("--dry-run", "say what would be done, and change nothing");
  return acting as unknown as Selecting<ActOptions>;
}

/** Numbers are dead letters, a word is a stage; `parsing.failed` is the failed queue of `parsing`. */
export function filterOf(which: readonly string[], options: SelectOptions): DeadFilter {
  const delivery = which.find(isDelivery);
  if (delivery !== undefined)
    throw new Refusal(
      `"${delivery}" is a delivery in quarantine, no dead letter: it can be listed, inspected, exported and purged.`,
      2,
    );
  const ids = which.filter((word) => /^\d+$/.test(word)).map(Number);
  const named = which.filter((word) => !/^\d+$/.test(word));
  const said = options.stage === undefined ? named : [...named, options.stage];
  const stages = [...new Set(said)];
  const stage = stages[0];
  if (stages.length > 1) {
    throw new Refusal(`"${stages.join('" and "')}" are two stages: say one at a time.`, 2);
  }
  const { code, fingerprint, document, olderThan, newerThan, state = "open" } = options;
  return {
    ...(stage !== undefined && { stage }),
    // An explicit number counts in any state.
    ...(ids.length > 0 && { ids }),
    ...(code !== undefined && { code }),
    ...(fingerprint !== undefined && { fingerprint }),
    ...(document !== undefined && { documents: document }),
    ...(olderThan !== undefined && { olderThan: parseAge(olderThan, "--older-than") }),
    ...(newerThan !== undefined && { newerThan: parseAge(newerThan, "--newer-than") }),
    ...(state !== "open" && { state }),
  };
}

/** `q12` is a delivery of a broker. */
export const isDelivery = (word: string): boolean => /^q\d+$/.test(word);

/** A mass change needs an explicit selection. */
export function chosenFilter(which: readonly string[], options: SelectOptions, command: string): DeadFilter {
  const filter = filterOf(which, options);
  const { state: _, ...chosen } = filter;
  if (Object.keys(chosen).length > 0 || options.all || options.limit !== undefined) return filter;
  throw new Refusal(
    `Say which: a stage, numbers, --code, --fingerprint, --document, --older-than or --all; "headway failed ${command} --all --dry-run" shows what that would be.`,
    2,
  );
}

export function limitOf({ limit }: SelectOptions): number | undefined {
  return limit === undefined ? undefined : parseCount(limit, "--limit", limitMax);
}

export function parseAge(text: string, flag: string): Date | Duration {
  if (/^\d{4}(-|$)/.test(text)) return parseDate(text, flag);
  try {
    durationMs(text as Duration);
    return text as Duration;
  } catch {
    throw new Refusal(
      `${flag} is "${text}"; expected an age such as 2d, 6h or 30m, or a date such as 2024-05-31.`,
      2,
    );
  }
}

/** "12 dead letters (parsing 10, chunking 2)". */
export function showLetters(letters: number, stages: Readonly<Record<string, number>>): string {
  const parts = Object.entries(stages).map(([stage, some]) => `${stage} ${showNumber(some)}`);
  return `${showCount(letters, "dead letter")}${parts.length > 0 ? ` (${parts.join(", ")})` : ""}`;
}
