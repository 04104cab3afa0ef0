import { readFile } from "node:fs/promises";
import type { Database, DocumentDraft, Pipeline } from "@headway/engine";
import { broughtBy } from "@headway/engine/internal";
import { currentApp } from "../app/current-app.ts";
import { loadModule, type Module } from "../app/load-module.ts";
import { exitCodes, Refusal } from "../exit-codes.ts";

/** The subject of a drill: pipelines, services, and documents. */
export interface DrillSubject {
  readonly name: string;
  readonly pipelines: readonly Pipeline[];
  readonly makeServices: (given: { readonly database: Database }) => unknown;
  readonly documents: readonly DocumentDraft[];
  close(): Promise<void>;
}

/** Reads a module that exports a pipeline, `services` and `documents`; documents may come from a file instead. */
export async function loadSubject(place: string, documentsFile?: string): Promise<DrillSubject> {
  const module = await loadModule(place);
  const pipelines = [...new Set(Object.values(module).filter(isPipeline))];
  if (pipelines.length === 0)
    throw refuse(`${place} exports no pipeline: add "export const mine = pipeline(…)".`);
  const documents =
    documentsFile === undefined ? await documentsOf(module, place) : await readDocuments(documentsFile);
  checkDocuments(documents, pipelines, documentsFile ?? place);
  return {
    name: pipelines.map(({ name }) => name).join(", "),
    pipelines,
    documents,
    async makeServices(given) {
      const services = await callOrTake(module.services ?? {}, given);
      checkServices(services, pipelines, place);
      return services;
    },
    async close() {
      if (typeof module.close === "function") await module.close();
    },
  };
}

const refuse = (sentence: string) => new Refusal(sentence, exitCodes.usage);

/**
 * The pipelines of the application, with the documents and services named for a drill. A pipeline with a drill of its own is drilled with
 * its own documents; a pipeline that only brings services is left out.
 */
export async function subjectOfApp(documentsFile?: string): Promise<DrillSubject> {
  const { file, drill, services, pipelines: declared } = currentApp();
  const place = file ?? "the application";
  const pipelines = declared().filter((one) => !one.brings || broughtBy(one).drill);
  const brought = pipelines.flatMap((one) => broughtBy(one).drill ?? []);
  const plans = pipelines.every((one) => one.brings) ? brought : [drill, ...brought];
  const documents: DocumentDraft[] = [];
  if (documentsFile !== undefined) documents.push(...(await readDocuments(documentsFile)));
  else
    for (const plan of plans) documents.push(...(await documentsOf({ documents: plan?.documents }, place)));
  checkDocuments(documents, pipelines, documentsFile ?? place);
  return {
    name: pipelines.map(({ name }) => name).join(", "),
    pipelines,
    documents,
    async makeServices(given) {
      const own = [drill?.services ?? services, ...brought.map((plan) => plan.services)];
      const made = await Promise.all(own.map((one) => callOrTake(one, given) as Promise<Module>));
      const joined = Object.assign({}, ...made);
      checkServices(joined, pipelines, place);
      return joined;
    },
    close: async () => undefined,
  };
}

function isPipeline(value: unknown): value is Pipeline {
  const { name, stages } = (value ?? {}) as { name?: unknown; stages?: unknown };
  return (
    typeof name === "string" &&
    Array.isArray(stages) &&
    stages.every((stage) => typeof stage?.run === "function")
  );
}

const callOrTake = (value: unknown, given?: unknown): unknown =>
  typeof value === "function" ? value(given) : value;

const isConfig = (place: string): boolean => /headway\.config\.[mc]?[jt]s$/.test(place);

async function documentsOf(module: Module, place: string): Promise<DocumentDraft[]> {
  const given = await callOrTake(module.documents);
  if (typeof given !== "object" || given === null)
    throw refuse(
      `${place} gives no documents: ${isConfig(place) ? 'add "drill: { documents: [letters.document(…)] }" to defineApp' : 'add "export const documents = [letters.document(…)]"'}, or --documents FILE.`,
    );
  const documents: DocumentDraft[] = [];
  for await (const one of given as AsyncIterable<DocumentDraft>) documents.push(one);
  return documents;
}

async function readDocuments(file: string): Promise<DocumentDraft[]> {
  const text = await readFile(file, "utf8").catch(() => {
    throw refuse(`There is no file ${file} to read documents from.`);
  });
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    try {
      return [JSON.parse(line)];
    } catch {
      throw refuse(`Line ${index + 1} of ${file} is no JSON: write {"collection": …, "id": …, "body": {…}}.`);
    }
  });
}

function checkDocuments(
  documents: readonly DocumentDraft[],
  pipelines: readonly Pipeline[],
  from: string,
): void {
  if (documents.length === 0) throw refuse(`${from} gives no documents: a drill needs at least one.`);
  const read = new Set(pipelines.flatMap(({ stages }) => stages.map((stage) => stage.reads.name)));
  for (const [index, one] of documents.entries()) {
    const { collection, id, body } = (one ?? {}) as Partial<DocumentDraft>;
    if (typeof collection !== "string" || typeof id !== "string" || typeof body !== "object")
      throw refuse(`Document ${index + 1} of ${from} is none: it needs a collection, an id and a body.`);
    if (!read.has(collection))
      throw refuse(
        `Document "${id}" of ${from} is in "${collection}", which no stage reads (${[...read].join(", ")}).`,
      );
  }
}

function checkServices(services: unknown, pipelines: readonly Pipeline[], place: string): void {
  for (const stage of pipelines.flatMap((pipeline) => pipeline.stages)) {
    const missing = stage.needs.find(({ name }) => !(services as Module | null)?.[name]);
    if (missing)
      throw refuse(
        `Stage "${stage.name}" needs the service "${missing.name}": add "export const services = () => ({ ${missing.name}: … })" to ${place}.`,
      );
  }
}
