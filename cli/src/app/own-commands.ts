import { withApp } from "../compose.ts";
import { exitCodes, Refusal } from "../exit-codes.ts";
import type { Adding } from "../run.ts";
import { sharedFlags } from "../shared-options.ts";
import { currentApp, refuseElsewhere } from "./current-app.ts";

/** Adds the commands that the application and its pipelines bring. */
export function addOwnCommands({ program, console }: Adding): void {
  for (const { name, description, usage = "[words...]", run } of currentApp().commands) {
    if (program.commands.some((one) => one.name() === name))
      throw new Refusal(
        `The command "${name}" of ${currentApp().file} has the name of another command: give it another name.`,
        exitCodes.usage,
      );
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
}

/** A sentence in place of each command of a pipeline that the application does not run. */
export function addMissingCommands({ program }: Adding, pipeline: string, names: readonly string[]): void {
  for (const name of names.filter((one) => !currentApp().commands.some((own) => own.name === one)))
    program
      .command(name, { hidden: true })
      .argument("[words...]")
      .allowUnknownOption()
      .action(() => refuseElsewhere(name, pipeline));
}
