import type { DocumentDraft } from "../define/collection.ts";
import type { Pipeline } from "../define/pipeline.ts";
import type { Stage } from "../define/stage.ts";
import { runHere } from "../run/run-here.ts";
import { type Answer, type Given, type Made, plainText } from "./executions.ts";
import type { Faults, FaultyDatabase } from "./faulty-database.ts";
import { observeService, type ServiceCall } from "./observe-services.ts";

/** Observer of the stages of one process. */
export interface Watch {
  readonly process: FaultyDatabase;
  readonly faults: Faults;
  /** Called when a stage's code starts or resumes; returns the function to call when the code pauses. */
  enter(stage: string, document: string): () => void;
  /** A stage has completed an input. */
  finished(stage: string, given: Given, made: Made): void;
  called(stage: string, document: string, call: ServiceCall): void;
}

/** The same pipelines with every stage observed. All stages run in this process. */
export function observePipelines(pipelines: readonly Pipeline[], watch: Watch): readonly Pipeline[] {
  const observed = new Map<Stage, Stage>();
  const observe = (stage: Stage): Stage => {
    const done = observed.get(stage) ?? observeStage(stage, stage.after.map(observe), watch);
    observed.set(stage, done);
    return done;
  };
  return pipelines.map((pipeline) => ({ ...pipeline, stages: pipeline.stages.map(observe) }));
}

function observeStage(stage: Stage, after: readonly Stage[], watch: Watch): Stage {
  return {
    ...stage,
    after,
    isolate: null,
    run(input, context) {
      const inputs = inputsOf(stage, input);
      const document = inputs.map(({ name }) => name).join(", ");
      const leave = watch.enter(stage.name, document);
      try {
        const answers: Answer[] = [];
        const seen = observeContext(stage, document, context, watch, (answer) => answers.push(answer));
        const yields: unknown = runHere(stage, input, seen);
        const finish = (yielded: readonly unknown[]) => {
          for (const given of inputs)
            watch.finished(stage.name, given, { yielded: draftsFor(stage, given, inputs, yielded), answers });
        };
        if (isIterable(yields)) return observeNow(yields, finish);
        if (isAsyncIterable(yields))
          return observeLater(yields, () => watch.enter(stage.name, document), finish);
        return yields as never;
      } finally {
        leave();
      }
    },
  };
}

const isIterable = (yields: unknown): yields is Iterable<unknown> =>
  typeof yields === "object" && yields !== null && Symbol.iterator in yields;
const isAsyncIterable = (yields: unknown): yields is AsyncIterable<unknown> =>
  typeof yields === "object" && yields !== null && Symbol.asyncIterator in yields;

function* observeNow(
  yields: Iterable<unknown>,
  finish: (yielded: readonly unknown[]) => void,
): Generator<unknown> {
  const yielded: unknown[] = [];
  for (const one of yields) {
    yielded.push(one);
    yield one;
  }
  finish(yielded);
}

async function* observeLater(
  yields: AsyncIterable<unknown>,
  enter: () => () => void,
  finish: (yielded: readonly unknown[]) => void,
): AsyncGenerator<unknown> {
  const yielded: unknown[] = [];
  const iterator = yields[Symbol.asyncIterator]();
  const next = async () => {
    const leave = enter();
    try {
      return await iterator.next();
    } finally {
      leave();
    }
  };
  try {
    for (let one = await next(); !one.done; one = await next()) {
      yielded.push(one.value);
      yield one.value;
    }
    finish(yielded);
  } finally {
    await iterator.return?.();
  }
}

/** Wraps the services of a context; everything else is the engine's. */
function observeContext(
  stage: Stage,
  document: string,
  context: object,
  watch: Watch,
  onAnswer: (answer: Answer) => void,
): object {
  const services = new Map(
    stage.needs.map(({ name }) => [
      name,
      observeService(Reflect.get(context, name), {
        name,
        process: watch.process,
        faults: watch.faults,
        idempotencyKey: () => Reflect.get(context, "idempotencyKey", context) as string,
        onCall: (call) => watch.called(stage.name, document, call),
        onAnswer,
      }),
    ]),
  );
  return new Proxy(context, {
    get: (target, key) =>
      services.has(key as string) ? services.get(key as string) : Reflect.get(target, key, target),
  });
}

type Identified = { readonly id: string };

/** Inputs of an execution: each document of a batch separately, a group as a whole. */
function inputsOf(stage: Stage, input: unknown): readonly Given[] {
  const named = (document: Identified): Given => ({
    name: `${stage.reads.name}/${document.id}`,
    content: plainText(document),
  });
  switch (stage.shape) {
    case "single":
      return [named(input as Identified)];
    case "batch":
      return (input as readonly Identified[]).map(named);
    case "fan-in": {
      const { key } = input as { key: string };
      return [{ name: `${stage.name}[${key}]`, content: plainText(input) }];
    }
  }
}

function draftsFor(
  stage: Stage,
  given: Given,
  inputs: readonly Given[],
  yielded: readonly unknown[],
): readonly DocumentDraft[] {
  if (stage.shape !== "batch") return yielded as readonly DocumentDraft[];
  return (yielded as readonly (readonly [Identified, DocumentDraft | undefined])[])
    .filter(([input]) => inputs.find(({ name }) => name === `${stage.reads.name}/${input.id}`) === given)
    .flatMap(([, output]) => (output ? [output] : []));
}
