import { readFile } from "node:fs/promises";
import { Option } from "@commander-js/extra-typings";
import { insertAct } from "@headway/engine/internal";
import {
  checkSourceName,
  nextRun,
  openVault,
  readDeclaration,
  readSource,
  type SourceSpec,
  showSchedule,
  sourceKinds,
  writeSource,
} from "@headway/intake";
import { actorName } from "../../desk.ts";
import { Refusal } from "../../exit-codes.ts";
import type { Adding } from "../../run.ts";
import { parseCount, parseSpan, placeOf, sharedFlags } from "../../shared-options.ts";
import { type Console, oneLine } from "../../terminal.ts";
import { withSources } from "./open.ts";

export function addAdd({ program, console }: Adding): void {
  program
    .command("add")
    .description("Add a source, or change one with --replace")
    .argument("<name>", "a name for it")
    .argument(
      "<place>",
      "a folder, or an address: https://, imaps://user@host/mailbox, rsync://, git+https://",
    )
    .option("--every <time>", "how often, such as 15m or 1h")
    .option("--cron <expression>", 'when, such as "15 6 * * 1-5"')
    .option("--tz <zone>", "the time zone of --cron (default: UTC)")
    .option("--list <name>", "the mailing list of its mail (default: as names tell)")
    .option("--pipeline <name>", "the pipeline that reads it (default: consensus)")
    .addOption(new Option("--kind <kind>", "the kind, where the address does not tell").choices(sourceKinds))
    .option("--jitter <time>", "spread runs of the same moment over this time (default: a tenth of --every)")
    .option("--limit <count>", "most files or mails of one run (default: 10000); the next run goes on")
    .option("--secret-file <path>", 'a file with the password, or "oauth:TOKEN"; - reads standard input')
    .option("--secret-env <variable>", "a variable with the password")
    .option("--allow-private", "its address may be inside this network")
    .option("--replace", "change a source of this name")
    .option("--dry-run", "only say what would be added")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", helpText)
    .action(async (name, place, options) => {
      checkSourceName(name);
      const { spec, secret: inPlace } = readDeclaration({
        place,
        kind: options.kind,
        every: options.every,
        cron: options.cron,
        zone: options.tz,
        list: options.list,
        pipeline: options.pipeline,
        allowPrivate: options.allowPrivate,
        documentsMax:
          options.limit === undefined ? undefined : parseCount(options.limit, "--limit", 1_000_000),
        jitterMs: jitterOf(options),
      });
      if (inPlace !== null)
        console.warn(
          "headway: The password in the address can be read by every user of this machine (ps): use --secret-file.\n",
        );
      const secret = (await readSecretOption(options)) ?? inPlace;
      const result = await write(name, spec, secret, options);
      if (options.json) return console.writeJson(result);
      tell(result, options.dryRun === true, console);
    });
}

const helpText = `
Examples:
  headway sources add quic https://lists.example.org/pipermail/quic/ --every 1h
  headway sources add drop /srv/mail/incoming --every 5m
  headway sources add inbox imaps://ann@mail.example.org/Lists --cron "0 6 * * 1-5" --tz Europe/Berlin --secret-env PASS
  headway sources add kernel git+https://lore.example.org/netdev --every 30m --list netdev

A folder is also read when something changes in it, a mailbox when a mail arrives (IDLE). Secrets are encrypted with
HEADWAY_SECRET_KEY, or with the key in the data folder, and never shown again.`;

interface AddOptions {
  readonly data?: string | undefined;
  readonly database?: string | undefined;
  readonly replace?: true | undefined;
  readonly dryRun?: true | undefined;
}

interface Written {
  readonly name: string;
  readonly changed: "added" | "replaced";
  readonly spec: SourceSpec;
  readonly nextAt: Date | null;
  readonly hasSecret: boolean;
  readonly dryRun: boolean;
}

async function write(
  name: string,
  spec: SourceSpec,
  secret: string | null,
  options: AddOptions,
): Promise<Written> {
  const { dryRun = false, replace = false } = options;
  return await withSources(options, async ({ database, now }) => {
    const there = await readSource(database, name);
    if (there && !replace)
      throw new Refusal(
        `There is a source "${name}" already: change it with --replace, or choose another name.`,
      );
    if (there?.origin === "config")
      throw new Refusal(`The source "${name}" is declared in headway.config.ts: change it there.`);
    // The first run comes at once, unless a clock says when.
    const { schedule, jitterMs } = spec;
    const nextAt = schedule.kind === "every" ? now : nextRun(schedule, { after: now, jitterMs, random: 0 });
    const written: Written = {
      name,
      changed: there ? "replaced" : "added",
      spec,
      nextAt,
      hasSecret: secret !== null || there?.has_secret === true,
      dryRun,
    };
    if (dryRun) return written;
    const sealed =
      secret === null
        ? {}
        : { secret: (await openVault({ env: process.env, data: placeOf(options).data })).seal(name, secret) };
    const by = actorName();
    await database.transaction(async (tx) => {
      await writeSource(tx, { name, spec, ...sealed, origin: "operator", by, now, nextAt });
      const act = there ? "source.replace" : "source.add";
      const detail = {
        place: spec.place,
        schedule: showSchedule(schedule),
        secret: secret === null ? "kept" : "given",
      };
      await insertAct(tx, { at: now, actor: by, act, target: name, why: null, detail });
    });
    return written;
  });
}

function jitterOf({
  jitter,
  every,
}: {
  jitter?: string | undefined;
  every?: string | undefined;
}): number | undefined {
  if (jitter !== undefined) return parseSpan(jitter, "--jitter");
  return every === undefined ? undefined : Math.min(60_000, Math.floor(parseSpan(every, "--every") / 10));
}

async function readSecretOption(options: {
  readonly secretFile?: string | undefined;
  readonly secretEnv?: string | undefined;
}): Promise<string | null> {
  const { secretFile, secretEnv } = options;
  if (secretFile !== undefined && secretEnv !== undefined)
    throw new Refusal("Give --secret-file or --secret-env, not both.", 2);
  if (secretEnv !== undefined) {
    const value = process.env[secretEnv];
    if (!value) throw new Refusal(`The variable ${secretEnv} is not set.`, 2);
    return value;
  }
  if (secretFile === undefined) return null;
  const text = await readFile(secretFile === "-" ? "/dev/stdin" : secretFile, "utf8").catch(
    (error: Error) => {
      throw new Refusal(`--secret-file cannot be read: ${error.message}`, 2);
    },
  );
  const secret = text.replace(/\r?\n$/, "");
  if (secret === "") throw new Refusal("The secret is empty.", 2);
  return secret;
}

function tell({ name, changed, spec, nextAt, hasSecret }: Written, dryRun: boolean, console: Console): void {
  const verb = dryRun
    ? changed === "added"
      ? "Would add"
      : "Would change"
    : changed === "added"
      ? "Added"
      : "Changed";
  const secret = hasSecret ? ", with a secret" : "";
  console.write(
    `${verb} ${name}: ${spec.kind} ${oneLine(spec.place)}, ${showSchedule(spec.schedule)}${secret}.\n`,
  );
  if (dryRun) return;
  console.warn(
    nextAt === null
      ? `Read it with: headway sources run ${name}\n`
      : `"headway up" keeps its schedule; read it now with: headway sources run ${name}\n`,
  );
}
