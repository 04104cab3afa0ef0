import { StageFault } from "../decide/fault.ts";

/** A thrown value as described by the other process; see `portray.mjs`. */
export interface Portrayed {
  readonly root: Shown;
  readonly portraits: readonly Portrait[];
}
interface Portrait {
  readonly as: "error" | "list" | "object" | "function" | "symbol";
  readonly names: readonly string[];
  readonly fields: readonly (readonly [key: string, value: Shown, enumerable: boolean])[];
}
type Shown = { readonly ref: number } | string | number | bigint | boolean | null | undefined;

/** Reconstructs a thrown value, to be classified as if thrown here. */
export function revive({ root, portraits }: Portrayed): unknown {
  const made = portraits.map(shellOf);
  const resolve = (shown: Shown) => (typeof shown === "object" && shown !== null ? made[shown.ref] : shown);
  for (const [at, { fields }] of portraits.entries()) {
    for (const [key, shown, enumerable] of fields) {
      const value = resolve(shown);
      Object.defineProperty(made[at], key, { value, enumerable, writable: true, configurable: true });
    }
  }
  return resolve(root);
}

const nativeErrors = [
  AggregateError,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
  Error,
];
const knownClasses = [StageFault, ...nativeErrors, Object];

/** Without its fields yet. An unknown class is replaced by its nearest known ancestor, but keeps its name. */
function shellOf({ as, names }: Portrait) {
  const [name = ""] = names;
  if (as === "symbol") return Symbol(name);
  const namesake = Object.defineProperty(() => undefined, "name", { value: name });
  if (as === "function") return namesake;
  if (as === "list") return [];
  const shell = as === "error" ? new Error() : {};
  // The stack of this place says nothing; the original stack is among the fields.
  Reflect.deleteProperty(shell, "stack");
  const known = names.flatMap((each) => knownClasses.find((one) => one.name === each) ?? [])[0];
  const inherited = known?.prototype ?? null;
  const own =
    known?.name === name ? inherited : Object.create(inherited, { constructor: { value: namesake } });
  return Object.setPrototypeOf(shell, own);
}
