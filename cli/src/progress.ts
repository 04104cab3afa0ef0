import type { Consensus } from "@headway/consensus";
import { openOperator, type StageLine } from "@headway/engine/operate";
import type { Outlast } from "./outlasting.ts";
import { type Console, pad, showNumber } from "./terminal.ts";

/** Shows progress until `until` resolves: redrawn on a terminal, a line now and then elsewhere. */
export async function showProgress<T>(
  consensus: Consensus,
  console: Console,
  until: Promise<T>,
  { quiet = false, outlast = (step) => step() }: { quiet?: boolean; outlast?: Outlast } = {},
): Promise<T> {
  if (quiet) return await until;
  const drawing = makeDrawing(console);
  const operator = await openOperator({
    database: consensus.engine.database,
    actor: "progress",
    pipelines: [consensus.pipeline],
  });
  let ended = false;
  const stop = new AbortController();
  until.then(
    () => stop.abort(),
    () => stop.abort(),
  );
  const rates = makeRates();
  const resting = makeRest();
  while (!ended) {
    const from = performance.now();
    const stages = inOrder(await outlast(() => operator.status()), consensus);
    drawing.draw(
      stages.map((stage) => rates.of(stage)),
      resting.of(stages),
    );
    // Counting must never cost more than a small part of the work.
    const pauseMs = Math.max(drawing.everyMs, 20 * (performance.now() - from));
    ended = stop.signal.aborted;
    if (!ended) await pause(pauseMs, stop.signal);
  }
  drawing.end();
  return await until;
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

const restMs = 10_000;

/** A sentence for the time in which all that is left waits for a next try. */
export function makeRest(now: () => number = () => performance.now()): {
  of(stages: readonly Pick<StageLine, "waiting" | "later" | "claimed">[]): string | null;
} {
  let since: number | null = null;
  return {
    of(stages) {
      const later = stages.reduce((sum, stage) => sum + stage.later, 0);
      const rests = later > 0 && stages.every(({ waiting, claimed }) => waiting + claimed === 0);
      since = rests ? (since ?? now()) : null;
      if (since === null || now() - since < restMs) return null;
      const tasks = later === 1 ? "1 task waits" : `${showNumber(later)} tasks wait`;
      return `${tasks} for a next try (headway explain says when); Ctrl-C is safe, the next run goes on.`;
    },
  };
}

const inOrder = (stages: readonly StageLine[], { pipeline }: Consensus): StageLine[] =>
  pipeline.stages.flatMap(({ name }) => stages.find((line) => line.stage === name) ?? []);

export interface StageProgress {
  readonly stage: string;
  readonly done: number;
  readonly open: number;
  readonly dead: number;
  readonly perSecond: number;
  readonly etaSeconds: number | null;
  readonly shut: string | null;
}

/** A stage's speed over the last seconds. */
export function makeRates(now: () => number = () => performance.now()): {
  of(
    line: Pick<StageLine, "stage" | "done" | "waiting" | "later" | "claimed" | "dead" | "shut">,
  ): StageProgress;
} {
  const seen = new Map<string, { at: number; done: number }[]>();
  return {
    of({ stage, done, waiting, later, claimed, dead, shut }) {
      const open = waiting + later + claimed;
      const history = [...(seen.get(stage) ?? []), { at: now(), done }].slice(-20);
      seen.set(stage, history);
      const [first] = history as [{ at: number; done: number }];
      const seconds = (now() - first.at) / 1_000;
      const perSecond = seconds > 0 ? Math.max(0, done - first.done) / seconds : 0;
      const etaSeconds = open > 0 && perSecond > 0 ? open / perSecond : null;
      return { stage, done, open, dead, perSecond, etaSeconds, shut };
    },
  };
}

interface Drawing {
  readonly everyMs: number;
  draw(stages: readonly StageProgress[], note?: string | null): void;
  end(): void;
}

function makeDrawing(console: Console): Drawing {
  return console.live ? makeLiveDrawing(console) : makePlainDrawing(console);
}

function makeLiveDrawing(console: Console): Drawing {
  let lines = 0;
  const rewind = () => (lines > 0 ? `\u001b[${lines}A` : "");
  return {
    everyMs: 200,
    draw(stages, note) {
      const texts = [...stages.map(stageText), ...(note ? [note] : [])];
      const shown = texts.map((text) => `${text}\u001b[K\n`);
      console.warn(`${rewind()}${shown.join("")}\u001b[J`);
      lines = shown.length;
    },
    end: () => console.warn("\n"),
  };
}

/** Without a terminal a line is written only after progress, and not too often. */
export function makePlainDrawing(
  console: Pick<Console, "warn">,
  now: () => number = () => performance.now(),
): Drawing {
  let last: string | null = null;
  let writtenAt = Number.NEGATIVE_INFINITY;
  let latest: readonly StageProgress[] = [];
  let told = false;
  const write = () => {
    const text = plainText(latest);
    // The initial state is no progress.
    last ??= text;
    if (text === last) return;
    last = text;
    writtenAt = now();
    const eta = Math.max(...latest.map(({ etaSeconds }) => etaSeconds ?? 0), 0);
    console.warn(`${text}${eta >= 1 ? ` · about ${showSeconds(eta)} left` : ""}\n`);
  };
  return {
    everyMs: 500,
    draw(stages, note) {
      latest = stages;
      if (now() - writtenAt >= 3_000) write();
      if (note && !told) console.warn(`${note}\n`);
      told = Boolean(note);
    },
    end: write,
  };
}

const plainText = (stages: readonly StageProgress[]): string =>
  stages
    .filter(({ done, open, dead }) => done + open + dead > 0)
    .map(
      ({ stage, done, open, dead }) =>
        `${stage} ${done}${open ? `/${done + open}` : ""}${dead ? ` (${dead} dead)` : ""}`,
    )
    .join(" · ");

const barWidth = 20;

function stageText({ stage, done, open, dead, perSecond, etaSeconds, shut }: StageProgress): string {
  const all = done + open + dead;
  const filled = all === 0 ? 0 : Math.floor((barWidth * (done + dead)) / all);
  const bar = "█".repeat(filled) + "░".repeat(barWidth - filled);
  const parts = [
    `${pad(showNumber(done), 7, "right")} done`,
    open > 0 ? `${showNumber(open)} waiting` : "",
    dead > 0 ? `${showNumber(dead)} dead` : "",
    open > 0 && perSecond > 0 ? `${showNumber(perSecond)}/s` : "",
    etaSeconds !== null && etaSeconds >= 1 ? `${showSeconds(etaSeconds)} left` : "",
    shut ? `held: ${shut}` : "",
  ];
  return `  ${pad(stage, 12)} ${bar} ${parts.filter((part) => part !== "").join(" · ")}`;
}

export function showSeconds(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}
