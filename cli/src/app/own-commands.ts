import { consensusCommandNames } from "../commands/consensus-commands.ts";
import { withApp } from "../compose.ts";
import type { Adding } from "../run.ts";
import { sharedFlags } from "../shared-options.ts";
import { currentApp, refuseElsewhere } from "./current-app.ts";

/** Adds the commands that the application brings, and a sentence in place of those of pipelines it does not run. */
export function addOwnCommands({ program, console }: Adding): void {
  for (const { name, description, usage = "[words...]", run } of currentApp().commands) {
    program
      .command(`${name} ${usage}`)
      .description(description)
      .option(...sharedFlags.data)
      .option(...sharedFlags.database)
      .action(async (...given: readonly unknown[]) => {
        // Commander hands over the arguments, then the options, then the command.
        const words = given
          .slice(0, -2)
          .flat()
          .filter((word) => word !== undefined);
        const options = given.at(-2) as { readonly data?: string; readonly database?: string };
        await withApp(options, { work: false }, async ({ engine }) => {
          await run({ arguments: words.map(String), engine, write: console.write });
        });
      });
  }
  const own = new Set(currentApp().commands.map(({ name }) => name));
  for (const name of consensusCommandNames.filter((one) => !own.has(one)))
    program
      .command(name, { hidden: true })
      .argument("[words...]")
      .allowUnknownOption()
      .action(() => refuseElsewhere(name));
}
