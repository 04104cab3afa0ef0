import { mkdir } from "node:fs/promises";
import { permanent, transient } from "@headway/engine";
import { checkHost } from "./check-host.ts";
import { type ReadSource, resultOf } from "./reading.ts";
import { lastLine, runTool } from "./run-tool.ts";

/** Exit codes of rsync about the other side or the connection. */
const passing = new Set([5, 10, 12, 30, 35, -1]);

/** Copies what has changed into a folder of this machine, then reads the folder. Links and devices are left out. */
export const readRsync: ReadSource = async ({ name, spec, secret, folder, feeder, options }) => {
  await checkHost(spec);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { signal } = options;
  const words = [
    "--recursive",
    "--times",
    "--no-links",
    "--no-devices",
    "--no-specials",
    "--partial",
    "--timeout=60",
  ];
  const from = spec.place.endsWith("/") ? spec.place : `${spec.place}/`;
  const env = secret === null ? {} : { RSYNC_PASSWORD: secret };
  const { code, complaint } = await runTool("rsync", [...words, "--", from, `${folder}/`], { signal, env });
  if (/@ERROR: (auth failed|unknown module|chdir failed)/i.test(complaint)) {
    const [fault, advice] = /auth failed/i.test(complaint)
      ? ["rsync.login", "give another secret"]
      : ["rsync.missing", "check the name of the module"];
    throw permanent(fault, `${spec.place} refuses (${lastError(complaint)}): ${advice}.`);
  }
  if (passing.has(code))
    throw transient("rsync.unreachable", `rsync ended with ${code}: ${lastLine(complaint)}`);
  // 23 and 24: some files could not be read, or vanished.
  if (code !== 0 && code !== 23 && code !== 24)
    throw permanent("rsync.refused", `rsync ended with ${code}: ${lastLine(complaint)}`);
  return resultOf(await feeder.places([folder], { ...options, list: options.list ?? name }));
};

const lastError = (complaint: string): string =>
  lastLine(complaint.split("\n").findLast((line) => line.startsWith("@ERROR")) ?? complaint);
