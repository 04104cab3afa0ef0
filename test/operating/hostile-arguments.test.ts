import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OperatorServer, startOperatorServer } from "../../cli/src/operator-server.ts";
import { openPglite } from "../../engine/src/databases/pglite.ts";
import { readToken } from "../../engine/src/databases/share.ts";
import type { JsonSchema } from "../../engine/src/decide/json-schema.ts";
import { DefinitionError } from "../../engine/src/define/definition-error.ts";
import { callVerb } from "../../engine/src/internal.ts";
import type { Argument } from "../../engine/src/operate/arguments.ts";
import { verbs } from "../../engine/src/operate/verbs.ts";
import { openOperators, type VerbName } from "../../engine/src/operate.ts";
import type { Database } from "../../engine/src/store/database.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { openOffice } from "../support/post-office.ts";

/** An object in the shape of a statement, which would divide by zero if its text ran. */
const lookAlike = { text: "(select 1/0)::text", values: [] };
const hostile: readonly unknown[] = [
  lookAlike,
  { ...lookAlike, name: "claim" },
  [lookAlike],
  { text: "code or true", values: [] },
  "' or true; --",
  "\0",
  "",
  "x".repeat(5_000),
  -1,
  1.5,
  1e300,
  Number.MAX_SAFE_INTEGER,
  true,
  [],
  {},
  JSON.parse('{"__proto__":{"state":"all"},"constructor":{"name":"x"}}'),
  JSON.parse(`${"[".repeat(500)}${"]".repeat(500)}`),
];

const samples: Readonly<Record<string, unknown>> = {
  stage: "stamping",
  collection: "letters",
  key: "list-a",
  request: "req_00000000-0000-0000-0000-000000000000",
  kind: "transient",
  ttl: "1h",
};

/** A valid value, with every field. */
function sampleOf(schema: JsonSchema, name = ""): unknown {
  if (name in samples) return samples[name];
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return sampleOf(schema.anyOf[0] as JsonSchema, name);
  switch (schema.type) {
    case "string":
      return schema.format ? "2026-01-01T00:00:00Z" : schema.pattern ? "1h" : "box";
    case "integer":
    case "number":
      return 1;
    case "boolean":
      return true;
    case "array":
      return schema.items ? [sampleOf(schema.items)] : [];
    default:
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([field, inner]) => [field, sampleOf(inner, field)]),
      );
  }
}

type Path = readonly (string | number)[];

/** Every place in a value: the value, its fields, its items. */
function placesIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...path, key]))];
}

function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  const copy = structuredClone(value) as Record<string | number, unknown>;
  copy[key] = replaced(copy[key], rest, by);
  return copy;
}

const sampleArguments = (takes: readonly Argument[]) =>
  takes.map(({ name, schema }) => sampleOf(schema, name));

const suites = [
  ["PGlite", () => openPglite({ folder: null, inline: true })],
  ["PostgreSQL", null],
] as const;

describe.each(suites)("hostile arguments to every verb on %s", (_, openEmbedded) => {
  const postgres = openEmbedded ? null : useOwnSchema("hostile_arguments");
  let database: Database;
  let folder: string;
  let server: OperatorServer;
  let token: string;
  let operatorFor: Awaited<ReturnType<typeof openOperators>>;
  const inside: unknown[] = [];

  beforeAll(async () => {
    database = openEmbedded ? await openEmbedded() : (postgres?.direct as Database);
    folder = await mkdtemp(join(tmpdir(), "headway-hostile-"));
    const office = await openOffice(database);
    await office.bring("box", ["good", "bad"]);
    await office.engine.drain();
    operatorFor = await openOperators({ database, clock: office.clock });
    server = await startOperatorServer({
      operatorFor,
      metrics: async () => "",
      isReady: async () => true,
      onError: (error) => inside.push(error),
      sharing: null,
      data: folder,
      host: "127.0.0.1",
      port: 0,
    });
    token = await readToken(folder);
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await database.script('drop schema if exists "hostile_arguments" cascade').catch(() => undefined);
    if (openEmbedded) await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  const post = async (verb: string, given: readonly unknown[], headers: Record<string, string> = {}) => {
    const answer = await fetch(`${server.url}/api/operate/${verb}`, {
      method: "POST",
      body: JSON.stringify(given),
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    });
    return { status: answer.status, text: await answer.text() };
  };

  /** Refused before any query, or answered; an error of any other kind came from inside. */
  const isFit = async (call: () => unknown): Promise<boolean> => {
    try {
      const answer = await call();
      const stream = answer as AsyncIterable<unknown> | null;
      if (typeof stream === "object" && stream !== null && Symbol.asyncIterator in stream)
        for await (const _ of stream);
      return true;
    } catch (error) {
      if (error instanceof DefinitionError) return false;
      throw error;
    }
  };

  it.each(Object.keys(verbs) as VerbName[])("%s", async (name) => {
    const operator = operatorFor("mallory");
    const { takes } = verbs[name];
    const whole = sampleArguments(takes);
    await isFit(() => callVerb(operator, name, whole));
    for (const path of placesIn(whole)) {
      for (const one of hostile) {
        const given = replaced(whole, path.length === 0 ? [0] : path, one) as unknown[];
        await isFit(() => callVerb(operator, name, given)).catch((error) =>
          expect.fail(`${name} ${JSON.stringify(given).slice(0, 300)}: ${error}`),
        );
      }
    }
  });

  it("every verb answers look-alikes over HTTP with 400, and with nothing from inside", async () => {
    for (const [name, { takes }] of Object.entries(verbs)) {
      const answers = await Promise.all(
        takes.map((_, index) => post(name, sampleArguments(takes).with(index, lookAlike))),
      );
      for (const { status, text } of answers) {
        expect(status, `${name}: ${text}`).toBe(400);
        expect(text).not.toMatch(/division by zero|select|syntax|headway\./i);
      }
    }
    expect(inside).toEqual([]);
  });

  it("a statement's look-alike is refused wherever a value is expected, with the name of the argument", async () => {
    expect(await post("listDead", [{ code: lookAlike }])).toEqual({
      status: 400,
      text: `${JSON.stringify({ error: "listDead: filter.code must be a string." })}\n`,
    });
    const unknown = await post("listDead", [{ cod: "x" }]);
    expect(unknown.text).toContain('listDead: filter has no field \\"cod\\"; there are: stage, code,');
    expect((await post("breakers", [1])).text).toContain("1 arguments were sent; it takes none.");
    expect((await post("inspectDead", [])).text).toContain("id is missing; it takes id.");
  });

  it("a look-alike that comes past the table is refused by the sql tag itself", async () => {
    const operator = operatorFor("mallory");
    const text = lookAlike as unknown as string;
    const calls = [
      () => operator.listDead({ code: text }),
      () => operator.audit({ act: text }),
      () => operator.events({ type: text }),
      () => operator.deleteSource(text),
    ];
    for (const call of calls) await expect(async () => await call()).rejects.toThrow("must be a plain value");
  });

  it("acts stand in the audit under the name of the caller, never under that of the server", async () => {
    const named = (actor: string) => ({ "headway-actor": actor });
    expect(
      (await post("pauseStage", ["bundling", "a look"], named(Buffer.from("Zoë").toString("latin1")))).status,
    ).toBe(200);
    expect((await post("resumeStage", ["bundling"])).status).toBe(200);
    expect((await post("pauseStage", ["bundling"], named(" "))).status).toBe(400);
    const acts = await operatorFor("ann").audit({ limit: 2 });
    expect(acts.map(({ actor, act }) => `${actor}: ${act}`)).toEqual([
      "a caller over HTTP: stage.resume",
      "Zoë: stage.pause",
    ]);
  });

  it("what is not there is the caller's mistake, what breaks inside stays inside", async () => {
    const unknown = await post("pauseStage", ["no-such-stage"]);
    expect(unknown).toMatchObject({ status: 400, text: expect.stringContaining("no-such-stage") });
    const streamed = await post("exportDead", [{ stage: "no-such-stage" }]);
    expect(streamed).toMatchObject({ status: 400, text: expect.stringContaining("no-such-stage") });
  });
});
