import { spawnSync } from "node:child_process";

/** What the process of an isolated stage is kept from, and by which means; null: this platform has none. */
export interface Walls {
  readonly network: string | null;
  readonly writing: string | null;
}

/** What holds on this machine for a module of plain JavaScript. */
export const isolationWalls = (): Walls => ({
  network: networkWall().length > 0 ? "unshare" : null,
  writing: hasPermissions() ? "the permission model of Node" : null,
});

/** The command that starts a process in an empty network of its own; empty: unavailable here. */
export function networkWall(): readonly string[] {
  wall ??= process.platform === "linux" ? (ways.find(works) ?? []) : [];
  return wall;
}

/** Found out once: it takes a few milliseconds, and no process waits for it again. */
let wall: readonly string[] | undefined;

/** `unshare` becomes the given program: process id, group and pipes stay the same. */
const ways: readonly (readonly string[])[] = [
  ["unshare", "--net", "--"],
  ["unshare", "--user", "--map-current-user", "--net", "--"],
];

function works([command = "", ...words]: readonly string[]): boolean {
  const { status } = spawnSync(command, [...words, "true"], { stdio: "ignore", timeout: 2_000 });
  return status === 0;
}

/** Node's permission model is stable from 22.13 on. */
const hasPermissions = (): boolean => process.allowedNodeEnvironmentFlags.has("--permission");

/**
 * Flags by which Node neither writes files nor starts programs, except that the process leaves no core file. A loader may have to do
 * both, so a module that needs one (TypeScript by tsx) has no such wall.
 */
export function writingWall(loading: readonly string[], able = hasPermissions()): string[] {
  const options = process.env.NODE_OPTIONS ?? "";
  const loads = [...loading, options].some((flag) =>
    /(^|\s)(-r|--(import|require|loader|experimental-loader))\b/.test(flag),
  );
  if (!able || loads) return [];
  return [
    "--permission",
    "--allow-fs-read=*",
    "--allow-fs-write=/proc/self/coredump_filter",
    "--allow-worker",
  ];
}
