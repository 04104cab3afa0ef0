import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { exitCodes, Refusal } from "../exit-codes.ts";
import type { Adding } from "../run.ts";
import { oneLine } from "../terminal.ts";

export function addInit({ program, console }: Adding): void {
  program
    .command("init")
    .description("Write a new project: pipeline, configuration, test")
    .argument("[folder]", "where (default: here)", ".")
    .option("--yes", "for scripts: nothing is asked with or without it")
    .addHelpText(
      "after",
      `\nExamples:\n  headway init letters --yes\n\nFiles that are there are left alone, and named.`,
    )
    .action((place) => {
      const folder = resolve(place);
      if (existsSync(join(folder, "headway.config.ts")))
        throw new Refusal(
          `There is an application in ${place} already: headway.config.ts. Name another folder.`,
          exitCodes.usage,
        );
      mkdirSync(folder, { recursive: true });
      for (const { name, text } of filesFor(folder)) {
        const path = join(folder, name);
        const left = name !== "package.json" && existsSync(path);
        if (!left) writeFileSync(path, text);
        console.write(`${left ? "left alone" : "wrote"} ${oneLine(relative(process.cwd(), path))}\n`);
      }
      console.warn(nextSteps(folder));
    });
}

const template = fileURLToPath(new URL("../../template/", import.meta.url));
const copied = [
  "headway.config.ts",
  "pipeline.ts",
  "pipeline.test.ts",
  "letters.jsonl",
  "tsconfig.json",
  "README.md",
] as const;

function filesFor(folder: string): { name: string; text: string }[] {
  const read = (name: string) => readFileSync(join(template, name), "utf8");
  return [
    { name: "package.json", text: manifestFor(folder) },
    // npm leaves a .gitignore out of a package.
    { name: ".gitignore", text: read("gitignore") },
    ...copied.map((name) => ({ name, text: read(name) })),
  ];
}

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** A manifest that is there keeps everything it says. */
function manifestFor(folder: string): string {
  const path = join(folder, "package.json");
  const there: Manifest = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  const own = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  const manifest = {
    name: basename(folder)
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, "-"),
    private: true,
    ...there,
    type: "module",
    scripts: { test: "node --import tsx --test pipeline.test.ts", start: "headway up", ...ownScripts(there) },
    dependencies: {
      "@headway/cli": own.version,
      "@headway/engine": own.dependencies["@headway/engine"],
      zod: "^4.0.0",
      ...there.dependencies,
    },
    devDependencies: { tsx: own.dependencies.tsx, ...there.devDependencies },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Scripts without the placeholder that `npm init` writes. */
const ownScripts = ({ scripts = {} }: Manifest): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(scripts).filter(([, text]) => !text.includes("no test specified")));

function nextSteps(folder: string): string {
  const here = relative(process.cwd(), folder);
  return [
    "",
    "Next:",
    ...(here === "" ? [] : [`  cd ${here}`]),
    "  npm install",
    "  npx headway accept letters letters.jsonl --work",
    "  npx headway status",
    "  npx headway drill",
    "",
  ].join("\n");
}
