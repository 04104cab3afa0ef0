import { parseArgs } from "node:util";
import { samplePath } from "@headway/consensus";
import { stormSources } from "./sources-storm.ts";

const help = `Mails arrive in a mailbox of a real IMAP server (Debian's dovecot), mail by mail, while the server, the network,
the certificate and two \`headway work\` break at random. Every mail must be there in the end, and once.

  npm run chaos:sources -- --minutes 10 --seed 7 --archive PATH

  --archive PATH   an mbox with the mails (default: the sample that is in the repository)
  --minutes N      the mails arrive within this time (default: 2)
  --mails N        at most so many mails (default: 5000)
  --seed N         decides what breaks, and when (default: 1)
  --json           nothing but the summary`;

const { values } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    archive: { type: "string", default: samplePath() },
    minutes: { type: "string", default: "2" },
    mails: { type: "string", default: "5000" },
    seed: { type: "string", default: "1" },
  },
});

async function main(): Promise<number> {
  const outcome = await stormSources({
    archive: values.archive,
    minutes: Number(values.minutes),
    mailsMax: Number(values.mails),
    seed: Number(values.seed),
    tell: (line) => void (values.json || console.log(line)),
  });
  console.log(JSON.stringify(outcome));
  return outcome.lost + outcome.doubled + outcome.dead === 0 ? 0 : 1;
}

if (values.help) console.log(help);
else process.exitCode = await main();
