import { checkName } from "./collection.ts";

/** An external dependency of stages: a model, a mail server. A circuit breaker watches for outages. */
export interface Service<Name extends string = string, T = unknown> {
  /** The name of the value in `services`. */
  readonly name: Name;
  /** For the compiler only: the type of the value in `services` under this name. */
  readonly provides?: T;
}

/**
 * Declares a service that stages need; its value is given to `startEngine` under this name.
 *
 * @example
 * import { service } from "@headway/engine";
 *
 * export const prices = service("prices").as<{ priceOf(item: string): Promise<number> }>();
 */
export function service<const Name extends string>(name: Name): { as<T>(): Service<Name, T> } {
  checkName("service", name);
  return { as: () => Object.freeze({ name }) };
}

/** The `services` object for a list of needs. */
export type ServicesOf<Needs extends readonly Service[]> = {
  readonly [S in Needs[number] as S["name"]]: S extends Service<string, infer T> ? T : never;
};
