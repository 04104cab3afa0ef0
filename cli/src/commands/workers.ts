import type { WorkerLine } from "@headway/engine/operate";
import { withDesk } from "../desk.ts";
import type { Adding } from "../run.ts";
import { sharedFlags } from "../shared-options.ts";
import { showRelative, showSpan } from "../show-time.ts";
import { type Column, showCount, showNumber, table } from "../terminal.ts";

export function addWorkers({ program, console }: Adding): void {
  program
    .command("workers")
    .description("Show workers and their claims")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway workers
  headway workers --json | jq '.holds'

A worker whose heartbeat stops is evicted within seconds, and another one takes over what it held.`,
    )
    .action(async (options) => {
      const { lines, now } = await withDesk(options, async ({ operator }) => ({
        lines: await operator.workers(),
        now: operator.now(),
      }));
      if (options.json) return lines.forEach(console.writeJson);
      if (lines.length === 0) return console.warn("Nobody works; start a worker with: headway up\n");
      console.write(`${table(lines, columnsAt(now), console.columns)}\n`);
      const alive = lines.filter((one) => one.alive).length;
      if (alive < lines.length) console.warn(silentText(lines.length - alive, alive));
      else console.warn(`${showCount(alive, "worker")}.\n`);
      for (const line of lines) if (line.busySince) console.warn(busyText(line, line.busySince));
    });
}

const columnsAt = (now: Date): Column<WorkerLine>[] => [
  { title: "ID", of: ({ id }) => String(id), align: "right" },
  { title: "NAME", of: ({ name }) => name },
  { title: "HOST", of: ({ host }) => host },
  { title: "PROCESS", of: ({ pid }) => String(pid), align: "right" },
  { title: "SINCE", of: ({ startedAt }) => showRelative(startedAt, now) },
  {
    title: "HEARTBEAT",
    of: ({ heartbeatAt, alive, busySince }) =>
      `${showRelative(heartbeatAt, now)}${alive ? (busySince ? ", busy" : "") : ", dead"}`,
  },
  { title: "HOLDS", of: (line) => holdsText(line, now) },
  { title: "STAGES", of: ({ stages }) => stages.join(", "), flexible: true },
];

const silentText = (dead: number, alive: number): string =>
  alive > 0
    ? `${showCount(alive, "worker")} alive; what the ${showCount(dead, "dead one", "dead")} held is taken over by others.\n`
    : "Nobody works; what the dead held is taken over when a worker starts: headway up\n";

/** A worker with a session or an open door lives; a kill would only repeat the work. */
const busyText = ({ id, pid, host }: WorkerLine, since: Date): string =>
  `Worker ${id} has been busy since ${since.toISOString().slice(0, 19)}Z and lives: leave it, or stop it in good order with "kill -TERM ${pid}" on ${host}.\n`;

function holdsText({ holds }: WorkerLine, now: Date): string {
  const stages = [...new Set(holds.map(({ stage }) => stage))];
  const texts = stages.map((stage) => {
    const own = holds.filter((one) => one.stage === stage);
    const tasks = own.reduce((all, one) => all + one.tasks, 0);
    const longest = Math.max(...own.map(({ since }) => now.getTime() - since.getTime()));
    return `${showNumber(tasks)} ${stage} for ${showSpan(longest)}`;
  });
  return texts.join(", ") || "nothing";
}
