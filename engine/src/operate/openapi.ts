import type { Argument } from "./arguments.ts";
import { verbChanges, verbNames } from "./operator.ts";
import { type VerbName, verbs } from "./verbs.ts";

const answer = (description: string) => ({
  description,
  content: { "application/json": { schema: { $ref: "#/components/schemas/Refusal" } } },
});

/** The operators' address as OpenAPI 3.1, made from the table of verbs. */
export function describeApi(version: string): object {
  return {
    openapi: "3.1.0",
    info: {
      title: "Headway, the operators' address",
      version,
      description:
        "Arguments are a JSON array in the order of the verb. The audit keeps each act under the name of the key, or of the header Headway-Actor.",
    },
    servers: [{ url: "http://127.0.0.1:7077" }],
    security: [{ key: [] }],
    components: {
      securitySchemes: { key: { type: "http", scheme: "bearer" } },
      schemas: {
        Refusal: { type: "object", properties: { error: { type: "string" } }, required: ["error"] },
      },
    },
    paths: Object.fromEntries(verbNames.map((name) => [`/api/operate/${name}`, { post: operationOf(name) }])),
  };
}

function operationOf(name: VerbName): object {
  const changes = verbChanges(name);
  return {
    operationId: name,
    tags: [changes ? "acts" : "questions"],
    "x-role": changes ? "operator" : "reader",
    requestBody: {
      required: true,
      content: { "application/json": { schema: argumentsOf(verbs[name].takes) } },
    },
    responses: {
      200: {
        description: "The answer: one JSON value, or one a line.",
        content: { "application/json": {}, "application/x-ndjson": {} },
      },
      400: answer("An argument does not fit; the sentence says which."),
      401: answer("Without a token or key."),
      ...(changes && { 403: answer("A reader's key: acts need the role operator.") }),
    },
  };
}

function argumentsOf(takes: readonly Argument[]): object {
  const prefixItems = takes.map(({ name, schema, optional }) => ({
    title: name,
    ...(optional ? { anyOf: [schema, { type: "null" }] } : schema),
  }));
  return {
    type: "array",
    ...(takes.length > 0 && { prefixItems }),
    minItems: takes.filter(({ optional }) => !optional).length,
    maxItems: takes.length,
  };
}
