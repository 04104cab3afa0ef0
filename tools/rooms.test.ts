import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { filesMatching, type Import, importsOf, isCode, isTest, type SourceFile } from "./source.ts";

/**
 * Allowed imports between rooms. Rooms are folders, or single files, of `engine/src`; a room may always import
 * itself. Imports of types count like any other.
 */
interface Room {
  readonly room: string;
  /** Rooms, or single files of a room. */
  readonly mayImport: readonly string[];
  /** Only types of these rooms. */
  readonly mayImportTypesOf?: readonly string[];
  /** Allowed packages and `node:` modules; all by default. */
  readonly packages?: readonly string[];
}

const everyRoom = [
  "define",
  "decide",
  "store",
  "databases",
  "dispatch",
  "sandbox",
  "run",
  "watch",
  "operate",
];
const doors = ["index.ts", "operate.ts", "testing.ts", "internal.ts"];

const typesOfOptions = [
  "config.ts",
  "databases/observed.ts",
  "databases/share.ts",
  "decide/signal.ts",
  "run/accept.ts",
  "run/news.ts",
  "run/readers.ts",
  "run/receive.ts",
  "run/sweep.ts",
  "store/database.ts",
];

const rooms: readonly Room[] = [
  { room: "define", mayImport: [], packages: ["@standard-schema/spec"] },
  { room: "decide", mayImport: ["define"], packages: ["node:crypto", "node:util", "node:buffer"] },
  { room: "store", mayImport: ["define", "decide"] },
  { room: "databases", mayImport: ["define", "store/database.ts", "store/sql.ts"] },
  { room: "dispatch", mayImport: ["define", "decide", "store"] },
  { room: "sandbox", mayImport: ["define", "decide"] },
  { room: "run", mayImport: ["define", "decide", "store", "dispatch", "sandbox"] },
  { room: "watch", mayImport: ["define", "decide"] },
  { room: "operate", mayImport: ["define", "decide", "store"], mayImportTypesOf: ["run/clock.ts"] },
  { room: "config.ts", mayImport: ["define", "decide"] },
  {
    room: "brings.ts",
    mayImport: ["define"],
    mayImportTypesOf: ["app.ts", "engine-options.ts", "run/receive.ts"],
  },
  {
    room: "give-services.ts",
    mayImport: ["define", "store", "brings.ts"],
    mayImportTypesOf: ["engine-options.ts", "run/receive.ts"],
  },
  {
    room: "trace-signals.ts",
    mayImport: ["decide", "dispatch", "watch"],
    mayImportTypesOf: ["run/clock.ts"],
  },
  { room: "engine-options.ts", mayImport: ["define"], mayImportTypesOf: [...typesOfOptions] },
  {
    room: "engine.ts",
    mayImport: [...everyRoom, "config.ts", "engine-options.ts", "give-services.ts", "trace-signals.ts"],
    mayImportTypesOf: ["brings.ts"],
  },
  { room: "reader.ts", mayImport: [...everyRoom, "engine.ts", "engine-options.ts"] },
  {
    room: "app.ts",
    mayImport: ["define"],
    mayImportTypesOf: ["engine-options.ts", "run/news.ts", "run/receive.ts", "store/database.ts"],
  },
  { room: "drill", mayImport: [...everyRoom, "config.ts", "engine.ts"] },
  ...doors.map((room) => ({
    room,
    mayImport: [
      ...everyRoom,
      "app.ts",
      "brings.ts",
      "config.ts",
      "engine.ts",
      "engine-options.ts",
      "reader.ts",
      "drill",
    ],
  })),
];

/** Packages of this repository with their allowed imports. Unlisted folders may import anything. */
const packages: readonly { folder: string; mayImport: readonly string[]; inTests?: readonly string[] }[] = [
  { folder: "text/", mayImport: ["@headway/engine"] },
  { folder: "intake/", mayImport: ["@headway/engine"] },
  {
    folder: "pipelines/",
    mayImport: ["@headway/engine", "@headway/text", "@headway/intake"],
    inTests: ["@headway/engine/testing"],
  },
  {
    folder: "console/",
    mayImport: ["@headway/engine", "@headway/engine/operate", "@headway/engine/internal"],
    inTests: ["@headway/engine/testing"],
  },
  {
    folder: "cli/",
    mayImport: [
      "@headway/engine",
      "@headway/engine/operate",
      "@headway/engine/internal",
      "@headway/engine/testing",
      "@headway/console",
      "@headway/consensus",
      "@headway/intake",
      "@headway/manuals",
    ],
  },
];

describe("imports point one way", () => {
  it("every file imports only what its room may import", () => {
    const complaints = filesMatching(/./)
      .filter(({ path }) => isCode(path))
      .flatMap((file) => importsOf(file).flatMap((each) => complaint(file.path, each) ?? []));
    if (complaints.length > 0) expect.fail(complaints.join("\n"));
  });

  it("no files of the engine import each other in a circle, not even for types", () => {
    const files = filesMatching(/^engine\/src\/.*\.ts$/).filter(({ path }) => !isTest(path));
    const imports = new Map(files.map((file) => [file.path, targetsOf(file)]));
    expect(circlesIn(imports)).toEqual([]);
    expect(
      circlesIn(
        new Map([
          ["a.ts", ["b.ts"]],
          ["b.ts", ["c.ts"]],
          ["c.ts", ["b.ts"]],
        ]),
      ),
    ).toEqual(["b.ts → c.ts → b.ts"]);
  });

  it.each([
    [
      "store/tasks.ts",
      "../run/worker.ts",
      "store/tasks.ts imports run/worker.ts: store may import define, decide only",
    ],
    [
      "define/stage.ts",
      "node:fs",
      "define/stage.ts imports node:fs: define may use @standard-schema/spec only",
    ],
    [
      "define/stage.ts",
      "../decide/fault.ts",
      "define/stage.ts imports decide/fault.ts: define may import nothing",
    ],
    [
      "run/attempt.ts",
      "../config.ts",
      "run/attempt.ts imports config.ts: run may import define, decide, store, dispatch, sandbox only",
    ],
    [
      "store/tasks.ts",
      "../attic/x.ts",
      "store/tasks.ts imports attic/x.ts: store may import define, decide only",
    ],
    ["attic/x.ts", "../store/tasks.ts", "attic/x.ts is in no room: give it one in tools/rooms.test.ts"],
    [
      "databases/pglite.ts",
      "../store/tasks.ts",
      "databases/pglite.ts imports store/tasks.ts: databases may import define, store/database.ts, store/sql.ts only",
    ],
    [
      "run/lane.ts",
      "../databases/postgres.ts",
      "run/lane.ts imports databases/postgres.ts: run may import define, decide, store, dispatch, sandbox only",
    ],
    ["databases/pglite.ts", "../store/sql.ts", null],
    ["run/attempt.ts", "../store/tasks.ts", null],
    ["run/attempt.ts", "./clock.ts", null],
    ["engine.ts", "./operate/requeue.ts", null],
    ["operate/requeue.test.ts", "../engine.ts", null],
  ])("engine/src/%s importing %s", (file, specifier, expected) => {
    expect(complaint(`engine/src/${file}`, { specifier, typeOnly: false })).toBe(expected);
  });

  it("a row may allow types only", () => {
    const clock = (typeOnly: boolean) =>
      complaint("engine/src/operate/pause.ts", { specifier: "../run/clock.ts", typeOnly });
    expect(clock(true)).toBeNull();
    expect(clock(false)).toContain("may import define, decide, store, types of run/clock.ts only");
  });

  it("packages see each other through doors only", () => {
    const check = (file: string, specifier: string) => complaint(file, { specifier, typeOnly: false });
    expect(check("pipelines/consensus/src/pipeline.ts", "@headway/engine")).toBeNull();
    expect(check("pipelines/consensus/src/pipeline.ts", "zod")).toBeNull();
    expect(check("pipelines/consensus/src/pipeline.ts", "@headway/engine/operate")).toBe(
      "pipelines/consensus/src/pipeline.ts imports @headway/engine/operate: pipelines may import @headway/engine, @headway/text, @headway/intake only",
    );
    expect(check("pipelines/consensus/src/pipeline.test.ts", "@headway/engine/testing")).toBeNull();
    expect(check("pipelines/manuals/src/pipeline.ts", "@headway/consensus")).toContain(
      "pipelines may import",
    );
    expect(check("pipelines/manuals/src/pipeline.ts", "../../consensus/src/index.ts")).not.toBeNull();
    expect(check("text/src/links.ts", "@headway/intake")).toBe(
      "text/src/links.ts imports @headway/intake: text may import @headway/engine only",
    );
    expect(check("cli/src/main.ts", "../../engine/src/engine.ts")).toContain(
      "cli may import @headway/engine,",
    );
    expect(check("test/crash/main.ts", "../../engine/src/engine.ts")).toBeNull();
  });
});

const targetsOf = (file: SourceFile): string[] =>
  importsOf(file)
    .filter(({ specifier }) => specifier.startsWith("."))
    .map(({ specifier }) => normalize(join(dirname(file.path), specifier)));

/** A circle for each closing file: `a.ts → b.ts → a.ts`. */
function circlesIn(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = [];
  const left = new Set<string>();
  const enter = (path: string, way: readonly string[]) => {
    const from = way.indexOf(path);
    if (from >= 0) found.push([...way.slice(from), path].join(" → "));
    if (from >= 0 || left.has(path)) return;
    for (const next of imports.get(path) ?? []) enter(next, [...way, path]);
    left.add(path);
  };
  for (const path of imports.keys()) enter(path, []);
  return found;
}

/** What is wrong with an import, as a sentence; null if nothing is. */
function complaint(path: string, { specifier, typeOnly }: Import): string | null {
  const target = specifier.startsWith(".") ? normalize(join(dirname(path), specifier)) : null;
  if (path.startsWith("engine/src/")) {
    if (isTest(path)) return null;
    return engineComplaint(path.slice("engine/src/".length), specifier, target, typeOnly);
  }
  const row = packages.find(({ folder }) => path.startsWith(folder));
  if (!row) return null;
  const home = path
    .split("/")
    .slice(0, row.folder === "pipelines/" ? 2 : 1)
    .join("/");
  const allowed = [...row.mayImport, ...(isTest(path) ? (row.inTests ?? []) : [])];
  const fine = target
    ? target.startsWith(`${home}/`)
    : !specifier.startsWith("@headway/") || allowed.includes(specifier);
  return fine
    ? null
    : `${path} imports ${target ?? specifier}: ${row.folder.slice(0, -1)} may import ${only(allowed)}`;
}

function engineComplaint(
  file: string,
  specifier: string,
  target: string | null,
  typeOnly: boolean,
): string | null {
  const name = roomOf(file);
  const row = rooms.find(({ room }) => room === name);
  if (!row) return `${file} is in no room: give it one in tools/rooms.test.ts`;
  if (target === null) {
    if (!row.packages || row.packages.includes(specifier)) return null;
    return `${file} imports ${specifier}: ${name} may use ${only(row.packages)}`;
  }
  const imported = target.startsWith("engine/src/") ? target.slice("engine/src/".length) : target;
  const room = roomOf(imported);
  if (room === name || row.mayImport.includes(room) || row.mayImport.includes(imported)) return null;
  if (typeOnly && row.mayImportTypesOf?.includes(imported)) return null;
  const types = (row.mayImportTypesOf ?? []).map((each) => `types of ${each}`);
  return `${file} imports ${imported}: ${name} may import ${only([...row.mayImport, ...types])}`;
}

/** `store/tasks.ts` is in the room `store`; a file beside the rooms is a room by itself. */
const roomOf = (file: string) => file.split("/")[0] as string;

const only = (names: readonly string[]) => (names.length === 0 ? "nothing" : `${names.join(", ")} only`);
