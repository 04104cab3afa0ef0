// @ts-check
// A thread beside an isolated stage, which looks after what the stage itself cannot while it spins: that its process does
// not outlive the one that started it, and does not grow without end.
import { writeSync } from "node:fs";
import { Socket } from "node:net";
import { workerData } from "node:worker_threads";

/** @type {{ lifelineFd: number, residentBytesMax: number }} */
const { lifelineFd, residentBytesMax } = workerData;
const lookEveryMs = 100;

/** With all that the stage has started itself. */
const endAll = () => process.kill(process.platform === "win32" ? process.pid : -process.pid, "SIGKILL");

// It ends when the process at its other end does, whatever that died of.
new Socket({ fd: lifelineFd }).on("end", endAll).on("error", endAll).resume();

setInterval(() => {
  if (process.memoryUsage.rss() <= residentBytesMax) return;
  try {
    // Says why it ends.
    writeSync(lifelineFd, "!");
  } finally {
    endAll();
  }
}, lookEveryMs);
