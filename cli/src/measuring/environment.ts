import { type Database, readEnvironment } from "@headway/engine/operate";
import { Refusal } from "../exit-codes.ts";

/** Which environment results are kept under: what was said, else what the variable or the database says. */
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

/** A benchmark takes all it can get, which is not what those need who work there. */
export function refuseProduction(environment: string | undefined): void {
  if (!/^prod(uction)?$/i.test(environment ?? "")) return;
  throw new Refusal(
    "This is a production environment, and benchmarks never run there: use a database of its own, such as --data bench.",
  );
}
