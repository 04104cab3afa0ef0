import { Command, CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import pico from "picocolors";
import { adviceFor } from "./advice.ts";
import type { CommandLineApp } from "./app/command-line-app.ts";
import { loadApp } from "./app/configured-app.ts";
import { currentApp, isShipped, runsConsensus, runsManuals, withinApp } from "./app/current-app.ts";
import { findConfig, takeAppOption } from "./app/find-config.ts";
import { addMissingCommands, addOwnCommands } from "./app/own-commands.ts";
import { shippedApp } from "./app/shipped-app.ts";
import { byHeading, headingOf } from "./command-groups.ts";
import { addAccept } from "./commands/accept.ts";
import { addAccess } from "./commands/access.ts";
import { addAlerts } from "./commands/alerts/alerts.ts";
import { addAudit } from "./commands/audit.ts";
import { addBackup } from "./commands/backup.ts";
import { addBench } from "./commands/bench.ts";
import { addCancel } from "./commands/cancel.ts";
import { addCompletion } from "./commands/completion.ts";
import { addConfig } from "./commands/config.ts";
import { addConflicts } from "./commands/conflicts.ts";
import { addConsensusCommands, consensusCommandNames } from "./commands/consensus-commands.ts";
import { addConsole } from "./commands/console.ts";
import { addDelete } from "./commands/delete.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addDocuments } from "./commands/documents.ts";
import { addDrill } from "./commands/drill.ts";
import { addErrors } from "./commands/errors.ts";
import { addEvents } from "./commands/events.ts";
import { addExplain } from "./commands/explain.ts";
import { addFailed } from "./commands/failed/failed.ts";
import { addInit } from "./commands/init.ts";
import { addLogs } from "./commands/logs.ts";
import { addManuals } from "./commands/manuals/manuals.ts";
import { addMove } from "./commands/move.ts";
import { addNote } from "./commands/note.ts";
import { addPause, addResume } from "./commands/pause.ts";
import { addPolicies } from "./commands/policies.ts";
import { addReprocess } from "./commands/reprocess.ts";
import { addRestore } from "./commands/restore.ts";
import { addRetry } from "./commands/retry.ts";
import { addSchema } from "./commands/schema.ts";
import { addSettings } from "./commands/settings.ts";
import { addSources } from "./commands/sources/sources.ts";
import { addStatus } from "./commands/status.ts";
import { addSweep } from "./commands/sweep.ts";
import { addTrace } from "./commands/trace.ts";
import { addUnexpected } from "./commands/unexpected.ts";
import { addUp } from "./commands/up.ts";
import { addVerify } from "./commands/verify.ts";
import { addWorkers } from "./commands/workers.ts";
import { exitCodes, Refusal } from "./exit-codes.ts";
import { isKnownVariable, refuseUnknownVariables } from "./known-variables.ts";
import { type Console, systemConsole } from "./terminal.ts";
import { readVariableFiles } from "./variable-files.ts";
import { version } from "./version.ts";

/** Runs one command and returns its exit code; no command ends the process. */
export async function run(words: readonly string[], console: Console = systemConsole()): Promise<number> {
  let code: number = exitCodes.done;
  const end = (ended: number) => {
    code = ended;
  };
  if (showsPassword(words)) console.warn(passwordText);
  try {
    refuseUnknownVariables(process.env);
    Object.assign(process.env, readVariableFiles(process.env, isKnownVariable));
    const { app, words: rest } = await appFor(words);
    await withinApp(app, async () => {
      await makeProgram(console, end).parseAsync(commandFirst(rest), { from: "user" });
    });
    return code;
  } catch (error) {
    return tell(error, console);
  }
}

/** The application that a command is about; commands that need none work where a configuration cannot be loaded. */
async function appFor(words: readonly string[]): Promise<{ app: CommandLineApp; words: string[] }> {
  const { app: named, rest } = takeAppOption(words);
  const file = withoutApp.test(commandFirst(rest)[0] ?? "") ? null : findConfig(named, process.cwd());
  return { app: file === null ? shippedApp : await loadApp(file), words: rest };
}

const withoutApp = /^(init|completion|-V|--version)$/;
/** Every user of a machine can read the words of a command; the environment of a process is its owner's alone. */
export const showsPassword = (words: readonly string[]): boolean =>
  words.some(
    (word, at) =>
      (word.startsWith("--database=") || words[at - 1] === "--database") && /:\/\/[^/@:]*:[^/@]+@/.test(word),
  );
const passwordText =
  "headway: The password in --database can be read by every user of this machine (ps): set HEADWAY_DATABASE_URL instead.\n";

/** `headway --data DIR threads` means `headway threads --data DIR`. */
export function commandFirst(words: readonly string[]): string[] {
  const takesValue = ["--data", "--database"];
  let command = 0;
  while (words[command]?.startsWith("--")) command += takesValue.includes(words[command] as string) ? 2 : 1;
  const [flags, rest] = [words.slice(0, command), words.slice(command)];
  // At the end, because a command may have subcommands; but before operands after `--`.
  const end = rest.includes("--") ? rest.indexOf("--") : rest.length;
  return [...rest.slice(0, end), ...flags, ...rest.slice(end)];
}

/** The exit code reported by a command. */
export type End = (code: number) => void;

function makeProgram(console: Console, end: End) {
  const program = new Command("headway")
    .description(
      isShipped()
        ? "Document pipelines that always move forward, with two of them shipped: mailing lists and manuals."
        : `Document pipelines that always move forward. The application here: ${currentApp().file}`,
    )
    .version(version)
    .showHelpAfterError('(see "headway --help")')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => console.write(text),
      writeErr: (text) => console.warn(text),
      getOutHelpWidth: () => Math.min(console.columns, helpWidthMax),
      getErrHelpWidth: () => Math.min(console.columns, helpWidthMax),
    })
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .helpCommand("help [command]", "Show the help of a command")
    .addHelpText("after", exampleText());
  const given = { program, console, end };
  if (runsConsensus()) addConsensusCommands(given);
  addInit(given);
  addAccept(given);
  if (runsManuals()) addManuals(given);
  addUp(given);
  addConsole(given);
  addAccess(given);
  addStatus(given);
  addWorkers(given);
  addDocuments(given);
  addExplain(given);
  addTrace(given);
  addLogs(given);
  addEvents(given);
  addConflicts(given);
  addUnexpected(given);
  addSchema(given);
  addSources(given);
  addAudit(given);
  addNote(given);
  addConfig(given);
  addDoctor(given);
  addIntervening(given);
  addOwnCommands(given);
  if (!runsConsensus()) addMissingCommands(given, "consensus", consensusCommandNames);
  if (!runsManuals()) addMissingCommands(given, "manuals", ["manuals"]);
  (program.commands as CommandUnknownOpts[]).sort((a, b) => byHeading(a.name(), b.name()));
  for (const command of program.commands) {
    tidyUp(command, "headway");
    command.helpGroup(headingOf(command.name()));
  }
  return program;
}

/** Commands that keep, check and change. */
function addIntervening(given: Adding): void {
  addSweep(given);
  addVerify(given);
  addDrill(given);
  addBackup(given);
  addRestore(given);
  addMove(given);
  for (const add of acting) add(given);
  addBench(given);
  addCompletion(given);
}

/** Commands of people who change something. */
const acting = [
  addFailed,
  addRetry,
  addReprocess,
  addPause,
  addResume,
  addCancel,
  addDelete,
  addPolicies,
  addSettings,
  addAlerts,
  addErrors,
];

/** A mistyped option points to the help of its command. */
function tidyUp(command: CommandUnknownOpts, above: string): void {
  const name = `${above} ${command.name()}`;
  command.exitOverride().showHelpAfterError(`(see "${name} --help")`);
  for (const below of command.commands) tidyUp(below, name);
}

const helpWidthMax = 100;

/** The help text of every command. */
export async function helpTexts(): Promise<readonly { readonly command: string; readonly text: string }[]> {
  const written: string[] = [];
  const collecting: Console = {
    write: (text) => void written.push(text),
    warn: () => undefined,
    writeJson: () => undefined,
    live: false,
    columns: helpWidthMax,
    colors: pico.createColors(false),
  };
  const commands = makeProgram(collecting, () => undefined).commands.flatMap((command) => [
    [command.name()],
    ...command.commands.map((below) => [command.name(), below.name()]),
  ]);
  const texts = [];
  for (const words of [[], ...commands]) {
    await run([...words, "--help"], collecting);
    texts.push({ command: ["headway", ...words].join(" "), text: written.splice(0).join("").trim() });
  }
  return texts;
}

/** The program or group that a command is added to. */
export interface Adding {
  readonly program: Command;
  readonly console: Console;
  readonly end: End;
}

const consensusExamples = `
Examples:
  headway ingest archive.mbox            read an archive and everything that follows from it
  headway threads                        threads with their outcome
  headway report THREAD                  one thread: summary, positions, votes, with the words that show it
  headway search "key rotation"          passages by words and by meaning
`;

const appExamples = `
Examples:
  headway up                             work on everything that is due, until Ctrl-C
  headway accept COLLECTION FILE         hand documents in
  headway drill                          kill the pipelines wherever they can be killed, and compare
`;

const exampleText = () => `${runsConsensus() ? consensusExamples : appExamples}
When something is wrong:
  headway status                         where everything stands, and what to type next
  headway explain ID                     why one document is not done, and what happens next
  headway failed groups                  what died, and of what
  headway doctor                         database, disk, clock, models: what is not well, and what to do

Your own pipelines: "headway init FOLDER"; a headway.config.ts is found from here upwards, or by --app PATH.
Everything is kept in .headway (--data DIR, HEADWAY_DATA); with --database URL (HEADWAY_DATABASE_URL) in a PostgreSQL.
Exit codes: 0 done, 1 refused, 2 wrong usage, 3 done but there are dead letters.
`;

/** An error as one sentence. */
function tell(error: unknown, console: Console): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (error instanceof Refusal) {
    console.warn(`headway: ${error.message}\n`);
    return error.exitCode;
  }
  const { message, code } = error as { message?: unknown; code?: unknown };
  // The reader of the pipe has closed the pipe.
  if (code === "EPIPE") return exitCodes.done;
  console.warn(`headway: ${typeof message === "string" ? message : String(error)}\n`);
  const advice = adviceFor(error);
  if (advice !== "") console.warn(`${advice}\n`);
  if (process.env.HEADWAY_DEBUG) console.warn(`${(error as Error).stack}\n`);
  return exitCodes.refused;
}
