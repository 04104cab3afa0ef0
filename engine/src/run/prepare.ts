import type { StandardSchemaV1 } from "@standard-schema/spec";
import { permanent } from "../decide/fault.ts";
import { canonicalJson, contentHash } from "../decide/hash.ts";
import { storable, storableJson } from "../decide/text.ts";
import type { DocumentDraft } from "../define/collection.ts";
import type { Prepared } from "../store/stage-graph.ts";
import type { PlannedCollection } from "./graph.ts";

const idBytesMax = 1_024;
const bodyBytesMax = 64 * 1024 * 1024;

export interface PreparedDocument extends Prepared {
  /** Number of replaced NUL bytes and lone surrogates. */
  readonly replaced: number;
}

/**
 * Turns a yielded document into its stored form: checked, normalised, hashed. Invalid documents are permanent faults.
 */
export function prepare(
  draft: DocumentDraft,
  into: PlannedCollection,
): PreparedDocument | Promise<PreparedDocument> {
  const { collection } = into;
  checkId(draft.id, `a document of "${collection.name}"`, "output.id");
  const result = collection.schema["~standard"].validate(draft.body);
  if (result instanceof Promise) return result.then((checked) => finish(draft, into, checked));
  return finish(draft, into, result);
}

function finish(
  draft: DocumentDraft,
  into: PlannedCollection,
  checked: StandardSchemaV1.Result<object>,
): PreparedDocument {
  const name = into.collection.name;
  if (checked.issues) throw invalidBody(draft, name, checked.issues);
  const { value, replaced } = storableJson(checked.value) as { value: object; replaced: number };
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw permanent(
      "output.invalid",
      `The body of "${draft.id}" in "${name}" is not an object; a document's body must be one.`,
    );
  }
  if ("id" in value) {
    throw permanent(
      "output.invalid",
      `The body of "${draft.id}" in "${name}" has a field "id"; a document's id is its own.`,
    );
  }
  const json = canonicalJson(value);
  if (json.length > bodyBytesMax / 4 && Buffer.byteLength(json) > bodyBytesMax) {
    throw permanent(
      "output.too-large",
      `The body of "${draft.id}" in "${name}" is larger than 64 MiB; keep large bytes in a blob store.`,
    );
  }
  const groups = into.collectors.map(({ stage, name: collector, per }) => {
    const key = per({ ...value, id: draft.id });
    checkId(key, `the group that "${collector}" puts "${draft.id}" into`, "group.key");
    return { stage, key };
  });
  return { collection: into.number, id: draft.id, hash: contentHash(json), json, groups, replaced };
}

function checkId(id: unknown, what: string, code: string): asserts id is string {
  if (typeof id !== "string" || id === "")
    throw permanent(code, `The id of ${what} must be a text that is not empty.`);
  if (id.length > idBytesMax / 4 && Buffer.byteLength(id) > idBytesMax) {
    throw permanent(code, `The id of ${what} is longer than ${idBytesMax} bytes.`);
  }
  if (storable(id) !== id)
    throw permanent(code, `The id of ${what} contains a NUL byte or half a character.`);
}

function invalidBody(draft: DocumentDraft, name: string, issues: readonly StandardSchemaV1.Issue[]) {
  const shown = issues.slice(0, 5).map((issue) => `${pathOf(issue)}: ${issue.message}`);
  const more = issues.length > shown.length ? ` (and ${issues.length - shown.length} more)` : "";
  return permanent(
    "output.invalid",
    `The body of "${draft.id}" does not fit "${name}": ${shown.join("; ")}${more}`,
  );
}

const pathOf = ({ path = [] }: StandardSchemaV1.Issue): string =>
  ["$", ...path.map((part) => String(typeof part === "object" ? part.key : part))].join(".");
