import { defineConfig } from "vitest/config";
import SlowFirst from "./tools/slow-first.ts";

// Packages of this repository are taken from their sources, so that nothing has to be built before a test. The rest
// are Vite's own conditions, which naming one replaces.
const conditions = ["@headway/source", "module", "node", "development|production"];

/** These need the machine for themselves, or would take it from the others. */
const alone = ["test/sim/sim.test.ts", "test/integration/speed-guard.test.ts"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    globalSetup: "test/support/global-setup.ts",
    // Processes, because the code under test starts worker threads of its own and a crash must cost one file only.
    pool: "forks",
    maxWorkers: 2,
    // Limits for what hangs, not for what is slow: a busy machine takes several times as long as an idle one.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    sequence: { sequencer: SlowFirst },
    reporters: ["default", "./tools/count-reporter.ts"],
    projects: [
      // Tests beside the code share two processes: what they import is read, and PGlite compiled, once and not for each file.
      {
        extends: true,
        test: {
          name: "beside",
          include: ["{engine,text,intake,pipelines/*,cli}/src/**/*.test.ts"],
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: "whole", include: ["test/**/*.test.ts", "tools/**/*.test.ts"], exclude: alone },
      },
      // After all others.
      {
        extends: true,
        test: { name: "alone", include: alone, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
