#!/usr/bin/env node
// In a clone the command runs from its sources, which needs two flags that only a new process can have; an installed
// package has been built.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const source = new URL("../src/main.ts", import.meta.url);
if (existsSync(source)) {
  const flags = ["--conditions=@headway/source", "--import", import.meta.resolve("tsx"), "--no-warnings"];
  const child = spawn(process.execPath, [...flags, fileURLToPath(source), ...process.argv.slice(2)], {
    stdio: "inherit",
  });
  // A terminal sends its signals to both of us; whoever signals us alone means the one that works.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      if (!process.stdin.isTTY || signal !== "SIGINT") child.kill(signal);
    });
  }
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === "SIGINT" ? 130 : 1);
  });
} else {
  await import("../dist/main.js");
}
