import { Column, type ColumnType, type Runnable, type Value } from "../store/sql.ts";

/** Requests of a process without the database to its owner, and the answers. */
export type Asked =
  | { readonly id: number; readonly kind: "query"; readonly statement: SentStatement }
  | { readonly id: number; readonly kind: "script"; readonly text: string }
  | { readonly id: number; readonly kind: "listen"; readonly channel: string }
  | { readonly id: number; readonly kind: "unlisten"; readonly channel: string }
  /** Answered when the transaction has begun; its statements carry this id. */
  | { readonly id: number; readonly kind: "begin" }
  | {
      readonly id: number;
      readonly kind: "statement";
      readonly tx: number;
      readonly statement: SentStatement;
    }
  | { readonly id: number; readonly kind: "commit"; readonly tx: number }
  | { readonly id: number; readonly kind: "rollback"; readonly tx: number };

export type Told =
  | { readonly kind: "hello"; readonly schema: string; readonly place: string }
  | { readonly kind: "answer"; readonly id: number; readonly rows: readonly object[] }
  | { readonly kind: "failed"; readonly id: number; readonly error: SentError }
  | { readonly kind: "heard"; readonly channel: string; readonly payload: string };

export interface SentStatement {
  readonly text: string;
  readonly name?: string;
  readonly values: readonly (Value | { readonly column: ColumnType; readonly items: readonly unknown[] })[];
}

/** Errors lose their class in transit; these are all the fields in use. */
export interface SentError {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly cause: SentError | null;
}

/** The request header that upgrades a connection to this protocol. */
export const shareUpgrade = "headway-database";

export const packStatement = ({ text, values, name }: Runnable): SentStatement => ({
  text,
  values: values.map((value) =>
    value instanceof Column ? { column: value.type, items: value.items } : value,
  ),
  ...(name !== undefined && { name }),
});

export const unpackStatement = ({ text, values, name }: SentStatement): Runnable => ({
  text,
  values: values.map((value) =>
    typeof value === "object" && value !== null && "column" in value
      ? new Column(value.column, value.items)
      : (value as Value),
  ),
  ...(name !== undefined && { name }),
});

const kept = ["code", "constraint", "detail", "hint", "table", "column", "severity", "commitUnknown"];

export function packError(error: unknown, depth = 0): SentError {
  const { message, cause } = error as { message?: unknown; cause?: unknown };
  const fields = kept.flatMap((key) => {
    const value = (error as Record<string, unknown> | null)?.[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    message: typeof message === "string" ? message : String(error),
    fields: Object.fromEntries(fields),
    cause: cause instanceof Error && depth < causesMax ? packError(cause, depth + 1) : null,
  };
}

const causesMax = 5;

export const unpackError = ({ message, fields, cause }: SentError): Error =>
  Object.assign(new Error(message, cause ? { cause: unpackError(cause) } : undefined), fields);
