import { checkName } from "./collection.ts";

/** Something outside the database that stages need: a model, a mail server. Its outages are watched by a breaker. */
export interface Service<Name extends string = string, T = unknown> {
  readonly name: Name;
  /** Only for the compiler: what `services` has to provide under this name. */
  readonly provides?: T;
}

/** Declares a service: `const embedder = service("embedder").as<Embedder>()`. */
export function service<const Name extends string>(name: Name): { as<T>(): Service<Name, T> } {
  checkName("service", name);
  return { as: () => Object.freeze({ name }) };
}

/** The object of services that a list of needs asks for. */
export type ServicesOf<Needs extends readonly Service[]> = {
  readonly [S in Needs[number] as S["name"]]: S extends Service<string, infer T> ? T : never;
};
