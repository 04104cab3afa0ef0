import { concessions } from "./concessions.ts";

/** One proof: subject, method, and result. */
export interface Proof {
  readonly title: string;
  readonly command: string;
  /** Names and values, in order of display. */
  readonly figures: readonly (readonly [name: string, value: string])[];
  /** Ended as expected. */
  readonly held: boolean;
  readonly tookSeconds: number;
}

export interface Circumstances {
  readonly commit: string;
  readonly date: string;
  readonly machine: string;
  readonly versions: string;
}

const notCovered = [
  "Power cuts. A killed PostgreSQL or RabbitMQ keeps what it gave to the operating system; a machine that loses power may not. The embedded database (PGlite) does not wait for the disk at all.",
  "Clusters: one PostgreSQL and one RabbitMQ, so nothing is said about failover, split brain or lost quorums.",
  "Disks that lie, memory that flips bits, and operators who write into the tables.",
  "Clocks that jump during a storm: they are moved in the simulation and in tests of their own.",
  "Exactly-once delivery, which nobody has. Delivery is at least once; effects are counted, and each happens once.",
];

const legend = [
  "`recoveryMs`: from the kill of a worker that held something to the next attempt of the first of its documents. Time in which nobody could take it over does not count: the database is away or takes no writes, the stage is paused, its service is down, or nobody is there.",
  "`givenUpMs`: how much of it passed until the others had given it up.",
  "`suspectsMs`: the same as `recoveryMs` for documents whose workers died more than once. They are tried alone, one at a time for each worker and stage, and wait for their turn.",
  "An engine that is broken on purpose has to be found out: there `violations` must not be 0.",
];

const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;

/** The page as Markdown. */
export function makePage(proofs: readonly Proof[], circumstances: Circumstances): string {
  const { commit, date, machine, versions } = circumstances;
  const held = proofs.filter((one) => one.held).length;
  return `${[
    "# Reliability",
    "",
    "Written by `npm run reliability`, which runs everything below and fails if one of them does. Every figure can be had again",
    "with the command beside it; where there is a seed, with that seed.",
    "",
    `Commit ${commit}, ${date}. ${machine} ${versions}`,
    "",
    `**${held} of ${proofs.length} proofs held.**`,
    ...proofs.flatMap((proof) => describe(proof)),
    "",
    "## How to read the storms",
    "",
    ...legend.map((line) => `- ${line}`),
    "",
    "## What the proofs switch off, shorten or requeue",
    "",
    ...concessions().map((line) => `- ${line}`),
    "",
    "## What is not covered",
    "",
    ...notCovered.map((line) => `- ${line}`),
  ].join("\n")}\n`;
}

const describe = ({ title, command, figures, held, tookSeconds }: Proof): string[] => [
  "",
  `## ${title}${held ? "" : ": broken"}`,
  "",
  `\`${command}\`, ${tookSeconds} s`,
  "",
  row(["figure", "value"]),
  row(["---", "---:"]),
  ...figures.map(([name, value]) => row([name, value])),
];
