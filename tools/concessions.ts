import { stormConfig, stormQuiet, stormWaits } from "../chaos/settings.ts";
import { readConfig } from "../engine/src/config.ts";

/** All that the proofs switch off, shorten or requeue: a promise is proved only as far as this list lets it. */
export function concessions(): string[] {
  const shipped = readConfig({}).config;
  const changed = Object.entries(stormConfig).map(
    ([name, value]) => `\`${name}\` ${value} instead of ${shipped[name as keyof typeof stormConfig]}`,
  );
  return [
    `Storm, shortened: ${changed.join(", ")}.`,
    `Storm, shortened: waits between attempts of the mail stages begin at ${stormWaits.initial} and end at ${stormWaits.max}; the number of attempts is as shipped. Quiet times are ${stormQuiet.listQuiet} for a list and ${stormQuiet.threadQuiet} for a thread.`,
    "Storm, lengthened: stages of the parcel pipeline have 60 attempts, with waits of at most a second. Its bombs, documents that kill their workers, have short waits as well.",
    'Storm, requeued: dead letters with the code `parcel.torn`, which die because nobody has mended them yet. No other dead letter is requeued before the comparison, except by the strike "requeue the dead", which plays an operator.',
    "Storm, excused: time in which no worker could take over does not count as recovery time.",
    'Storm, left out: the fault "disk full" where the machine does not let us make a small disk.',
    "Undisturbed run of the storm: in one process, without isolation.",
    "Crash sweep and drill: PGlite in memory, virtual time, stages in the engine's process; no child process. Switched off: retries in place, and run-ahead outside of its own scenarios.",
    "Simulation: virtual time, a simulated network and server over PGlite; no child process, no broker.",
    "Simulation, shortened: polls, heartbeats, sweeps and the other periods of a worker; waits between attempts end after two seconds; claims have 2 to 8 tasks.",
    "Simulation, requeued: dead letters by cancellation, and by `worker-lost` where the document kills no worker: storms of a few seconds kill more workers than the tail of attempts outlasts. All other dead letters are compared as they are.",
    "`chaos:ingest` and `chaos:work`: nothing; the built command with its shipped settings, isolation on, nothing requeued.",
  ];
}
