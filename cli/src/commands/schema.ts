import { exitCodes, Refusal } from "../exit-codes.ts";
import type { Adding } from "../run.ts";
import { everySchema, type NamedSchema } from "../schemas/every-schema.ts";
import { sharedFlags } from "../shared-options.ts";
import { type Column, table } from "../terminal.ts";

export function addSchema({ program, console }: Adding): void {
  program
    .command("schema")
    .description("List or print JSON Schemas of documents and events")
    .argument("[name]", "e.g. documents/messages, or messages where one kind has the name")
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway schema
  headway schema events/JSONParsed > JSONParsed.json
  headway schema settings

A shape keeps its version while fields are only added; a removed field, another type or a field that may be
missing from now on is a new version.`,
    )
    .action((name, options) => {
      const all = everySchema();
      if (name !== undefined) return console.write(`${JSON.stringify(pick(all, name).schema, null, 2)}\n`);
      const lines = all.map(toLine);
      if (options.json) return lines.forEach(console.writeJson);
      console.write(`${table(lines, columns, console.columns)}\n`);
    });
}

interface Line {
  readonly name: string;
  readonly version: number;
  readonly fields: readonly string[] | null;
}

const toLine = ({ name, version, schema }: NamedSchema): Line => ({
  name,
  version,
  fields: schema && Object.keys(schema.properties ?? {}),
});

const columns: readonly Column<Line>[] = [
  { title: "NAME", of: ({ name }) => name },
  { title: "VERSION", of: ({ version }) => String(version), align: "right" },
  {
    title: "FIELDS",
    of: ({ fields }) => fields?.join(", ") ?? "not described by its validator",
    flexible: true,
  },
];

/** The schema of a name, with or without its kind. */
function pick(all: readonly NamedSchema[], name: string): NamedSchema {
  const found = all.filter((one) => one.name === name || one.name.split("/")[1] === name);
  const [first, second] = found;
  if (!first)
    throw new Refusal(`There is no schema "${name}"; "headway schema" lists all names.`, exitCodes.usage);
  if (second)
    throw new Refusal(
      `"${name}" is ${found.map((one) => one.name).join(" and ")}: name one of them.`,
      exitCodes.usage,
    );
  if (!first.schema)
    throw new Refusal(
      `The validator of ${first.name} cannot describe itself as JSON Schema; Zod 4 and other implementations of Standard JSON Schema can.`,
      exitCodes.usage,
    );
  return first;
}
