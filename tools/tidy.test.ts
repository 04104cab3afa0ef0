import { describe, expect, it } from "vitest";
import type { Node, SourceFile } from "./source.ts";
import { entriesOf, filesMatching, importsOf, isCode, isTest, linesOf, parse, walk } from "./source.ts";

/** A rule of the house. `bites` is a file that breaks the rule, as a test of the rule. */
interface Rule {
  readonly promise: string;
  readonly files: (path: string) => boolean;
  readonly complaints: (file: SourceFile) => string[];
  readonly bites: SourceFile;
}

const linesMax = { source: 400, test: 600, function: 60 };

const rootEntries = new Set(
  [
    ".ci .editorconfig .gitattributes .github .gitignore .npmrc",
    "ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md LICENSE README.md RELIABILITY.md SECURITY.md STYLE.md",
    "biome.jsonc package-lock.json package.json tsconfig.json vitest.config.ts",
    "bench chaos cli console deploy docs engine intake pipelines test text tools",
  ].flatMap((line) => line.split(" ")),
);

/** Closures of more than 60 lines, with their length: a length here may be lowered, a line removed, none added. */
const longWithInner: Readonly<Record<string, number>> = {
  "engine/src/databases/share.ts serve": 80,
  "engine/src/dispatch/broker.ts openBroker": 100,
  "engine/src/dispatch/export-spans.ts openSpanExport": 70,
  "engine/src/dispatch/rabbitmq.ts startRabbitDispatch": 150,
  "engine/src/drill/drill.ts openBooks": 80,
  "engine/src/drill/faulty-database.ts faultyDatabase": 100,
  "engine/src/drill/test-engine.ts openTestEngine": 80,
  "engine/src/drill/world.ts makeWorld": 170,
  "engine/src/engine.ts assemble": 80,
  "engine/src/run/pump.ts startPump": 110,
  "engine/src/run/receive.ts openReception": 130,
  "engine/src/run/worker.ts makeWorker": 80,
  "engine/src/run/worker.ts startWorker": 100,
};

const drawers = "util utils helper helpers common lib misc types constants manager base".split(" ");

/** Where the engine meets the real world, and so may read clocks and set timers. */
const mayTouchTime = ["engine/src/run/clock.ts", /^engine\/src\/(databases|sandbox)\//];
const bannedNames = /^(setTimeout|setInterval|randomUUID|randomBytes|randomInt|getRandomValues)$/;
const bannedMembers = /^(Date\.now|Math\.random|performance\.now|process\.hrtime|AbortSignal\.timeout)$/;

const isEngineSource = (path: string) => path.startsWith("engine/src/") && isCode(path) && !isTest(path);
const looksLikeSql =
  /^\s*(with\s+(recursive\s+)?\w+\s.*\bas\b|select\s.*\b(from|pg_\w+|nextval)\b|insert\s+into\s|update\s+[\w."]+\s+set\s|delete\s+from\s|(create|alter|drop)\s+(table|index|schema|function|sequence)\s|(un)?listen\s+\w+\s*;?$)/is;

const rules: Rule[] = [
  {
    promise: "a source file has at most 400 lines, a test file 600",
    files: (path) => isCode(path) || path.endsWith(".sh"),
    complaints({ path, text }) {
      const limit = isTest(path) ? linesMax.test : linesMax.source;
      const lines = linesOf(text);
      return lines > limit
        ? [`${path} has ${lines} lines: split it along its ideas (at most ${limit}).`]
        : [];
    },
    bites: { path: "engine/src/store/tasks.ts", text: "\n".repeat(402) },
  },
  {
    promise: "a function has at most 60 lines of its own, describe() bodies aside",
    files: isCode,
    complaints: (file) =>
      functionsOf(file)
        .filter(({ lines, describes }) => lines > linesMax.function && !describes)
        .map(
          ({ name, lines }) => `${file.path}: ${name} has ${lines} lines: give its parts names (at most 60).`,
        ),
    bites: { path: "engine/src/store/tasks.ts", text: `export const claim = () => {${"\n".repeat(61)}};` },
  },
  {
    promise:
      "a function of the engine has at most 60 lines with its inner functions; the longer ones left only shrink",
    files: isEngineSource,
    complaints: (file) =>
      functionsOf(file)
        .filter(
          ({ name, whole }) =>
            whole > Math.max(linesMax.function, longWithInner[`${file.path} ${name}`] ?? 0),
        )
        .map(
          ({ name, whole }) =>
            `${file.path}: ${name} has ${whole} lines with its inner functions: move them out (at most 60).`,
        ),
    bites: {
      path: "engine/src/store/tasks.ts",
      text: `export const claim = () => {const inner = () => {${"\n".repeat(40)}};${"\n".repeat(40)}};`,
    },
  },
  {
    promise: "verdicts on tasks are made in decide/ only",
    files: (path) => path.startsWith("engine/src/run/") && isEngineSource(path),
    complaints: ({ path, text }) =>
      [
        ...text.matchAll(
          /verdict(: Unfinished =|:) \{\s*(kind:|\.\.\.)|kind: "(released|held|dead|retry)",/g,
        ),
      ].map(([found]) => `${path} makes a verdict (${excerpt(found)}): give settle the outcome instead.`),
    bites: { path: "engine/src/run/lane.ts", text: `const v = { kind: "dead", reason: "permanent" };` },
  },
  {
    promise: "a file is named after what it does, in kebab-case",
    files: isCode,
    complaints({ path }) {
      const words = path.split("/").map((part) => (part.split(".")[0] as string).split("-"));
      const drawer = words.map((parts) => parts.at(-1) as string).find((last) => drawers.includes(last));
      if (drawer) return [`${path} is a drawer ("${drawer}"): name it after what it does.`];
      const name = path.split("/").at(-1) as string;
      return /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)+$/.test(name)
        ? []
        : [`${path}: write the name in kebab-case.`];
    },
    bites: { path: "engine/src/store/string-utils.ts", text: "" },
  },
  {
    promise: "the engine never prints: it emits signals",
    files: isEngineSource,
    complaints: (file) =>
      usesOf(file, (name) => name.startsWith("console.")).map(
        (name) => `${file.path} calls ${name}: emit a signal instead, watch/ decides what is written where.`,
      ),
    bites: { path: "engine/src/run/worker.ts", text: `console.log("claimed");` },
  },
  {
    promise: "only engine/src/store, the databases and a pipeline's library contain SQL",
    files: (path) =>
      (isEngineSource(path) &&
        !/^engine\/src\/(store|databases)\//.test(path) &&
        path !== "engine/src/index.ts") ||
      (/^(cli|console|text|intake|pipelines\/\w+)\/src\//.test(path) &&
        isCode(path) &&
        !isTest(path) &&
        !path.includes("/library/") &&
        path !== "intake/src/blob-pieces.ts"),
    complaints: (file) => [
      ...importsOf(file)
        .filter(({ specifier }) => /\bstore\/sql\.ts$/.test(specifier))
        .map(
          () => `${file.path} imports the sql tag: put the statement into a function of engine/src/store.`,
        ),
      ...textsOf(file)
        .filter((text) => looksLikeSql.test(text))
        .map((text) => `${file.path} contains SQL (${excerpt(text)}): move it into engine/src/store.`),
    ],
    bites: { path: "engine/src/run/sweep.ts", text: "const s = `select id from task where state = 'done'`;" },
  },
  {
    promise: "time, chance, identity and timers of the engine come from its clock",
    files: (path) =>
      isEngineSource(path) &&
      !mayTouchTime.some((may) => (typeof may === "string" ? may === path : may.test(path))),
    complaints: (file) => [
      ...usesOf(
        file,
        (name) => bannedNames.test(name) || bannedMembers.test(name) || name === "new Date()",
      ).map((name) => `${file.path} uses ${name}: take it from the Clock that is handed in (run/clock.ts).`),
      ...importsOf(file)
        .filter(({ specifier }) => /^(node:)?timers(\/|$)/.test(specifier))
        .map(
          ({ specifier }) =>
            `${file.path} imports ${specifier}: use the Clock that is handed in (run/clock.ts).`,
        ),
    ],
    bites: { path: "engine/src/run/worker.ts", text: "export const startedAt = () => new Date();" },
  },
  {
    promise: "importing a file of the engine does no work: no top-level await",
    files: (path) => isEngineSource(path) && path.endsWith(".ts"),
    complaints: (file) =>
      hasTopLevelAwait(file)
        ? [`${file.path} awaits at its top level: move it into an exported function.`]
        : [],
    bites: { path: "engine/src/config.ts", text: "export const config = await load();" },
  },
  {
    promise: "no test is skipped, singled out or left to do",
    files: isTest,
    complaints: (file) =>
      usesOf(file, (name) => /^(it|test|describe)\.(skip|only|todo)$/.test(name)).map(
        (name) => `${file.path} uses ${name}: write the test, or delete it.`,
      ),
    bites: { path: "test/a.test.ts", text: `it.only("works", () => {});` },
  },
  {
    promise: "no test fails by the clock on the wall, which runs faster on a busy machine",
    files: isTest,
    complaints: (file) => clockLimits(file).map((what) => `${file.path}: ${what}`),
    bites: {
      path: "test/a.test.ts",
      text: "const tookMs = performance.now() - startedAt;\nexpect(tookMs).toBeLessThan(2_000);",
    },
  },
  {
    promise: "no file names a folder of somebody's machine",
    files: () => true,
    complaints: ({ path, text }) =>
      [...text.matchAll(/(?<![\w.:/~*-])\/(?:home|Users|root|work)\/[\w.-]+/g)].map(
        ([found]) => `${path} names ${found}: use a path relative to the repository.`,
      ),
    bites: { path: "docs/start.md", text: ["cd ", "home", "ann", "headway"].join("/") },
  },
  {
    promise: "the lock file names no registry",
    files: (path) => path === "package-lock.json",
    complaints: ({ path, text }) =>
      /"resolved": "https?:/.test(text)
        ? [`${path} names a registry: run npm install --omit-lockfile-registry-resolved.`]
        : [],
    bites: { path: "package-lock.json", text: `"resolved": "https://registry.example/pg.tgz"` },
  },
  {
    promise: "the lock file holds the packages of every platform, without which npm ci refuses it",
    files: (path) => path === "package-lock.json",
    complaints({ path, text }) {
      const locked: Record<string, { optionalDependencies?: object }> = JSON.parse(text).packages;
      const names = Object.values(locked).flatMap((each) => Object.keys(each.optionalDependencies ?? {}));
      const missing = names.filter(
        (name) => !Object.keys(locked).some((at) => at.endsWith(`node_modules/${name}`)),
      );
      return missing.length > 0
        ? [`${path} lacks ${missing[0]} and ${missing.length - 1} others: run node tools/complete-lock.mjs.`]
        : [];
    },
    bites: {
      path: "package-lock.json",
      text: `{ "packages": { "node_modules/esbuild": { "optionalDependencies": { "@esbuild/win32-x64": "1.0.0" } } } }`,
    },
  },
];

const everyFile = filesMatching(/./);

describe("the house is tidy", () => {
  for (const { promise, files, complaints, bites } of rules) {
    it(promise, () => {
      expect(files(bites.path) ? complaints(bites) : []).toHaveLength(1);
      const found = everyFile.filter(({ path }) => files(path)).flatMap(complaints);
      if (found.length > 0) expect.fail(found.join("\n"));
    });
  }

  it("the root holds nothing that is not on its list", () => {
    const strangers = entriesOf("").filter((entry) => !rootEntries.has(entry));
    if (strangers.length > 0) {
      expect.fail(
        `${strangers.join(", ")} at the root: find it a room, or add it to the list in tools/tidy.test.ts.`,
      );
    }
  });
});

interface FunctionSize {
  readonly name: string;
  readonly lines: number;
  /** With all inner functions. */
  readonly whole: number;
  /** The body of a `describe`, or a conformance suite (`describeStore`): a list of tests, not a function. */
  readonly describes: boolean;
}

function functionsOf(file: SourceFile): FunctionSize[] {
  const found: FunctionSize[] = [];
  // A factory's length excludes its named inner functions, which count separately.
  const named = new Map<Node, number>();
  walk(parse(file), (node, [parent, ...further]) => {
    if (!isFunction(node) || !(node.id?.name ?? parent?.id?.name ?? parent?.key?.name)) return;
    const around = further.find(isFunction);
    const lines = linesOf(file.text.slice(node.start, node.end));
    if (around) named.set(around, (named.get(around) ?? 0) + lines - 1);
  });
  walk(parse(file), (node, [parent]) => {
    if (!isFunction(node)) return;
    const name: string = node.id?.name ?? parent?.id?.name ?? parent?.key?.name ?? "a callback";
    const called = parent?.type === "CallExpression" ? file.text.slice(parent.start, parent.start + 9) : "";
    const describes = /^describe\b/.test(called) || /^describe[A-Z]/.test(name);
    const whole = linesOf(file.text.slice(node.start, node.end));
    found.push({ name, lines: whole - (named.get(node) ?? 0), whole, describes });
  });
  return found;
}

const isFunction = (node: Node) =>
  /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type) && node.body !== null;

/** Names and members used by a file, as spelled: `setTimeout`, `Date.now`, `new Date()`; each once. */
function usesOf(file: SourceFile, wanted: (name: string) => boolean): string[] {
  const found = new Set<string>();
  walk(parse(file), (node, [parent]) => {
    if (node.type === "MemberExpression") found.add(`${node.object.name}.${node.property.name}`);
    if (node.type === "NewExpression" && node.arguments.length === 0) found.add(`new ${node.callee.name}()`);
    if (node.type === "Identifier" && !isOwnName(node, parent)) found.add(node.name);
  });
  return [...found].filter(wanted);
}

/** The name of a property or method (`socket.setTimeout`, `{ setTimeout: 3 }`), not the global. */
function isOwnName(node: Node, parent: Node | undefined): boolean {
  if (parent?.type === "MemberExpression" && parent.property === node) {
    return !parent.computed && !/^(globalThis|crypto|timers)$/.test(parent.object.name);
  }
  return parent?.key === node && !parent.shorthand;
}

const readsClock = /\b(performance\.now|Date\.now|process\.hrtime)\b/;

/** Upper limits of measured times, and waits with the default limit of a second. */
function clockLimits(file: SourceFile): string[] {
  const found: string[] = [];
  const textOf = (node: Node) => file.text.slice(node.start, node.end);
  const spans = new Set<string>();
  const isSpan = (node: Node) => readsClock.test(textOf(node)) && /\s-\s/.test(textOf(node));
  walk(parse(file), (node) => {
    if (node.type === "VariableDeclarator" && node.init && isSpan(node.init)) spans.add(node.id.name);
  });
  walk(parse(file), (node) => {
    if (node.type !== "CallExpression") return;
    const callee = textOf(node.callee);
    if (/^vi\.(waitFor|waitUntil)$/.test(callee) && node.arguments.length < 2)
      found.push(`${callee} gives up after a second: hand in a timeout that only a hang exceeds.`);
    if (!/\.toBeLessThan(OrEqual)?$/.test(callee) || !callee.startsWith("expect(")) return;
    const [measured] = node.callee.object.arguments ?? [];
    if (measured && (spans.has(textOf(measured)) || isSpan(measured)))
      found.push(
        `${excerpt(textOf(measured))} is held to a limit: count work, or compare two sizes (test/support/growth.ts).`,
      );
  });
  return found;
}

function textsOf(file: SourceFile): string[] {
  const found: string[] = [];
  walk(parse(file), (node) => {
    if (node.type === "Literal" && typeof node.value === "string") found.push(node.value);
    if (node.type === "TemplateLiteral") {
      found.push(node.quasis.map((part: Node) => part.value.cooked).join("?"));
    }
  });
  return found;
}

function hasTopLevelAwait(file: SourceFile): boolean {
  let found = false;
  walk(parse(file), (node, parents) => {
    const awaits = node.type === "AwaitExpression" || (node.type === "ForOfStatement" && node.await);
    if (awaits && !parents.some(isFunction)) found = true;
  });
  return found;
}

const excerpt = (text: string) => text.trim().replace(/\s+/g, " ").slice(0, 40);
