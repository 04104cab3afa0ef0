import { Option } from "@commander-js/extra-typings";
import {
  keepBaseline,
  listName,
  readSubscription,
  readSubscriptionRow,
  reportFormats,
  type SubscriptionSecrets,
  type SubscriptionSpec,
  writeSubscription,
} from "@headway/consensus";
import { insertAct } from "@headway/engine/internal";
import { checkSourceName, nextRun, openVault } from "@headway/intake";
import { actorName } from "../../desk.ts";
import { Refusal } from "../../exit-codes.ts";
import type { Adding } from "../../run.ts";
import { parseCount, placeOf, type SharedOptions, sharedFlags } from "../../shared-options.ts";
import { showSubscription } from "./look.ts";
import { withSubscriptions } from "./open.ts";

export function addAddSubscription({ program, console }: Adding): void {
  program
    .command("add")
    .description("Add a subscription, or change one with --replace")
    .argument("<name>", "a name for it")
    .option("--list <name>", "threads of this list (default: of all lists)", listName)
    .option("--asks <words>", "threads whose question has these words")
    .option("--search <words>", "threads with these words")
    .option("--daily", "a report a day, if something changed")
    .option("--weekly", "a report on Mondays, if something changed")
    .option("--decided", "a report about a thread as soon as it is agreed or decided")
    .option("--at <time>", "the time of daily and weekly reports (default: 07:00)")
    .option("--tz <zone>", "the time zone of --at (default: UTC)")
    .option("--mail <addresses>", "recipients, separated by commas; needs HEADWAY_SMTP_URL")
    .option("--webhook <url>", "an address that takes Standard Webhooks")
    .option("--signing-env <variable>", "a variable with the secret of its signatures: whsec_…")
    .option("--slack-env <variable>", "a variable with the address of an incoming webhook of Slack")
    .option("--feed <folder>", "a folder for NAME.atom.xml and NAME.rss.xml")
    .addOption(
      new Option("--format <format>", "the content of a webhook (default: md)").choices(reportFormats),
    )
    .option("--site <url>", "the address of a published site, for links to threads")
    .option(
      "--unsubscribe <url>",
      "an address for leaving, for List-Unsubscribe (default: by mail to the sender)",
    )
    .option("--limit <count>", "most threads of a report (default: 50)")
    .option("--from-start", "the first report tells all that is there already")
    .option("--replace", "change a subscription of this name")
    .option("--dry-run", "only say what would be added")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", helpText)
    .action(async (name, options) => {
      checkSourceName(name);
      const times = (["daily", "weekly", "decided"] as const).filter((one) => options[one]);
      const [time] = times;
      if (time === undefined || times.length > 1)
        throw new Refusal("Say when: --daily, --weekly or --decided.", 2);
      const { list, asks, search, at, tz: zone, webhook, feed, format, site, unsubscribe } = options;
      const { spec, secrets } = readSubscription({
        ...{ list, asks, search, time, at, zone, webhook, feed, format, site, unsubscribe },
        mail: options.mail?.split(",").map((one) => one.trim()),
        signing: variable(options.signingEnv),
        slack: variable(options.slackEnv),
        threadsMax: options.limit === undefined ? undefined : parseCount(options.limit, "--limit", 500),
      });
      const written = await write(name, { spec, secrets }, options);
      if (options.json) return console.writeJson(written);
      const verb = options.dryRun ? "Would add" : written.changed === "added" ? "Added" : "Changed";
      console.write(`${verb} ${name}: ${showSubscription(spec)}.\n`);
      if (!options.dryRun) console.warn(`Try it with: headway subscriptions test ${name}\n`);
    });
}

const helpText = `
Examples:
  headway subscriptions add quic-weekly --list quic --weekly --mail ann@example.org,bob@example.org
  headway subscriptions add agreed --decided --slack-env SLACK_URL --site https://lists.example.org
  headway subscriptions add tls --search "post-quantum" --daily --at 06:30 --tz Europe/Berlin --feed /srv/www/feeds`;

function variable(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const value = process.env[name];
  if (!value) throw new Refusal(`The variable ${name} is not set.`, 2);
  return value;
}

interface WriteOptions extends SharedOptions {
  readonly replace?: true | undefined;
  readonly dryRun?: true | undefined;
  readonly fromStart?: true | undefined;
}

async function write(
  name: string,
  { spec, secrets }: { readonly spec: SubscriptionSpec; readonly secrets: SubscriptionSecrets },
  options: WriteOptions,
) {
  return await withSubscriptions(options, async ({ database, now }) => {
    const there = await readSubscriptionRow(database, name);
    if (there && !options.replace)
      throw new Refusal(
        `There is a subscription "${name}" already: change it with --replace, or choose another name.`,
      );
    const nextAt = nextRun(spec.schedule, { after: now, jitterMs: 0, random: 0 });
    const changed = there ? "replaced" : "added";
    const written = { name, changed, spec, nextAt, dryRun: options.dryRun === true };
    if (options.dryRun) return written;
    const vault = await openVault({ env: process.env, data: placeOf(options).data });
    const sealed =
      Object.keys(secrets).length === 0
        ? {}
        : { secret: vault.seal(`subscription ${name}`, JSON.stringify(secrets)) };
    if (!there && !options.fromStart) await keepBaseline(database, name, spec);
    const by = actorName();
    await database.transaction(async (tx) => {
      await writeSubscription(tx, { name, spec, ...sealed, by, now, nextAt });
      const act = there ? "subscription.replace" : "subscription.add";
      const detail = { what: showSubscription(spec) };
      await insertAct(tx, { at: now, actor: by, act, target: name, why: null, detail });
    });
    return written;
  });
}
