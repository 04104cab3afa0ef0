import { defineConfig } from "vitest/config";

// Packages of this repository are taken from their sources, so that nothing has to be built before a test. The rest
// are Vite's own conditions, which naming one replaces.
const conditions = ["@headway/source", "module", "node", "development|production"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["{engine,pipelines/*,cli}/src/**/*.test.ts", "test/**/*.test.ts", "tools/**/*.test.ts"],
    globalSetup: "test/support/global-setup.ts",
    // Processes, because the code under test starts worker threads of its own and a crash must cost one file only.
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ["default", "./tools/count-reporter.ts"],
  },
});
