import type { AppCommand, DrillPlan } from "./app.ts";
import type { NeedsOf, Pipeline } from "./define/pipeline.ts";
import type { ServicesOf } from "./define/service.ts";
import type { Engine, Lent } from "./engine-options.ts";
import type { Receiver } from "./run/receive.ts";

/** Everything that a pipeline brings to an application, so that the application only has to name the pipeline. */
export interface Brings<Services = Readonly<Record<string, unknown>>> {
  /** Services of its own stages, made from the engine's loans; an application gives the rest. */
  services?(lent: Lent): Services | Promise<Services>;
  /** Events that are taken from outside, if there is a broker. */
  receives?(engine: Promise<Engine>, lent: Lent): readonly Receiver[];
  /** Work beside the stages, such as a scheduler, of a process that works; ended before the database is closed. */
  beside?(engine: Engine, lent: Lent): Promise<Beside>;
  /** Commands of its own: `headway NAME`. */
  readonly commands?: readonly AppCommand[];
  /** Documents and services for `headway drill`. */
  readonly drill?: DrillPlan;
}

/** Work beside the stages, until it is stopped. */
export interface Beside {
  stop(): Promise<void>;
}

/**
 * A pipeline together with its services, receivers and commands: an application lists it and gives nothing.
 *
 * @example
 * import { bringing, collection, defineApp, pipeline, service, stage } from "@headway/engine";
 * import { z } from "zod";
 *
 * const letters = collection("letters", z.object({ text: z.string() }));
 * const stamps = service("stamps").as<{ stamp(text: string): string }>();
 * const stamping = stage("stamping", { reads: letters, writes: [], needs: [stamps], *run() {} });
 * const post = bringing(pipeline("post", { stages: [stamping] }), {
 *   services: ({ env }) => ({ stamps: { stamp: (text) => `${env.USER}: ${text}` } }),
 * });
 *
 * export default defineApp({ pipelines: [post] });
 */
export function bringing<P extends Pipeline, Services extends Partial<ServicesOf<NeedsOf<[P]>>>>(
  pipeline: P,
  brings: Brings<Services>,
): Bringing<P, Services> {
  return Object.freeze({ ...pipeline, brings }) as unknown as Bringing<P, Services>;
}

/** A pipeline whose remaining needs are the services that it does not bring. */
export type Bringing<P extends Pipeline, Services> = Pipeline<
  readonly Exclude<NeedsOf<[P]>[number], { readonly name: keyof Services }>[],
  P["collections"][number]
>;

/** The things that a pipeline brings; a plain pipeline brings nothing. */
export const broughtBy = ({ brings }: Pick<Pipeline, "brings">): Brings => (brings ?? {}) as Brings;
