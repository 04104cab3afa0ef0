import { type Beside, broughtBy } from "./brings.ts";
import { DefinitionError } from "./define/definition-error.ts";
import type { Pipeline } from "./define/pipeline.ts";
import type { Engine, EngineOptions, Lent, Services } from "./engine-options.ts";
import type { Receiver } from "./run/receive.ts";
import { lend } from "./store/borrowed-database.ts";
import type { Database } from "./store/database.ts";

type Given = Readonly<Record<string, unknown>>;

/** Refuses missing services before a database is opened, unless services are only made from it. */
export function checkServices(pipelines: readonly Pipeline[], services: Services<Given>): void {
  if (typeof services === "function" || pipelines.some((one) => broughtBy(one).services)) return;
  refuseMissing(pipelines, services);
}

/** The given services and those of pipelines that bring their own. */
export async function makeServices(
  pipelines: readonly Pipeline[],
  services: Services<Given>,
  lent: Lent,
): Promise<Given> {
  const given: Given = typeof services === "function" ? await services(lent) : services;
  const made: Record<string, unknown> = { ...given };
  for (const pipeline of pipelines) {
    const brought = (await broughtBy(pipeline).services?.(lent)) ?? {};
    for (const [name, value] of Object.entries(brought)) {
      if (made[name] !== undefined)
        throw new DefinitionError(
          `The pipeline "${pipeline.name}" brings the service "${name}", and there is another service of that name; ` +
            "give yours another name.",
        );
      made[name] = value;
    }
  }
  refuseMissing(pipelines, made);
  return made;
}

function refuseMissing(pipelines: readonly Pipeline[], services: Given): void {
  for (const stage of pipelines.flatMap(({ stages }) => stages)) {
    const missing = stage.needs.find(({ name }) => services[name] === undefined);
    if (missing)
      throw new DefinitionError(
        `Stage "${stage.name}" needs the service "${missing.name}", which was not given to startEngine.`,
      );
  }
}

/** Loans to services, and the acts that services left for the end. */
export function lendToServices(
  db: Database,
  { database: option, data }: Pick<EngineOptions, "database" | "data">,
): { readonly lent: Lent; end(): Promise<void> } {
  const acts: (() => Promise<void> | void)[] = [];
  const lent: Lent = {
    database: lend(db),
    option,
    data: data ?? ("folder" in option ? option.folder : ".headway"),
    env: process.env,
    onStop: (act) => void acts.push(act),
  };
  return {
    lent,
    async end() {
      for (const act of acts.splice(0).reverse()) await act();
    },
  };
}

/** Receivers of the caller and of pipelines that bring their own; `started` hands them the engine. */
export function receiversOf(
  { pipelines, receives = [] }: Pick<EngineOptions, "pipelines" | "receives">,
  lent: Lent,
): { readonly receivers: readonly Receiver[]; readonly started: (engine: Engine) => void } {
  let started: (engine: Engine) => void = () => undefined;
  const engine = new Promise<Engine>((resolve) => (started = resolve));
  const brought = pipelines.flatMap((one) => broughtBy(one).receives?.(engine, lent) ?? []);
  return { receivers: [...receives, ...brought], started };
}

/** Starts the work beside the stages, if this process works at all; `stop` ends all of it. */
export async function startBeside(
  pipelines: readonly Pipeline[],
  engine: Engine,
  { lent, works }: { readonly lent: Lent; readonly works: boolean },
): Promise<Beside> {
  const started: Beside[] = [];
  const stop = async () => void (await Promise.all(started.map((one) => one.stop())));
  try {
    for (const pipeline of works ? pipelines : []) {
      const one = await broughtBy(pipeline).beside?.(engine, lent);
      if (one) started.push(one);
    }
  } catch (error) {
    await stop();
    await engine.stop();
    throw error;
  }
  return { stop };
}
