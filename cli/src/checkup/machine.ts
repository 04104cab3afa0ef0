import { existsSync } from "node:fs";
import { mkdtemp, rmdir, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Cores, countCores, isolationWalls, type Walls } from "@headway/engine/internal";
import { showCount } from "../terminal.ts";
import { type Finding, findingsOf, showBytes } from "./finding.ts";

const recommended = 24;
const oldestSupported = 22;

export function checkNode(version = process.versions.node): Finding {
  const { ok, warn } = findingsOf("node");
  const major = Number(version.split(".")[0]);
  return major >= oldestSupported
    ? ok(`Node ${version}.`)
    : warn(`Node ${version} is past its support: install Node ${recommended}, which is recommended.`);
}

/** What keeps a stage that reads hostile documents apart from the rest of the machine. */
export function checkIsolation(walls: Walls = isolationWalls()): Finding {
  const { ok, warn } = findingsOf("isolation");
  const missing = [
    walls.network === null
      ? "use the network (Linux with unshare and user namespaces keeps it from that)"
      : "",
    walls.writing === null ? "write files (Node 22.13 keeps it from that)" : "",
  ].filter((one) => one !== "");
  const has =
    "Isolated stages run in processes of their own, without the keys and passwords of the environment";
  return missing.length === 0
    ? ok(`${has}, without network and without writing.`)
    : warn(`${has}; but here hostile code in one could ${missing.join(" and ")}.`);
}

/** The cores that isolated stages would use in a worker started here. */
export function checkCores(
  setting: number,
  { used, present, limitedBy }: Cores = countCores(setting),
): Finding {
  const { ok, warn } = findingsOf("cores");
  const uses = `Isolated stages use ${used} of ${showCount(present, "core")}`;
  switch (limitedBy) {
    case "machine":
      return setting > present
        ? warn(`${uses}: HEADWAY_CORES is ${setting}, and more processes than cores would only cost memory.`)
        : ok(`${uses}.`);
    case "setting":
      return ok(`${uses}, by HEADWAY_CORES.`);
    case "quota":
      return ok(`${uses}, by the quota of this container; set HEADWAY_CORES for another number.`);
    case "memory":
      return warn(`${uses}, because there is too little memory for more: give this machine 160 MB for each.`);
  }
}

const bytesWarn = 2e9;
const bytesBad = 2e8;

/** The folder, and the disk it is on. */
export async function checkFolder(data: string): Promise<Finding[]> {
  const { ok, warn, bad } = findingsOf("folder");
  let place = data;
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  try {
    // Asking for permissions is not enough: a disk may be read-only or full.
    await rmdir(await mkdtemp(join(place, ".doctor-")));
  } catch (error) {
    return [
      bad(
        `Nothing can be written to ${place} (${(error as Error).message}): give the folder to this user, or another with --data.`,
      ),
    ];
  }
  const { bavail, bsize } = await statfs(place);
  const space = findingsOf("disk");
  const free = bavail * bsize;
  const left = `${showBytes(free)} are left for ${place}`;
  return [
    existsSync(data)
      ? ok(`${data} can be written to.`)
      : warn(`${data} is not there yet: it is made by "headway ingest PATH".`),
    free < bytesBad
      ? space.bad(`Only ${left}: make room before anything is written.`)
      : free < bytesWarn
        ? space.warn(`${left}: make room soon.`)
        : space.ok(`${left}.`),
  ];
}
