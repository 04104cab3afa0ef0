import { SettingsError } from "@headway/text";
import { describe, expect, it } from "vitest";
import { consensusKnobs, readSettings } from "./settings.ts";

const refusalOf = (variables: Record<string, string>): string => {
  try {
    readSettings(variables);
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as Error).message;
  }
  throw new Error("It was not refused.");
};

describe("the settings", () => {
  it("are offline when nothing is said", () => {
    const offline = {
      embedder: "static",
      embedderModel: null,
      embedderKey: null,
      llmUrl: null,
      llmModel: null,
      llmKey: null,
      llmContextTokens: 8_000,
      listQuiet: "300ms",
      threadQuiet: "1s",
      inbox: null,
      blobs: "auto",
    };
    expect(readSettings({})).toEqual(offline);
    const empty = Object.values(consensusKnobs).map(({ variable }) => [variable, "  "]);
    expect(readSettings(Object.fromEntries(empty))).toEqual(offline);
  });

  it("are what the variables say", () => {
    expect(
      readSettings({
        HEADWAY_EMBEDDER: " http://127.0.0.1:11434/v1 ",
        HEADWAY_EMBEDDER_MODEL: "nomic-embed-text",
        HEADWAY_LLM_URL: "https://llm.example.org/v1",
        HEADWAY_LLM_MODEL: "small",
        HEADWAY_LLM_KEY: "hunter2",
        HEADWAY_LLM_CONTEXT_TOKENS: "32000",
        HEADWAY_LIST_QUIET: "5s",
        HEADWAY_THREAD_QUIET: "2m",
        HEADWAY_INBOX: "/srv/mail",
        HEADWAY_BLOBS: "folder",
      }),
    ).toEqual({
      embedder: "http://127.0.0.1:11434/v1",
      embedderModel: "nomic-embed-text",
      embedderKey: null,
      llmUrl: "https://llm.example.org/v1",
      llmModel: "small",
      llmKey: "hunter2",
      llmContextTokens: 32_000,
      listQuiet: "5s",
      threadQuiet: "2m",
      inbox: "/srv/mail",
      blobs: "folder",
    });
    expect(readSettings({ HEADWAY_EMBEDDER: "minilm" }).embedder).toBe("minilm");
  });

  it("are refused with one sentence that names the variable and what it should be", () => {
    expect(refusalOf({ HEADWAY_LLM_CONTEXT_TOKENS: "1e9" })).toBe(
      'HEADWAY_LLM_CONTEXT_TOKENS is "1e9"; expected a whole number from 1000 to 10000000.',
    );
    expect(refusalOf({ HEADWAY_LIST_QUIET: "soon" })).toBe(
      'HEADWAY_LIST_QUIET is "soon"; expected a duration such as 500ms, 30s or 5m.',
    );
    expect(refusalOf({ HEADWAY_BLOBS: "cloud" })).toBe(
      'HEADWAY_BLOBS is "cloud"; expected auto or folder or database.',
    );
    expect(refusalOf({ HEADWAY_LLM_URL: "http://llm.example.org" })).toBe(
      "HEADWAY_LLM_MODEL is not set; expected the name of the model at HEADWAY_LLM_URL.",
    );
  });

  it("are not repeated where they may hold a secret", () => {
    const wrong = [
      "ftp://ann:hunter2@example.org",
      "hunter2",
      "//ann:hunter2@example.org",
      "http://",
      "file:///hunter2",
    ];
    for (const text of wrong) {
      for (const variable of ["HEADWAY_LLM_URL", "HEADWAY_EMBEDDER"]) {
        const sentence = refusalOf({ [variable]: text });
        expect(sentence).toBe(
          `${variable} is not an address; expected one that begins with http:// or https://.`,
        );
      }
    }
  });

  it("have a variable each, and say what they mean", () => {
    const knobs = Object.values(consensusKnobs);
    expect(new Set(knobs.map(({ variable }) => variable)).size).toBe(knobs.length);
    for (const { variable, meaning } of knobs) {
      expect(variable).toMatch(/^HEADWAY_[A-Z_]+$/);
      expect(meaning.length).toBeGreaterThan(10);
    }
  });
});
