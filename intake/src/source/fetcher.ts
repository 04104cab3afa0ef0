import { type Database, DefinitionError, permanent } from "@headway/engine";
import { cover, coverError } from "./cover.ts";
import type { Feeders } from "./feeder.ts";
import { type Hosts, makeHosts } from "./library/hosts.ts";
import { askForRun, readSecret, readSource, writeCursor } from "./library/table.ts";
import type { Fetched, Fetcher } from "./pipeline.ts";
import { readers } from "./readers.ts";
import { nothing, type Reading, type ReadResult } from "./reading.ts";
import type { Vault } from "./secrets.ts";
import { hostOf, type SourceSpec } from "./spec.ts";

export interface FetcherParts {
  readonly database: Database;
  readonly vault: () => Promise<Vault>;
  readonly feeders: Promise<Feeders>;
  readonly folderOf: (source: string) => string;
  readonly now: () => Date;
}

/** Fetches runs of sources: the service behind the stage `fetching`. */
export function makeFetcher(parts: FetcherParts): Fetcher {
  const { database, now } = parts;
  const hosts = makeHosts(database, now);
  return {
    async fetch({ source: name }, { signal, request }) {
      const startedAt = now().toISOString();
      const row = await readSource(database, name);
      const ended = (place: string, result: ReadResult): Fetched => ({
        ...result,
        place,
        notes: result.notes
          .slice(0, 20)
          .map(({ place: at, because }) => ({ place: at.slice(0, 500), because: because.slice(0, 500) })),
        startedAt,
        endedAt: now().toISOString(),
      });
      if (!row) return ended("", { ...nothing, notes: [{ place: name, because: "the source was removed" }] });
      const reading = await openReading(parts, { name, spec: row.spec, signal, request });
      const read = () =>
        readers[row.spec.kind](reading).catch((error: unknown) => {
          throw coverError(error, reading.secret);
        });
      const result = await atHost(hosts, row.spec, signal, read);
      if (result.more) await askForRun(database, name, { asked: "change", now: now() });
      const notes = result.notes.map(({ place, because }) => ({
        place: cover(place, reading.secret),
        because: cover(because, reading.secret),
      }));
      return ended(row.spec.place, { ...result, notes });
    },
  };
}

async function openReading(
  { database, vault, feeders, folderOf }: FetcherParts,
  { name, spec, signal, request }: { name: string; spec: SourceSpec; signal: AbortSignal; request: string },
): Promise<Reading> {
  const kept = await readSecret(database, name);
  const feeder = (await feeders)[spec.pipeline];
  if (!feeder)
    throw permanent(
      "source.pipeline",
      `Source "${name}" feeds the pipeline "${spec.pipeline}", which does not run here.`,
    );
  return {
    name,
    spec,
    secret: kept?.secret ? await unseal(await vault(), name, kept.secret) : null,
    cursor: kept?.cursor ?? {},
    folder: folderOf(name),
    feeder,
    options: { list: spec.list, allowPrivate: spec.allowPrivate, request, signal },
    keep: (cursor) => writeCursor(database, name, { place: spec.place, cursor }),
  };
}

async function unseal(vault: Vault, name: string, sealed: string): Promise<string> {
  try {
    return vault.open(name, sealed);
  } catch (error) {
    if (error instanceof DefinitionError) throw permanent("source.secret", error.message);
    throw error;
  }
}

/** A host that fails again and again is left alone; a success is remembered. */
async function atHost(
  hosts: Hosts,
  spec: SourceSpec,
  signal: AbortSignal,
  act: () => Promise<ReadResult>,
): Promise<ReadResult> {
  const host = hostOf(spec);
  if (host === null) return await act();
  await hosts.enter(host);
  try {
    const result = await act();
    await hosts.succeeded(host);
    return result;
  } catch (error) {
    const { code, message, kind } = error as { code?: unknown; message?: unknown; kind?: unknown };
    // The host is to blame, and not the service that all sources share.
    if ((error as Error).name === "StageFault") Object.defineProperty(error, "dependency", { value: host });
    if (signal.aborted || typeof code !== "string") throw error;
    if (ofHost.test(code) && kind !== "rate-limited") await hosts.failed(host, String(message));
    else if (/^(url|imap|archive)\./.test(code)) await hosts.succeeded(host);
    throw error;
  }
}

const ofHost =
  /^(url\.(unavailable|unreachable)|imap\.(unreachable|broken|certificate)|git\.unreachable|rsync\.unreachable)$/;
