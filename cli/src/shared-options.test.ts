import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Refusal } from "./exit-codes.ts";
import { parseCount, parseDate, placeOf } from "./shared-options.ts";

const refusalOf = (act: () => unknown): Refusal => {
  try {
    act();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("It was not refused.");
};

describe("where a command works", () => {
  it("is what was said, else what the environment says, else the folder .headway", () => {
    expect(placeOf({}, {})).toEqual({
      data: resolve(".headway"),
      database: { folder: resolve(".headway") },
    });
    expect(placeOf({}, { HEADWAY_DATA: "kept" }).data).toBe(resolve("kept"));
    expect(placeOf({ data: "said" }, { HEADWAY_DATA: "kept" }).data).toBe(resolve("said"));
    expect(placeOf({}, { HEADWAY_DATA: "", HEADWAY_DATABASE_URL: "" })).toEqual(placeOf({}, {}));
  });

  it("is a server when an address is given", () => {
    const url = "postgres://ann@db.example.org/mail";
    expect(placeOf({ database: url }, {}).database).toEqual({ url });
    expect(placeOf({}, { HEADWAY_DATABASE_URL: url }).database).toEqual({ url });
    expect(placeOf({ database: "postgresql://a/b" }, { HEADWAY_DATABASE_URL: url }).database).toEqual({
      url: "postgresql://a/b",
    });
  });

  it("is a schema of its own when the address names one", () => {
    const url = "postgres://ann@db.example.org/mail";
    expect(placeOf({ database: `${url}?schema=staging` }, {}).database).toEqual({ url, schema: "staging" });
    expect(placeOf({ database: `${url}?sslmode=require&schema=b` }, {}).database).toEqual({
      url: `${url}?sslmode=require`,
      schema: "b",
    });
    expect(placeOf({ database: `${url}?search_schema=b` }, {}).database).toEqual({
      url: `${url}?search_schema=b`,
    });
  });

  it("is refused as something else, without saying what may be a secret", () => {
    for (const database of ["mysql://ann:hunter2@db", "hunter2", ""]) {
      const { message, exitCode } = refusalOf(() => placeOf({ database }, {}));
      expect(message).toBe("The database must be an address such as postgres://user@host/name.");
      expect(exitCode).toBe(1);
    }
  });
});

describe("a date", () => {
  it("may be a year, a month, a day or a moment", () => {
    const given = ["2024", "2024-05", "2024-05-31", "2024-05-31T10:20:30Z"];
    expect(given.map((text) => parseDate(text, "--since").toISOString())).toEqual([
      "2024-01-01T00:00:00.000Z",
      "2024-05-01T00:00:00.000Z",
      "2024-05-31T00:00:00.000Z",
      "2024-05-31T10:20:30.000Z",
    ]);
  });

  it("is refused as wrong usage when there is no such day", () => {
    for (const text of [
      "",
      "yesterday",
      "2024-13",
      "2024-02-30",
      "2024-5-1",
      "31.05.2024",
      "20240531",
      "1e3",
    ]) {
      const { message, exitCode } = refusalOf(() => parseDate(text, "--since"));
      expect(message).toBe(`--since is "${text}"; expected a date such as 2024-05-31.`);
      expect(exitCode).toBe(2);
    }
  });
});

describe("a count", () => {
  it("is a whole number within its limits", () => {
    expect(["1", "10", "1000"].map((text) => parseCount(text, "--limit", 1_000))).toEqual([1, 10, 1000]);
    for (const text of ["0", "-1", "1.5", "1001", "many", "", " ", "Infinity"]) {
      const { message, exitCode } = refusalOf(() => parseCount(text, "--limit", 1_000));
      expect(message).toBe(`--limit is "${text}"; expected a whole number from 1 to 1000.`);
      expect(exitCode).toBe(2);
    }
  });
});
