/** The parts of a run, by the letters used in the options. */
export const measures = {
  a: "Completions",
  b: "Handing in",
  c: "Wake-up of an idle worker",
  d: "Recovery after kill -9 of a worker",
  e: "Three stages, documents of 1 KB",
  f: "Growth",
  g: "Worker processes",
  i: "Yardsticks",
} as const;
// h, PGlite, is a contender in a to e.

export type Letter = keyof typeof measures;

/** One measurement per repetition; all trials of a repetition run before the next repetition. */
export interface Trial {
  readonly letter: Letter;
  /** Row in the table. */
  readonly row: string;
  /** Reference row of Headway, for the comparison. */
  readonly reference?: boolean;
  readonly run: () => Promise<Figures>;
}

/** Values by name; null: not supported. */
export type Figures = Readonly<Record<string, number | null>>;

/** Amount of work in a run. */
export interface Scale {
  readonly jobs: number;
  readonly handedIn: number;
  readonly wakes: number;
  readonly kills: number;
  readonly documents: number;
  readonly growthSizes: readonly number[];
  readonly growthBlock: number;
  readonly processes: readonly number[];
  readonly yardstickSeconds: number;
  /** Time limit of one trial. */
  readonly limitMs: number;
  /** Also kills the peers with timers short enough to wait for. */
  readonly killPeers: boolean;
}

export const wholeScale: Scale = {
  jobs: 100_000,
  handedIn: 20_000,
  wakes: 200,
  kills: 5,
  documents: 10_000,
  growthSizes: [10_000, 100_000, 1_000_000],
  growthBlock: 30_000,
  processes: [1, 2, 4],
  yardstickSeconds: 3,
  limitMs: 240_000,
  killPeers: false,
};

/** Enough to check that everything works; the figures mean nothing. */
export const quickScale: Scale = {
  ...wholeScale,
  jobs: 2_000,
  handedIn: 400,
  wakes: 10,
  kills: 1,
  documents: 200,
  growthSizes: [1_000, 5_000],
  growthBlock: 3_000,
  processes: [1, 2],
  yardstickSeconds: 1,
  limitMs: 60_000,
};
