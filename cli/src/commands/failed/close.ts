import type { ClosedCount, CloseOptions, DeadFilter, Operator } from "@headway/engine/operate";
import { confirm } from "../../confirm.ts";
import { type Desk, withDesk } from "../../desk.ts";
import type { Console } from "../../terminal.ts";
import type { AddingFailed } from "./failed.ts";
import { addQuarantine, quarantinedOf } from "./quarantine.ts";
import { purgeDeliveries } from "./quarantine-acts.ts";
import { type ActOptions, addActing, chosenFilter, limitOf, showLetters } from "./select.ts";

export function addPurge({ group, console }: AddingFailed): void {
  const command = group
    .command("purge")
    .description("Take inputs and fault details of dead letters away for good; their documents stay");
  addQuarantine(addActing(command))
    .option("--yes", "do it without asking")
    .addHelpText(
      "after",
      `
Examples:
  headway failed purge parsing --older-than 30d --dry-run
  headway failed purge parsing --older-than 30d --why "beyond repair"
  headway failed purge 17 18 --yes
  headway failed purge --quarantine --reason not-json --older-than 30d

No document is touched, and the stages still count as dead, so nothing tries them again by itself. Keep a copy first with
"headway failed export": importing it brings back what was purged. Deliveries in quarantine do not come back: whoever sent
them has to send them again.`,
    )
    .action(async (which, options) => {
      const deliveries = quarantinedOf(which, options);
      if (deliveries) return await purgeDeliveries(deliveries, options, console);
      const filter = chosenFilter(which, options, "purge");
      await withDesk(options, async (desk) => {
        const close = (more: CloseOptions) => desk.operator.purgeDead(filter, more);
        const before = await plan(close, options);
        if (before.closed > 0 && !options.dryRun) {
          const letters = showLetters(before.closed, before.stages);
          await confirm(`Purge ${letters}? Their inputs and fault details are gone for good.`, {
            ...options,
            console,
          });
        }
        await finish({ desk, filter, options, console, close, before, word: "Purged", would: "Would purge" });
      });
    });
}

export function addResolve({ group, console }: AddingFailed): void {
  const command = group
    .command("resolve")
    .description(
      "Say that dead letters need nothing more: hidden from the list, still readable, still counted",
    );
  addActing(command)
    .addHelpText(
      "after",
      `
Examples:
  headway failed resolve 17 --why "spam, not worth reading"
  headway failed resolve --fingerprint 4f2a91c07be3d518 --why "known, fixed at the source"

They are seen with --state closed, and can still be requeued.`,
    )
    .action(async (which, options) => {
      const filter = chosenFilter(which, options, "resolve");
      await withDesk(options, async (desk) => {
        const close = (more: CloseOptions) => desk.operator.resolveDead(filter, more);
        const before = await plan(close, options);
        await finish({
          desk,
          filter,
          options,
          console,
          close,
          before,
          word: "Resolved",
          would: "Would resolve",
        });
      });
    });
}

type Close = (options: CloseOptions) => ReturnType<Operator["purgeDead"]>;

const plan = (close: Close, options: ActOptions): Promise<ClosedCount> =>
  close({ ...closing(options), dryRun: true });

function closing(options: ActOptions): CloseOptions {
  const limit = limitOf(options);
  return { ...(options.why !== undefined && { why: options.why }), ...(limit !== undefined && { limit }) };
}

interface Finishing {
  readonly desk: Desk;
  readonly filter: DeadFilter;
  readonly options: ActOptions;
  readonly console: Console;
  readonly close: Close;
  readonly before: ClosedCount;
  readonly word: string;
  readonly would: string;
}

async function finish({ options, console, close, before, word, would }: Finishing): Promise<void> {
  const result = options.dryRun || before.closed === 0 ? before : await close(closing(options));
  if (options.json) return console.writeJson({ ...result, dryRun: options.dryRun === true });
  if (result.closed === 0) return console.warn("No dead letter fits.\n");
  console.write(`${options.dryRun ? would : word} ${showLetters(result.closed, result.stages)}.\n`);
}
