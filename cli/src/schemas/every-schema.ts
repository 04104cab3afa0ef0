import { exportable, exportSchema } from "@headway/consensus";
import type { PlainSchema } from "@headway/engine";
import { declaredSchemas } from "@headway/engine/internal";
import { currentApp, runsConsensus } from "../app/current-app.ts";
import { everySetting } from "../commands/config.ts";

/** The shape of something that users read, write or consume. */
export interface NamedSchema {
  /** `documents/messages`, `events/JSONParsed`, `exports/threads`, `settings`. */
  readonly name: string;
  readonly version: number;
  /** Null: the validator of the collection cannot describe itself. */
  readonly schema: PlainSchema | null;
}

/** Shapes with a changed meaning, a removed field or another type since the first version. */
const versions: Readonly<Record<string, number>> = {
  "documents/assessments": 2,
  "documents/headers": 2,
  "documents/threads": 2,
};

/** Every schema of the application, in a fixed order. */
export function everySchema(): NamedSchema[] {
  const named = [
    ...declaredSchemas(currentApp().pipelines()).map(({ kind, name, schema }) => ({
      name: `${kind}/${name}`,
      schema,
    })),
    ...(runsConsensus()
      ? exportable.map((kind) => ({ name: `exports/${kind}`, schema: exportSchema(kind) }))
      : []),
    { name: "settings", schema: settingsSchema() },
  ];
  return named.map(({ name, schema }) => {
    const version = versions[name] ?? 1;
    return { name, version, schema: schema && titled(name, version, schema) };
  });
}

function titled(name: string, version: number, { $schema: _, ...schema }: PlainSchema): PlainSchema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `${name}.v${version}.json`,
    title: name,
    ...schema,
  };
}

/** The file that HEADWAY_CONFIG names: one field for each variable, all optional. */
function settingsSchema(): PlainSchema {
  const properties = everySetting({}, {}).map(({ variable, value, about, group }) => [
    variable,
    { type: ["string", "number"], description: about, ...(group === "place" ? {} : { default: value }) },
  ]);
  return { type: "object", properties: Object.fromEntries(properties), additionalProperties: false };
}
