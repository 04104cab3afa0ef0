import { readEnvironment } from "@headway/engine/internal";
import type { Database } from "@headway/engine/operate";
import { Refusal } from "../exit-codes.ts";

/** Environment of the results: the given name, else the variable's or the database's. */
export async function environmentOf(
  given: string | undefined,
  database: Database,
  variables = process.env,
): Promise<string> {
  const ofDatabase = await readEnvironment(database);
  const named = [given, variables.HEADWAY_ENVIRONMENT || undefined, ofDatabase ?? undefined];
  for (const name of named) refuseProduction(name);
  return named.find((name) => name !== undefined) ?? "development";
}

/** A benchmark takes all available resources, at the expense of production. */
export function refuseProduction(environment: string | undefined): void {
  if (!/^prod(uction)?$/i.test(environment ?? "")) return;
  throw new Refusal(
    "This is a production environment, and benchmarks never run there: use a database of its own, such as --data bench.",
  );
}
