import { run } from "./run.ts";

const words = process.argv.slice(2);
process.exitCode = await run(words);
// A drill runs code of others, which may leave timers and sockets behind: nobody waits for these.
if (words.includes("drill")) setTimeout(() => process.exit(), 1_000).unref();
