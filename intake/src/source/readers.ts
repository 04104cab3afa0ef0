import { readGit } from "./read-git.ts";
import { readImap } from "./read-imap.ts";
import { readMonths } from "./read-months.ts";
import { readRsync } from "./read-rsync.ts";
import { type ReadSource, resultOf, withSecret } from "./reading.ts";
import type { SourceKind } from "./spec.ts";

const readFolder: ReadSource = async ({ spec, feeder, options }) =>
  resultOf(await feeder.places([spec.place], options));

const readWeb: ReadSource = async ({ spec, secret, feeder, options }) =>
  resultOf(await feeder.places([withSecret(spec.place, secret)], options));

export const readers: Readonly<Record<SourceKind, ReadSource>> = {
  folder: readFolder,
  web: readWeb,
  pipermail: readMonths,
  hyperkitty: readMonths,
  git: readGit,
  imap: readImap,
  rsync: readRsync,
};
