import { run } from "./run.ts";

const words = process.argv.slice(2);
process.exitCode = await run(words);
// A drill runs foreign code, which may leave timers and sockets behind: these are not awaited.
if (words.includes("drill")) setTimeout(() => process.exit(), 1_000).unref();
