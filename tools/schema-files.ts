import { everySchema } from "../cli/src/schemas/every-schema.ts";

/** JSON Schemas of documents, exports and settings of the shipped pipelines; those of events are made with their page. */
export const schemaFiles = (): { readonly path: string; readonly text: string }[] =>
  everySchema()
    .filter(({ name, schema }) => schema !== null && !name.startsWith("events/"))
    .map(({ name, version, schema }) => ({
      path: `docs/reference/schemas/${name}.v${version}.json`,
      text: `${JSON.stringify(schema, null, 2)}\n`,
    }));

export function schemasPage(madeBy: string): string {
  const rows = everySchema().map(({ name, version, schema }) => {
    const fields = Object.keys(schema?.properties ?? {}).map((field) => `\`${field}\``);
    const shown = name === "settings" ? "see [settings](config.md)" : fields.join(", ");
    return `| [${name}](schemas/${name}.v${version}.json) | ${version} | ${shown} |`;
  });
  return `# Schemas

${madeBy}

JSON Schema (draft 2020-12) of every document, event, export and setting of the shipped pipelines. \`headway schema NAME\` prints
the same, and the schemas of your own pipelines too. Readers ignore unknown fields and unknown values of an enumeration: such
additions keep the version. A field that is gone, may be missing, or has another type is a new version, held by a test; the
files of old versions stay.

| name | version | fields |
|---|---|---|
${rows.join("\n")}
`;
}
