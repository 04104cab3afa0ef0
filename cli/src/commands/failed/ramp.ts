import { setTimeout as pause } from "node:timers/promises";
import { type Duration, durationMs } from "@headway/engine";
import { rampSizes } from "@headway/engine/internal";
import type { DeadFilter, Operator, RampStep } from "@headway/engine/operate";
import { exitCodes, Refusal } from "../../exit-codes.ts";
import { type Console, showCount } from "../../terminal.ts";
import { showLetters } from "./select.ts";

export interface Ramp {
  readonly operator: Operator;
  readonly filter: DeadFilter;
  readonly console: Console;
  readonly limit?: number;
  readonly why?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean | undefined;
  readonly wait?: string;
}

const lookAgainMs = 300;

/** Requeues more and more while all goes well. The state is in the database: a killed ramp can be continued. */
export async function rampUp(ramp: Ramp): Promise<number> {
  const { operator, filter, limit } = ramp;
  const size = { ...(limit !== undefined && { limit }) };
  const plan = await operator.requeueDead(filter, { ...size, dryRun: true });
  const open = await operator.openRamp(filter, size);
  if (ramp.dryRun) return tellPlan(ramp, plan, open);
  if (open === null && plan.requeued === 0) {
    if (!ramp.json) ramp.console.warn("No dead letter fits.\n");
    return exitCodes.done;
  }
  const waitMs = readWait(ramp.wait);
  const why = ramp.why === undefined ? {} : { why: ramp.why };
  let step =
    open === null ? await operator.startRamp(filter, { ...size, ...why }) : await operator.continueRamp(open);
  if (open !== null) ramp.console.warn(`Going on with ramp ${open}.\n`);
  for (let since = performance.now(); ; step = await operator.continueRamp(step.ramp)) {
    if (step.move.kind === "wait") {
      if (performance.now() - since > waitMs)
        throw new Refusal(`${waitText(step)} after ${ramp.wait}; ${again}`);
      if (!(await somebodyWorks(operator)))
        throw new Refusal(`${waitText(step)}, and nobody works: start a worker with "headway up"; ${again}`);
    } else {
      tell(step, ramp);
      since = performance.now();
    }
    if (step.move.kind === "finished") return exitCodes.done;
    if (step.move.kind === "stop") return exitCodes.deadLetters;
    await pause(lookAgainMs);
  }
}

const again = "then run the same command again to go on";
const waitText = ({ step, requeued, move }: RampStep): string =>
  `Step ${step} (${showCount(requeued, "dead letter")} sent so far) still waits for ${move.kind === "wait" ? move.pending : 0}`;

async function somebodyWorks(operator: Operator): Promise<boolean> {
  return (await operator.workers()).some(({ alive }) => alive);
}

function tell(step: RampStep, { console, json }: Ramp): void {
  if (json) {
    console.writeJson(step);
    return;
  }
  const { move, requeued } = step;
  if (move.kind === "go")
    console.write(`Step ${step.step}: sent ${showCount(move.size, "dead letter")} back.\n`);
  if (move.kind === "finished") console.write(`Done: ${showCount(requeued, "dead letter")} sent back.\n`);
  if (move.kind === "stop") {
    console.write(
      `Stopped after ${showCount(requeued, "dead letter")}: ${move.returned} came back with the same fault (${move.fingerprint}).\n`,
    );
    console.warn(`Look at it with: headway failed inspect --fingerprint ${move.fingerprint} --limit 1\n`);
  }
}

function tellPlan(
  { console, json }: Ramp,
  { requeued, stages, dryRun }: Awaited<ReturnType<Operator["requeueDead"]>>,
  open: number | null,
): number {
  const steps: number[] = [];
  for (let left = requeued; left > 0; left -= steps.at(-1) as number) {
    steps.push(Math.min(left, rampSizes[Math.min(steps.length, rampSizes.length - 1)] as number));
  }
  if (json) console.writeJson({ requeued, stages, steps, ramp: open, dryRun });
  else if (requeued === 0) console.warn("No dead letter fits.\n");
  else {
    const shown = steps.length > 10 ? [...steps.slice(0, 10), "…"] : steps;
    const goes = open === null ? "in steps of" : `ramp ${open} goes on; afresh it would be`;
    console.write(`Would requeue ${showLetters(requeued, stages)}, ${goes} ${shown.join(", ")}.\n`);
  }
  return exitCodes.done;
}

function readWait(text = "10m"): number {
  try {
    return durationMs(text as Duration);
  } catch {
    throw new Refusal(`--wait is "${text}"; expected a duration such as 10m.`, 2);
  }
}
