import type { Stage } from "../define/stage.ts";
import type { Running } from "./attempt.ts";

/** Threads in which stages run that may spin or explode. */
export interface Isolates {
  /** Runs a stage apart; what it yields arrives with back-pressure. Ending `running` ends the thread. */
  run(stage: Stage, input: unknown, running: Running): AsyncIterable<unknown>;
  close(): Promise<void>;
}

export function makeIsolates(): Isolates {
  return {
    run() {
      throw new Error("isolated stages are not there yet");
    },
    close: async () => undefined,
  };
}
