import { defineConfig } from "vitest/config";
import SlowFirst from "./tools/slow-first.ts";

// Packages of this repository are taken from their sources, so that nothing has to be built before a test. The rest
// are Vite's own conditions, which naming one replaces.
const conditions = ["@headway/source", "module", "node", "development|production"];

/** These need the machine for themselves, or would take it from the others. */
const alone = ["test/sim/sim.test.ts", "test/integration/speed-guard.test.ts"];

/** Tests of pure code and the rules of the house: no database, no server, no process. `npm run quick` runs nothing else. */
const pure = [
  "engine/src/{decide,define}/**/*.test.ts",
  "{text,intake}/src/**/*.test.ts",
  "pipelines/*/src/{anonymize,clean,mail,report,summary,threads,weigh}/**/*.test.ts",
  "tools/{tidy,rooms,markdown,reference,reliability,prose,fault-codes,kept-words,patterns}.test.ts",
];

/** Pure as well, but most of a minute between them. */
const long = [
  "pipelines/consensus/src/weigh/weigh-properties.test.ts",
  "pipelines/consensus/src/clean/clean.test.ts",
  "pipelines/consensus/src/mail/parse-{corpora,hostile}.test.ts",
];

/** PostgreSQL, RabbitMQ and PgBouncer are started for projects that have this, and only if one of their files is run. */
const servers = { globalSetup: "test/support/global-setup.ts" };

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
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
      { extends: true, test: { name: "pure", include: pure, exclude: long, isolate: false } },
      { extends: true, test: { name: "long", include: long, isolate: false } },
      // Tests beside the code share two processes: what they import is read, and PGlite compiled, once and not for each file.
      {
        extends: true,
        test: {
          ...servers,
          name: "beside",
          include: ["{engine,text,intake,pipelines/*,console,cli}/src/**/*.test.ts"],
          exclude: pure,
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          ...servers,
          name: "whole",
          include: ["test/**/*.test.ts", "tools/**/*.test.ts"],
          exclude: [...alone, ...pure],
        },
      },
      // After all others.
      {
        extends: true,
        test: { ...servers, name: "alone", include: alone, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
