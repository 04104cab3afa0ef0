import { DefinitionError } from "@headway/engine";

/** The query string of a page, read field by field. */
export function makeQuery(search: URLSearchParams) {
  const text = (name: string): string | undefined => search.get(name) || undefined;
  return {
    text,
    /** A name that the page cannot do without. */
    name(name: string): string {
      const value = text(name);
      if (value === undefined) throw new DefinitionError(`The address lacks "${name}".`);
      return value;
    },
    number(name: string): number | undefined {
      const value = text(name);
      if (value === undefined) return undefined;
      if (!/^[0-9]{1,15}$/.test(value)) throw new DefinitionError(`"${name}" is not a number.`);
      return Number(value);
    },
    choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
      const value = text(name);
      if (value === undefined) return undefined;
      const found = choices.find((one) => one === value);
      if (!found) throw new DefinitionError(`"${name}" is none of ${choices.join(", ")}.`);
      return found;
    },
  };
}

export type Query = ReturnType<typeof makeQuery>;

/** The given fields without the undefined ones. */
export function given<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}
