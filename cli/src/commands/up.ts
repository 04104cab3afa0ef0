import type { Command } from "@commander-js/extra-typings";
import { type Consensus, feed, watchFolder } from "@headway/consensus";
import { countSignals, logSignals, type Signal } from "@headway/engine";
import type { RunningApp } from "../app/command-line-app.ts";
import { currentApp, runsConsensus } from "../app/current-app.ts";
import { choosePort, listenOn } from "../choose-port.ts";
import { exitCodes, Refusal } from "../exit-codes.ts";
import type { Adding } from "../run.ts";
import { refuseOpenAddress, type ServedOperators, serveOperators } from "../serve-operators.ts";
import { placeOf, type SharedOptions, sharedFlags } from "../shared-options.ts";
import type { Console } from "../terminal.ts";

/** `up`, and its roles as processes of their own: `work` and `serve`. */
export function addUp(adding: Adding): void {
  const { program, console, end } = adding;
  common(program.command("up"))
    .description("Run everything in one process, with the web console")
    .option("--watch <places...>", "read what changes in these folders")
    .addHelpText(
      "after",
      `\nExamples:\n  headway up\n  headway up --watch ~/Maildir --port 7077\n${endpoints}`,
    )
    .action(async (options) =>
      end(await run(options, { web: true, work: true, watch: options.watch ?? [] }, console)),
    );
  common(program.command("work"))
    .description("Run stages only, such as on a further machine")
    .option("--stages <names>", "these stages, separated by commas (default: all)")
    .addHelpText(
      "after",
      `\nExamples:\n  headway work --database postgres://… --stages parsing,embedding\n${endpoints}`,
    )
    .action(async (options) => {
      const stages = options.stages?.split(",").map((name) => name.trim());
      end(await run(options, { web: false, work: true, watch: [], ...(stages && { stages }) }, console));
    });
  common(program.command("serve"))
    .description("Run the web console and the operators' address only")
    .addHelpText("after", `\nExamples:\n  headway serve --database postgres://… --port 7077\n${endpoints}`)
    .action(async (options) => end(await run(options, { web: true, work: false, watch: [] }, console)));
}

const common = (command: Command) =>
  command
    .option(
      "--port <number>",
      "where operators reach it on this machine (HEADWAY_PORT; default: 7077, or a free one if that is taken)",
    )
    .option(
      "--host <address>",
      "an address of this machine for browsers elsewhere; needs access keys",
      "127.0.0.1",
    )
    .option("--log <level>", "debug, info, warn or error", "info")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database);

const endpoints = `
GET /healthz, /readyz and /metrics (Prometheus) need no token; POST /api/operate/VERB does: it is in the data folder,
in the file "token".
The header "Headway-Actor: NAME" says who calls: the audit keeps acts under that name.
The web console is at / of the same address; "headway console" prints a link into it.
Stop it with Ctrl-C or SIGTERM: it costs no document an attempt. Logs are JSON lines, or text on a terminal.`;

interface Role {
  /** Whether it serves the web console. */
  readonly web: boolean;
  readonly work: boolean;
  readonly watch: readonly string[];
  readonly stages?: readonly string[];
}

type Options = SharedOptions & {
  readonly port?: string | undefined;
  readonly host: string;
  readonly log: string;
};

async function run(options: Options, role: Role, console: Console): Promise<number> {
  const { data, ...place } = placeOf(options);
  await refuseOpenAddress(options.host, data, !("url" in place.database));
  const named = options.port ?? (process.env.HEADWAY_PORT || undefined);
  const port = await choosePort(named);
  const log = logSignals({ level: levelOf(options.log), pretty: console.live });
  const stop = new AbortController();
  const asked = () => stop.abort();
  process.once("SIGINT", asked).once("SIGTERM", asked);
  if (role.watch.length > 0 && !runsConsensus())
    throw new Refusal("--watch reads mail archives, and the consensus pipeline is not part of this app.", 2);
  const counters = countSignals();
  const onSignal = (signal: Signal) => {
    counters.heard(signal);
    log(signal);
  };
  const starting = { data, ...place, work: role.work, onSignal, ...(role.stages && { stages: role.stages }) };
  const app = await listenOn(port, named, (share) =>
    currentApp().start({ ...starting, share: { port: share } }),
  );
  try {
    await refuseSecond(app, data);
    const web = role.web && process.env.HEADWAY_CONSOLE !== "off";
    const given = { data, host: options.host, web, counters, stopping: stop.signal, console };
    const server = await listenOn(port, named, (at) => serveOperators(app, { ...given, port: at }));
    const where = "url" in place.database ? `data in PostgreSQL, token in ${data}` : `data in ${data}`;
    if (port === 0) console.warn("The usual port is taken by another process: this one took a free port.\n");
    console.warn(`Headway is up at ${server.url} (${where}). Stop it with Ctrl-C.\n`);
    tellConsole(server, console);
    const watching = app.consensus && watch(app.consensus, role.watch, stop.signal, console);
    await new Promise((resolve) => {
      if (stop.signal.aborted) resolve(undefined);
      stop.signal.addEventListener("abort", resolve);
    });
    console.warn("Stopping …\n");
    await watching;
    await server.close();
    return exitCodes.done;
  } finally {
    process.off("SIGINT", asked).off("SIGTERM", asked);
    await app.stop();
  }
}

/** A link is a key: a terminal shows it, a log does not keep it. */
function tellConsole(server: ServedOperators, console: Console): void {
  const entry = console.live ? server.entry() : null;
  if (entry) console.warn(`Console: ${entry}\nThe link works once; "headway console" prints another.\n`);
}

function levelOf(text: string): "debug" | "info" | "warn" | "error" {
  if (text === "debug" || text === "info" || text === "warn" || text === "error") return text;
  throw new Refusal(`--log is "${text}"; expected debug, info, warn or error.`, exitCodes.usage);
}

/** Through another's door one can look and ask, but two owners would be none. */
async function refuseSecond({ engine }: RunningApp, data: string): Promise<void> {
  if (!("remote" in engine.database)) return;
  throw new Refusal(`Headway is up already on ${data}; "headway status" tells how it is.`);
}

async function watch(
  consensus: Consensus,
  places: readonly string[],
  signal: AbortSignal,
  console: Console,
): Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  const read = (place: string) => () => {
    last = last
      .then(() => feed(consensus, [place], { signal }))
      .catch((error: unknown) => {
        if (!signal.aborted) console.warn(`headway: ${(error as Error).message}\n`);
      });
  };
  await Promise.all(places.map((place) => watchFolder(place, { onChange: read(place), signal })));
  await last;
}
