import type { Segment } from "../layout/rows.ts";
import type { Word } from "../layout/words.ts";
import { boxOfWords } from "./entries.ts";
import type { SplitRow } from "./heads.ts";
import type { TroubleEntry } from "./read-troubles.ts";
import { isCodeShaped } from "./roles.ts";

const title =
  /^(?:(?:error|fault|alarm|code|fehler|störung|falha|erro|error)\s+)?#?((?:[A-Z]{1,4}[-. ]?)?\d{1,5}(?:[-._][A-Z0-9]{1,4}){0,3}|[A-Z]{1,2}\d{1,4})[:.\s–-]+(\p{Lu}.+)$/iu;
const cause =
  /^(?:(?:possible|probable|mögliche)\s+)?(?:cause|reason|ursache|causa|cause)s?n?\s*:\s{0,20}(.*)$/iu;
const remedy =
  /^(?:remedy|solution|action|abhilfe|behebung|soluç(?:ão|ões)|solución|remède|rimedio|soluzione)(?:s|es)?\s*:\s{0,20}(.*)$/iu;

interface Open {
  code: string;
  problem: string;
  cause: string;
  remedy: string;
  field: "problem" | "cause" | "remedy";
  words: Word[];
  heading: string;
}

/** Bold `E12 TITLE` with the fields `Cause:` and `Remedy:` below. Without one of these it is a numbered heading. */
export function readParagraphs(rows: readonly SplitRow[]): readonly TroubleEntry[] {
  const segments = rows.flatMap((row) => row.segments).sort((one, other) => one.first - other.first);
  const found: Open[] = [];
  let open: Open | null = null;
  for (const segment of segments) {
    const begun = begin(segment);
    if (begun) {
      open = begun;
      found.push(begun);
    } else if (open) open = goOn(open, segment);
  }
  return found.filter((entry) => entry.cause !== "" || entry.remedy !== "").map(entryOf);
}

function begin({ text, bold, words }: Segment): Open | null {
  const match = bold ? title.exec(text) : null;
  const [, code, problem] = match ?? [];
  if (
    code === undefined ||
    problem === undefined ||
    !isCodeShaped(code) ||
    /^\d{1,2}(?:\.\d{1,2})*$/.test(code)
  )
    return null;
  return { code, problem, cause: "", remedy: "", field: "problem", words: [...words], heading: text };
}

/** Null: the segment belongs to something else. */
function goOn(open: Open, { text, bold, words }: Segment): Open | null {
  const [, why] = cause.exec(text) ?? [];
  const [, what] = remedy.exec(text) ?? [];
  if (why === undefined && what === undefined && bold && open.field !== "problem") return null;
  const field = why !== undefined ? "cause" : what !== undefined ? "remedy" : open.field;
  const part = why ?? what ?? text;
  open[field] = open[field] === "" ? part : `${open[field]} ${part}`;
  open.field = field;
  open.words.push(...words);
  return open;
}

function entryOf({ code, problem, cause: why, remedy: what, words, heading }: Open): TroubleEntry {
  return {
    kind: "trouble",
    texts: { code, problem, ...(why && { cause: why }), ...(what && { remedy: what }) },
    box: boxOfWords(words),
    quote: heading,
    witness: why === "" ? "a remedy below the heading" : "a cause below the heading",
    reader: "paragraphs",
  };
}
