import type { AnyCollection, Document, DocumentOf, Part } from "./collection.ts";
import { DefinitionError } from "./definition-error.ts";

/**
 * A declared look-up: other documents that a stage reads beside its input. The engine reads the documents for `run`; a
 * change of a document owes the stage again.
 */
export interface LookUp<Input = unknown, Of extends LookAt = LookAt> {
  /** The collection, or some of its fields: `messages.only("from", "clean")`; a change of other fields makes nothing stale. */
  readonly of: Of;
  /** The ids, from the input alone: a document, each document of a batch, or a group. */
  readonly ids: (input: Input) => readonly string[];
  /**
   * True leaves missing documents out; each owes the stage on arrival. Otherwise the task waits, as not found yet.
   * @default false
   */
  readonly optional?: boolean;
}

/** The place of a look-up: a whole collection, or some of its fields. */
export type LookAt = AnyCollection | Part;

/** The places of a stage's look-ups, by name. */
export type Looks = Readonly<Record<string, LookAt>>;

/** The collections of a stage's look-ups. */
export type LooksInto<L extends Looks> = {
  [Name in keyof L]: L[Name] extends Part<infer C> ? C : Extract<L[Name], AnyCollection>;
}[keyof L];

/** The declarations of look-ups, by name. */
export type LooksSpec<Input, L extends Looks> = { readonly [Name in keyof L]: LookUp<Input, L[Name]> };

/** What `run` is given for each look-up: the documents, in the order of the ids. */
export type Looked<L extends Looks> = { readonly [Name in keyof L]: readonly LookedDocument<L[Name]>[] };

/** The same for a batch: the documents of each input, by the input's id. */
export type LookedByInput<L extends Looks> = {
  readonly [Name in keyof L]: ReadonlyMap<string, readonly LookedDocument<L[Name]>[]>;
};

type LookedDocument<At> =
  At extends Part<infer C, infer Field>
    ? Document<Pick<DocumentOf<C>, Field & keyof DocumentOf<C>>>
    : DocumentOf<At>;

/** A look-up as the engine sees it. */
export interface DeclaredLook {
  readonly name: string;
  readonly of: AnyCollection;
  // biome-ignore lint/suspicious/noExplicitAny: the input's type is known to the author only.
  readonly ids: (input: any) => readonly string[];
  readonly fields: readonly string[] | null;
  readonly optional: boolean;
}

/** Look-ups of a program that may not have been compiled, by name, so the order of a declaration does not matter. */
export function declareLooks(
  stage: string,
  spec: object | undefined,
  taken: readonly string[],
): DeclaredLook[] {
  const refuse = (problem: string): never => {
    throw new DefinitionError(`Stage "${stage}" ${problem}.`);
  };
  return Object.entries(spec ?? {})
    .map(([name, given]): DeclaredLook => {
      const { of: at, ids, optional = false } = given as Partial<LookUp>;
      const { of, fields } = at && "fields" in at ? at : { of: at, fields: null };
      if (taken.includes(name)) refuse(`looks up "${name}", a name that the context already has`);
      if (typeof of?.name !== "string" || typeof ids !== "function")
        refuse(
          `looks up "${name}" without a collection or ids; give it { of: collection, ids: (input) => [...] }`,
        );
      if (fields !== null && fields.length === 0)
        refuse(`looks up "${name}" with no fields; leave fields out for all`);
      return { name, of: of as AnyCollection, ids: ids as DeclaredLook["ids"], fields, optional };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
