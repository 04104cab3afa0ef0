import { type Invariant, invariants, type Verified } from "@headway/engine/operate";
import { type Desk, withDesk } from "../desk.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Adding } from "../run.ts";
import { sharedFlags } from "../shared-options.ts";
import { type Console, oneLine, showCount, showNumber, wrap } from "../terminal.ts";

export function addVerify({ program, console, end }: Adding): void {
  program
    .command("verify")
    .description("Check every promise on every document")
    .option("--repair", "put right what can be put right without guessing")
    .option("--dry-run", "with --repair: only say what would be put right")
    .option("--why <text>", "why, for the audit")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway verify
  headway verify --repair --dry-run
  headway verify --repair --why "the disk was full last night"

It can run beside busy workers, and changes nothing without --repair. Exit codes: 0 all promises hold, 1 one is broken.`,
    )
    .action(async (options) => {
      const { json = false, repair = false, dryRun = false, why } = options;
      const verified = await withDesk(options, ({ operator }) =>
        check(operator, console, { repair: repair && !dryRun, why, quiet: json }),
      );
      if (json) console.writeJson(verified);
      else tell(verified, { repair, dryRun }, console);
      if (!verified.ok) end(exitCodes.refused);
    });
}

interface Checking {
  readonly repair: boolean;
  readonly why: string | undefined;
  readonly quiet: boolean;
}

/** With `repair` checks twice: only the second check shows the current state. */
async function check(
  operator: Desk["operator"],
  console: Console,
  { repair, why, quiet }: Checking,
): Promise<Verified> {
  const onRows = quiet ? () => undefined : makeProgress(console);
  const first = await operator.verify({ repair, why, onRows });
  if (!repair || first.ok) return first;
  const second = await operator.verify({ onRows });
  return { ...second, repaired: first.repaired };
}

/** Without a terminal no progress is written. */
function makeProgress(console: Console): (progress: { invariant: Invariant; rows: number }) => void {
  if (!console.live) return () => undefined;
  let drawn = 0;
  return ({ invariant, rows }) => {
    if (performance.now() - drawn < drawEveryMs) return;
    drawn = performance.now();
    console.warn(`\r${showCount(rows, "row")}: ${invariant}\u001b[K\r`);
  };
}
const drawEveryMs = 100;

function tell(
  verified: Verified,
  { repair, dryRun }: { repair: boolean; dryRun: boolean },
  console: Console,
) {
  const { ok, first, broken, repaired, rows } = verified;
  const mended = namesOf(repaired);
  for (const name of mended)
    console.write(`repaired ${showNumber(repaired[name])} × ${name}: ${invariants[name]}\n`);
  if (ok || !first) {
    const all = Object.keys(invariants).length;
    return console.write(`All ${all} promises hold, over ${showCount(rows, "row")}.\n`);
  }
  const { red } = console.colors;
  const width = console.columns;
  console.write(`${red("broken:")} ${first.invariant}\n${wrap(first.sentence, width, "  ")}\n`);
  if (first.names.length > 0) console.write(`${wrap(first.names.map(oneLine).join(", "), width, "  ")}\n`);
  const others = namesOf(broken).filter((name) => name !== first.invariant);
  for (const name of others) console.write(`also broken: ${name}, ${showCount(broken[name], "row")}\n`);
  console.warn(`${wrap(adviceFor([first.invariant, ...others], { repair, dryRun }), width)}\n`);
}

const namesOf = (counts: Readonly<Record<Invariant, number>>): Invariant[] =>
  (Object.keys(counts) as Invariant[]).filter((name) => counts[name] > 0);

/** Violations beyond automatic repair. */
const byHand: Partial<Record<Invariant, string>> = {
  "document-without-producer":
    'Nobody knows where it came from: look at it with "headway explain ID", then delete it with "headway delete ID" or read its archive again with "headway ingest PATH".',
  "content-changed":
    'Somebody changed a document past Headway: make it anew with "headway reprocess", or restore a backup with "headway restore FILE".',
  "ledger-unbalanced":
    'The sum follows from the rows above it: run "headway verify --repair", then "headway sweep --once"; if it stays, keep a backup and report it.',
};

function adviceFor(
  broken: readonly Invariant[],
  { repair, dryRun }: { repair: boolean; dryRun: boolean },
): string {
  // One broken row may violate several promises, and be repaired with another.
  const own = broken[0] && byHand[broken[0]];
  if (own && broken.every((name) => byHand[name])) return own;
  if (dryRun) return "What can be put right would be by: headway verify --repair";
  return repair
    ? 'It came back, or is still being worked on: see who works with "headway workers" and run "headway verify" again.'
    : "Put right what can be with: headway verify --repair";
}
