import { stat } from "node:fs/promises";
import { basename, resolve, sep } from "node:path";
import { archiveKey, showName } from "./archive-key.ts";
import { complainAboutName, walkFolder } from "./folder-walk.ts";
import { defaultLimits, type UnpackLimits } from "./limits.ts";
import type { Recogniser } from "./recogniser.ts";
import { IngestRefusal, type RefusalCode, refusePath } from "./refusal.ts";
import { type Unpacked, unpackFile } from "./unpack.ts";

export interface FoundArchive {
  readonly kind: "archive";
  /** Stable and unique within its list: the same name in every wrapping (`archive-key.ts`). */
  readonly key: string;
  /** For people: a path or address, with `!entry` for entries inside. */
  readonly place: string;
  /** Name of the list, as guessed from names. */
  readonly list: string;
  readonly modified: string | null;
  /** Unpacked bytes, to be read once and before the next archive. */
  open(): AsyncIterable<Uint8Array>;
}

/** A skipped item, in one sentence. */
export interface SkippedNote {
  readonly kind: "skipped";
  readonly place: string;
  readonly because: string;
}

export interface FindOptions {
  readonly recogniser: Recogniser;
  readonly limits?: Partial<UnpackLimits>;
  /** For a folder, read only these files. */
  readonly only?: ReadonlySet<string>;
  readonly signal?: AbortSignal;
}

/**
 * Finds the archives at a path. An unsuitable file is refused if given explicitly, and skipped with a note as a part
 * of a folder.
 */
export async function* findArchives(
  place: string,
  options: FindOptions,
): AsyncGenerator<FoundArchive | SkippedNote> {
  const path = resolve(place);
  const found = await stat(path).catch((error) => {
    throw refusePath(showName(place), error);
  });
  if (found.isDirectory()) return yield* findInFolder(path, showName(place), options);
  if (!found.isFile()) {
    const because = `${showName(place)} is neither a file nor a folder: name one of these.`;
    throw new IngestRefusal("path.unreadable", showName(place), because);
  }
  const file: NamedFile = {
    path,
    place: showName(place),
    names: [basename(path)],
    listNames: path.split(sep),
    keepsSuffix: false,
    modified: found.mtime.toISOString(),
  };
  yield* findInFile(file, options);
}

/** A file on disk, with its names. */
export interface NamedFile {
  readonly path: string;
  readonly place: string;
  /** Parts of the key. */
  readonly names: readonly string[];
  /** Names for guessing the list. */
  readonly listNames: readonly string[];
  readonly keepsSuffix: boolean;
  readonly modified: string | null;
}

/** The archives of a file given explicitly: without any, the file is refused. */
export async function* findInFile(
  file: NamedFile,
  options: FindOptions,
): AsyncGenerator<FoundArchive | SkippedNote> {
  const notes: Note[] = [];
  let count = 0;
  for await (const found of searchFile(file, options)) {
    if (found.kind === "archive") count += 1;
    else notes.push(found);
    // Until the first archive, a note may become the refusal.
    if (count > 0) yield* tell(notes.splice(0));
    if (found.kind === "archive") yield found;
  }
  if (count === 0) throw refuseFile(file.place, notes, options.recogniser.words);
}

async function* findInFolder(
  folder: string,
  place: string,
  options: FindOptions,
): AsyncGenerator<FoundArchive | SkippedNote> {
  let count = 0;
  let passed = 0;
  for await (const walked of walkFolder(folder, options)) {
    if (walked.kind === "skipped") {
      passed += 1;
      yield walked;
      continue;
    }
    if (options.only && !options.only.has(walked.path)) continue;
    const { path, names, keepsSuffix } = walked;
    const file: NamedFile = {
      path,
      place: showName(path),
      names,
      listNames: [...folder.split(sep), ...names.slice(0, -1)],
      keepsSuffix,
      modified: new Date(walked.modifiedMs).toISOString(),
    };
    for await (const found of searchLeniently(file, options)) {
      if (found.kind === "archive") count += 1;
      else passed += 1;
      yield found.kind === "archive"
        ? found
        : { kind: found.kind, place: found.place, because: found.because };
    }
  }
  if (count === 0 && !options.only) throw refuseFolder(place, passed, options.recogniser.words);
}

/** A note with its code as a refusal. */
type Note = Extract<Unpacked, { kind: "skipped" }>;

/** As a part of a folder, even a bomb is only skipped. */
async function* searchLeniently(file: NamedFile, options: FindOptions): AsyncGenerator<FoundArchive | Note> {
  try {
    let count = 0;
    for await (const found of searchFile(file, options)) {
      count += 1;
      yield found;
    }
    if (count === 0) yield asNote(refuseNothing(file.place, options.recogniser.words));
  } catch (error) {
    if (!(error instanceof IngestRefusal)) throw error;
    yield asNote(error);
  }
}

async function* searchFile(file: NamedFile, options: FindOptions): AsyncGenerator<FoundArchive | Note> {
  const limits = { ...defaultLimits, ...options.limits };
  const unpacking = { place: file.place, limits, ...(options.signal ? { signal: options.signal } : {}) };
  for await (const item of unpackFile(file.path, unpacking)) yield judge(item, file, options.recogniser);
}

/** Gigabytes of zeros are not "empty": the file is there, and large. */
const blank = "begins with nothing but blanks or zeros";

function judge(item: Unpacked, file: NamedFile, recogniser: Recogniser): FoundArchive | Note {
  if (item.kind === "skipped")
    return { ...item, place: showName(item.place), because: showName(item.because) };
  const place = showName(item.place);
  const ownName = item.names.at(-1);
  const oddName = ownName === undefined ? null : complainAboutEntry(ownName, recogniser);
  const { content, whole } = recogniser.words;
  if (oddName !== null) return note(`archive.not-${content}`, place, `${place} ${oddName}.`);
  const { kind, because } = recogniser.recognise(item.head);
  switch (kind) {
    case "empty":
      return note("archive.empty", place, `${place} ${item.head.length === 0 ? "is empty" : blank}.`);
    case "foreign":
      return note(`archive.not-${content}`, place, `${place} is not ${whole}, ${lowerFirst(because)}`);
    case "wanted":
      return {
        kind: "archive",
        key: keyOf(file, item.names),
        place,
        list: recogniser.guessList([
          ...file.listNames,
          ...item.names.flatMap((name) => name.split("/").slice(0, -1)),
        ]),
        modified: item.modified ?? file.modified,
        open: () => item.body,
      };
  }
}

/** Entries stand below the name of their file, each wrapping without its suffix. */
function keyOf(file: NamedFile, entryNames: readonly string[]): string {
  const home = archiveKey(file.names, { keepsSuffix: file.keepsSuffix });
  const wrappings = entryNames.slice(0, -1).map((name) => archiveKey([name]));
  return entryNames.length === 0 ? home : archiveKey([home, ...wrappings, entryNames.at(-1) as string]);
}

const complainAboutEntry = (name: string, recogniser: Recogniser) =>
  name.split("/").includes("__MACOSX")
    ? "is what a Mac adds to zip files"
    : complainAboutName(name, recogniser);

const note = (code: RefusalCode, place: string, because: string): Note => ({
  kind: "skipped",
  place,
  because,
  code,
});

const asNote = (refusal: IngestRefusal) => note(refusal.code, refusal.place, refusal.message);

const tell = (notes: readonly Note[]): SkippedNote[] =>
  notes.map(({ kind, place, because }) => ({ kind, place, because }));

const refuseNothing = (place: string, { content }: Recogniser["words"]) =>
  new IngestRefusal("archive.empty", place, `${place} has nothing in it: name a file with ${content}.`);

/** The reason of the first note stands for all. */
function refuseFile(place: string, notes: readonly Note[], words: Recogniser["words"]): IngestRefusal {
  const [first] = notes;
  if (first === undefined) return refuseNothing(place, words);
  if (notes.length === 1) return new IngestRefusal(first.code, first.place, advise(first.because, words));
  const because = `None of the ${notes.length} things in ${place} can be read; the first: ${first.because}`;
  return new IngestRefusal(first.code, place, because);
}

/** Adds advice to a sentence without advice. */
const advise = (sentence: string, { content }: Recogniser["words"]) =>
  sentence.includes(": ")
    ? sentence
    : `${sentence.replace(/\.$/, "")}: name a file or folder with ${content}.`;

function refuseFolder(place: string, passed: number, words: Recogniser["words"]): IngestRefusal {
  const contents =
    passed === 0 ? "is empty" : `has no ${words.content} in it (${passed} other things were passed over)`;
  return new IngestRefusal(
    `path.no-${words.content}`,
    place,
    `The folder ${place} ${contents}: name ${words.folder}.`,
  );
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
