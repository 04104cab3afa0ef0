import { DefinitionError } from "./definition-error.ts";
import { policyProblem, type RetryKind, type RetryPolicies, type RetryPolicy } from "./retry.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Field = Exclude<keyof RetryPolicy, "jitter">;

/** Environment variables of the seeds, each with the policy field set and the unit used. */
export const retryVariables: readonly { variable: string; kind: RetryKind; field: Field; unit: number }[] = [
  { variable: "RETRY_MAX_ATTEMPTS", kind: "not-found-yet", field: "attemptsMax", unit: 1 },
  { variable: "RETRY_BASE_DELAY_MS", kind: "not-found-yet", field: "initialMs", unit: 1 },
  { variable: "RETRY_BACKOFF_FACTOR", kind: "not-found-yet", field: "multiplier", unit: 1 },
  { variable: "RETRY_MAX_DELAY_SECONDS", kind: "not-found-yet", field: "maxMs", unit: 1_000 },
  { variable: "RETRY_TTL_MINUTES", kind: "not-found-yet", field: "ttlMs", unit: 60_000 },
  { variable: "RETRY_JOB_BASE_DELAY_SECONDS", kind: "unknown", field: "initialMs", unit: 1_000 },
  { variable: "RETRY_JOB_MAX_DELAY_SECONDS", kind: "unknown", field: "maxMs", unit: 1_000 },
];

/** Variable for the attempt limit of a collection, e.g. RETRY_JOB_MAX_ATTEMPTS_ARCHIVES. */
export const attemptsVariable = (collection: string): string =>
  `RETRY_JOB_MAX_ATTEMPTS_${collection.toUpperCase().replaceAll("-", "_")}`;

export const isRetryVariable = (variable: string): boolean =>
  variable.startsWith(attemptsVariable("")) || retryVariables.some((one) => one.variable === variable);

/**
 * Policies of a stage with overrides from the environment; policies set by operators in the database win over both.
 */
export function withRetryVariables(
  policies: RetryPolicies,
  collection: string,
  environment: Environment,
): RetryPolicies {
  const changed: { [Kind in RetryKind]: RetryPolicy } = { ...policies };
  for (const { variable, kind, field, unit } of retryVariables) {
    const value = readNumber(environment, variable);
    if (value !== null) changed[kind] = checked({ ...changed[kind], [field]: value * unit }, variable);
  }
  const variable = attemptsVariable(collection);
  const attemptsMax = readNumber(environment, variable);
  for (const kind of ["transient", "unknown"] as const) {
    if (attemptsMax !== null) changed[kind] = checked({ ...changed[kind], attemptsMax }, variable);
  }
  return changed;
}

function readNumber(environment: Environment, variable: string): number | null {
  const text = environment[variable];
  if (text === undefined || text === "") return null;
  const value = Number(text);
  if (Number.isFinite(value)) return value;
  throw new DefinitionError(`${variable} is "${text}"; it must be a number.`);
}

function checked(policy: RetryPolicy, variable: string): RetryPolicy {
  const problem = policyProblem(policy);
  if (problem) throw new DefinitionError(`${variable} makes the retry policy impossible: ${problem}.`);
  return policy;
}
