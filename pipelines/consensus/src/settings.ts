import { type Duration, durationMs } from "@headway/engine";
import { SettingsError } from "@headway/text";

/** Settings of the consensus pipeline. */
export interface Settings {
  /** `static` (offline, built in), `minilm` (offline, to be installed), or the address of an embedding server. */
  readonly embedder: string;
  readonly embedderModel: string | null;
  readonly embedderKey: string | null;
  /** The address of a language model for summaries; null: sentences are chosen offline. */
  readonly llmUrl: string | null;
  readonly llmModel: string | null;
  readonly llmKey: string | null;
  /** Context size of the language model. */
  readonly llmContextTokens: number;
  readonly listQuiet: Duration;
  readonly threadQuiet: Duration;
  /** The folder with files other services may ask to read; null: none. */
  readonly inbox: string | null;
  /** Location of archive bytes. */
  readonly blobs: "auto" | "folder" | "database";
}

/** Every setting with variable, default and meaning. Keys are secrets: from variables only. */
export const consensusKnobs = {
  embedder: {
    variable: "HEADWAY_EMBEDDER",
    value: "static",
    meaning: "`static`, `minilm`, or the address of an embedding server such as `http://127.0.0.1:11434/v1`",
  },
  embedderModel: {
    variable: "HEADWAY_EMBEDDER_MODEL",
    value: "",
    meaning: "the model to ask that server for",
  },
  embedderKey: { variable: "HEADWAY_EMBEDDER_KEY", value: "", meaning: "the key of that server" },
  llmUrl: {
    variable: "HEADWAY_LLM_URL",
    value: "",
    meaning: "the address of a language model that writes summaries; empty: they are made offline",
  },
  llmModel: {
    variable: "HEADWAY_LLM_MODEL",
    value: "",
    meaning: "the language model to ask that server for",
  },
  llmKey: { variable: "HEADWAY_LLM_KEY", value: "", meaning: "the key of that server" },
  llmContextTokens: {
    variable: "HEADWAY_LLM_CONTEXT_TOKENS",
    value: "8000",
    meaning: "how many tokens the language model can read at once",
  },
  listQuiet: {
    variable: "HEADWAY_LIST_QUIET",
    value: "300ms",
    meaning: "how long a list must have had no new message before it is threaded",
  },
  threadQuiet: {
    variable: "HEADWAY_THREAD_QUIET",
    value: "1s",
    meaning: "how long a thread must have been the same before it is weighed and summarized",
  },
  inbox: {
    variable: "HEADWAY_INBOX",
    value: "",
    meaning: "the folder whose files services may tell of by an `ArchiveIngested` event; empty: none",
  },
  blobs: {
    variable: "HEADWAY_BLOBS",
    value: "auto",
    meaning:
      "where the bytes of archives are kept: `folder` (of `--data`), `database`, or `auto`: in the database if that is a server, so that every machine has them, else in the folder",
  },
} as const satisfies Record<keyof Settings, { variable: string; value: string; meaning: string }>;

/** Reads the settings; a bad value is refused with one sentence. */
export function readSettings(variables: Readonly<Record<string, string | undefined>>): Settings {
  const given = (knob: keyof Settings): string =>
    variables[consensusKnobs[knob].variable]?.trim() || consensusKnobs[knob].value;
  const settings: Settings = {
    embedder: given("embedder"),
    embedderModel: given("embedderModel") || null,
    embedderKey: given("embedderKey") || null,
    llmUrl: given("llmUrl") || null,
    llmModel: given("llmModel") || null,
    llmKey: given("llmKey") || null,
    llmContextTokens: wholeNumber("llmContextTokens", given("llmContextTokens"), 1_000, 10_000_000),
    listQuiet: duration("listQuiet", given("listQuiet")),
    threadQuiet: duration("threadQuiet", given("threadQuiet")),
    inbox: given("inbox") || null,
    blobs: oneOf("blobs", given("blobs"), ["auto", "folder", "database"]),
  };
  const { embedder, llmUrl } = settings;
  if (embedder !== "static" && embedder !== "minilm") checkAddress("embedder", embedder);
  if (embedder !== "static" && embedder !== "minilm" && !settings.embedderModel)
    throw impossible("embedderModel", "is not set", "the name of the model at HEADWAY_EMBEDDER");
  if (llmUrl) checkAddress("llmUrl", llmUrl);
  if (llmUrl && !settings.llmModel)
    throw impossible("llmModel", "is not set", "the name of the model at HEADWAY_LLM_URL");
  return settings;
}

const impossible = (knob: keyof Settings, problem: string, expected: string) =>
  new SettingsError(consensusKnobs[knob].variable, problem, expected);

function wholeNumber(knob: keyof Settings, text: string, min: number, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw impossible(knob, `is "${text}"`, `a whole number from ${min} to ${max}`);
}

function oneOf<Word extends string>(knob: keyof Settings, text: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  throw impossible(knob, `is "${text}"`, words.join(" or "));
}

function duration(knob: keyof Settings, text: string): Duration {
  try {
    durationMs(text as Duration);
    return text as Duration;
  } catch {
    throw impossible(knob, `is "${text}"`, "a duration such as 500ms, 30s or 5m");
  }
}

function checkAddress(knob: keyof Settings, text: string): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && /^https?:$/.test(url.protocol)) return;
  // The given value may contain a password, so the message omits it.
  throw impossible(knob, "is not an address", "one that begins with http:// or https://");
}
