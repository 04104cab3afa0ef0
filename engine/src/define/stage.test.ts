import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { collection } from "./collection.ts";
import { DefinitionError } from "./definition-error.ts";
import { service } from "./service.ts";
import { batchStage, groupStage, type Stage, stage } from "./stage.ts";

const mails = collection("mails", z.object({ subject: z.string() }));
const lines = collection("lines", z.object({ line: z.string() }));
const words = collection("words", z.object({ count: z.number() }));

const module = import.meta.url;

/** A valid declaration, changed by the given fields. */
const declare = (given: object, name = "splitting") =>
  doorOf(given)(name, { reads: mails, writes: [lines], *run() {}, ...given } as never) as Stage;

const doorOf = (given: object) => ("batch" in given ? batchStage : "per" in given ? groupStage : stage);

describe("a stage", () => {
  test("has a default for all that it does not say", () => {
    expect(declare({})).toMatchObject({
      name: "splitting",
      shape: "single",
      needs: [],
      announces: {},
      version: "1",
      config: {},
      model: "",
      timeoutMs: 600_000,
      concurrency: null,
      rate: null,
      priority: 0,
      batch: 1,
      per: null,
      after: [],
      quietMs: 0,
      incomplete: "proceed",
      isolate: null,
      classify: null,
    });
  });

  test("has the shape of its door", () => {
    expect(declare({}).shape).toBe("single");
    expect(declare({ batch: 1 }).shape).toBe("batch");
    expect(declare({ per: () => "all" }).shape).toBe("fan-in");
  });

  test("keeps what it says, in the engine's units", () => {
    const said = { timeout: "90s", rate: { limit: 10, per: "1m" }, quiet: "30s", per: () => "all" };
    expect(declare(said)).toMatchObject({
      timeoutMs: 90_000,
      rate: { limit: 10, perMs: 60_000 },
      quietMs: 30_000,
    });
    expect(declare({ isolate: { module } }).isolate).toEqual({
      module,
      memoryMb: 512,
      env: [],
      allow: [],
      makes: [],
    });
  });

  test("cannot be changed after it was declared", () => {
    expect(Object.isFrozen(declare({}))).toBe(true);
  });
});

describe("a stage is refused at once", () => {
  const embedder = service("embedder").as<object>();
  const named = (name: string) => ({ name });

  test.each<[object, string]>([
    [{ batch: 0 }, "has batch 0; it must be a whole number from 1 to 10000"],
    [{ batch: 2.5 }, "has batch 2.5; it must be a whole number from 1 to 10000"],
    [{ batch: 10_001 }, "has batch 10001; it must be a whole number from 1 to 10000"],
    [{ batch: undefined }, "has batch undefined; it must be a whole number from 1 to 10000"],
    [{ concurrency: 0 }, "has concurrency 0; it must be a whole number from 1"],
    [{ concurrency: -1 }, "has concurrency -1; it must be a whole number from 1"],
    [{ concurrency: 1.5 }, "has concurrency 1.5; it must be a whole number from 1"],
    [{ rate: { limit: 0, per: "1s" } }, "has rate limit 0; it must be from 1 to 1000000"],
    [{ rate: { limit: 0.5, per: "1s" } }, "has rate limit 0.5; it must be from 1 to 1000000"],
    [{ rate: { limit: Number.NaN, per: "1s" } }, "has rate limit NaN; it must be from 1 to 1000000"],
    [{ rate: { limit: Number.POSITIVE_INFINITY, per: "1s" } }, "has rate limit Infinity; it must be from 1"],
    [{ rate: { limit: 5, per: "0s" } }, 'has a rate per "0s"; it must be longer'],
    [{ timeout: "0s" }, 'has timeout "0s"; it must be longer'],
    [{ priority: 1_001 }, "has priority 1001; it must be a whole number from -1000 to 1000"],
    [{ priority: 0.5 }, "has priority 0.5; it must be a whole number from -1000 to 1000"],
    ...["signal", "config", "attempt", "idempotencyKey", "correlationId", "lent"].map(
      (name): [object, string] => [
        { needs: [named(name)] },
        `needs a service called "${name}", a name that the context already has`,
      ],
    ),
    [
      { isolate: { module }, needs: [embedder] },
      "is isolated and needs services; a service cannot cross into the isolated process: let its module make it there (isolate.makes), or isolate.lend ask it",
    ],
    [
      { isolate: { module, makes: ["judge"] }, needs: [embedder] },
      'makes the service "judge" in its process, which is not among its needs',
    ],
    [
      { isolate: { module: "./x.ts" } },
      'is isolated in module "./x.ts"; give the module\'s own address, import.meta.url',
    ],
    [{ isolate: { module, env: ["A KEY"] } }, 'is isolated with "A KEY", which is no name of a variable'],
    [{ isolate: { module, memoryMb: 8 } }, "is isolated with less than 16 MB; give it at least that"],
  ])("when it says %o", (given, problem) => {
    expect(() => declare(given)).toThrow(DefinitionError);
    expect(() => declare(given)).toThrow(`Stage "splitting" ${problem}`);
  });

  test("when an option belongs to another kind of stage", () => {
    const spec = { reads: mails, writes: [lines], *run() {} };
    const per = () => "all";
    const batchSize = "declare it by batchStage()";
    const grouped = "declare it by groupStage()";
    expect(() => stage("s", { ...spec, batch: 5 } as never)).toThrow(batchSize);
    expect(() => stage("s", { ...spec, per } as never)).toThrow(grouped);
    expect(() => batchStage("s", { ...spec, batch: 5, per } as never)).toThrow(grouped);
    expect(() => groupStage("s", { ...spec, per, batch: 5 } as never)).toThrow(batchSize);
    expect(() => groupStage("s", spec as never)).toThrow("lacks the group of a document");
  });

  test("when its name is of another kind", () => {
    expect(() => declare({}, "Splitting mails")).toThrow(
      'The stage "Splitting mails" needs another name: lower-case letters, digits',
    );
  });

  test("when its times or its retries make no sense", () => {
    expect(() => declare({ timeout: "soon" })).toThrow('"soon" is not a duration');
    expect(() => declare({ per: () => "all", quiet: "a while" })).toThrow('"a while" is not a duration');
    expect(() => declare({ retry: { attempts: 0 } })).toThrow("attempts must be 1 to 1000");
  });
});

describe("the types of a stage", () => {
  interface Embedder {
    embed(text: string): Promise<number[]>;
  }
  const embedder = service("embedder").as<Embedder>();

  test("know its input, its services and its settings", () => {
    stage("embedding", {
      reads: mails,
      writes: [words],
      needs: [embedder],
      config: { size: 5, mode: "fast" },
      async *run(mail, context) {
        expectTypeOf(mail.subject).toEqualTypeOf<string>();
        expectTypeOf(mail.id).toEqualTypeOf<string>();
        expectTypeOf(context.embedder).toEqualTypeOf<Embedder>();
        expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
        expectTypeOf(context.config.size).toExtend<number>();
        // @ts-expect-error: nobody declared a speller.
        context.speller?.check(mail.subject);
        yield words.document(mail.id, { count: 1 });
      },
    });
  });

  test("refuse an undeclared collection, a wrong body and what is no document", () => {
    stage("undeclared", {
      reads: mails,
      writes: [lines],
      // @ts-expect-error: the stage does not declare that it writes words.
      *run(mail) {
        yield words.document(mail.id, { count: 1 });
      },
    });
    stage("wrong-body", {
      reads: mails,
      writes: [lines],
      *run(mail) {
        // @ts-expect-error: a line is a text.
        yield lines.document(mail.id, { line: 5 });
      },
    });
    stage("no-document", {
      reads: mails,
      writes: [lines],
      // @ts-expect-error: a document is made by its collection.
      *run() {
        yield { line: "x" };
      },
    });
  });

  test("give a batch its documents and ask for pairs of input and output", () => {
    batchStage("batching", {
      reads: mails,
      writes: [words],
      batch: 10,
      *run(batch) {
        expectTypeOf(batch[0]?.subject).toEqualTypeOf<string | undefined>();
        for (const mail of batch) yield [mail, words.document(mail.id, { count: 1 })] as const;
      },
    });
    batchStage("bare", {
      reads: mails,
      writes: [words],
      batch: 10,
      // @ts-expect-error: an output of a batch must name its input.
      *run(batch: readonly { id: string }[]) {
        for (const mail of batch) yield words.document(mail.id, { count: 1 });
      },
    });
  });

  test("give a group its key and its documents", () => {
    groupStage("gathering", {
      reads: mails,
      writes: [words],
      per: (mail) => mail.subject,
      *run({ key, documents }) {
        expectTypeOf(key).toEqualTypeOf<string>();
        yield words.document(key, { count: documents.length });
      },
    });
    groupStage("badly-grouped", {
      reads: mails,
      writes: [words],
      // @ts-expect-error: a group is known by a text.
      per: (mail) => mail.subject.length,
      *run() {},
    });
  });

  test("refuse a batch of groups", () => {
    const both = () =>
      // @ts-expect-error: a stage works on batches or on groups.
      groupStage("both", { reads: mails, writes: [words], batch: 5, per: () => "all", *run() {} });
    expect(both).toThrow("declare it by batchStage()");
  });
});
