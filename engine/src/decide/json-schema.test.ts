import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { complaintAbout, type JsonSchema } from "./json-schema.ts";

const person: JsonSchema = {
  type: "object",
  required: ["name", "age"],
  properties: {
    name: { type: "string", minLength: 1, maxLength: 5 },
    age: { type: "integer", minimum: 0 },
    mood: { enum: ["well", "ill"] },
    born: { type: "string", format: "date-time" },
    key: { type: "string", format: "uuid" },
    code: { type: "string", pattern: "^[A-Z]+$" },
    children: { type: "array", maxItems: 2, items: { type: "string" } },
  },
};

describe("complaintAbout", () => {
  it.each<[unknown, string | null]>([
    [{ name: "Ada", age: 36 }, null],
    [{ name: "Ada", age: 36, more: true }, null],
    [null, "it must be an object"],
    [[], "it must be an object"],
    [{ name: "Ada" }, "age is missing"],
    [{ name: "", age: 1 }, "name must not be empty"],
    [{ name: "Augusta", age: 1 }, "name must be at most 5 characters long"],
    [{ name: "Ada", age: -1 }, "age must be at least 0"],
    [{ name: "Ada", age: 1.5 }, "age must be an integer"],
    [{ name: "Ada", age: 1, mood: "so so" }, 'mood must be one of "well", "ill"'],
    [{ name: "Ada", age: 1, born: "yesterday" }, "born must be a date and time"],
    [{ name: "Ada", age: 1, key: "1" }, "key must be a UUID"],
    [{ name: "Ada", age: 1, code: "a" }, "code must look like ^[A-Z]+$"],
    [{ name: "Ada", age: 1, children: ["a", 2] }, "children[1] must be a string"],
    [{ name: "Ada", age: 1, children: ["a", "b", "c"] }, "children must have at most 2 items"],
  ])("says what is wrong with %j: %s", (value, complaint) => {
    expect(complaintAbout(person, value)).toBe(complaint);
  });

  it("refuses a field that is not named and a number that is too large, where the schema says so", () => {
    const closed: JsonSchema = {
      type: "object",
      properties: { size: { type: "number", maximum: 5 } },
      additionalProperties: false,
    };
    expect(complaintAbout(closed, { size: 5 })).toBeNull();
    expect(complaintAbout(closed, { size: 6 })).toBe("size must be at most 5");
    expect(complaintAbout(closed, { sice: 5 })).toBe('it has no field "sice"; there are: size');
  });

  it("takes any of several choices, and says what each of them lacks", () => {
    const either: JsonSchema = { anyOf: [{ required: ["path"] }, { required: ["url"] }] };
    expect(complaintAbout(either, { url: "" })).toBeNull();
    expect(complaintAbout(either, {})).toBe("path is missing, or url is missing");
  });

  it("is not deceived by what every object inherits", () => {
    expect(complaintAbout({ type: "object", required: ["toString"] }, {})).toBe("toString is missing");
  });

  it("agrees with another reader of JSON Schema about any value", () => {
    const { $schema, additionalProperties, ...same } = z.toJSONSchema(
      z.looseObject({
        name: z.string().min(1).max(5),
        age: z.int().min(0),
        mood: z.enum(["well", "ill"]).optional(),
      }),
    ) as JsonSchema & { additionalProperties?: unknown };
    const theirs = z.fromJSONSchema(same as never);
    const value = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          name: fc.oneof(fc.string({ maxLength: 7 }), fc.jsonValue()),
          age: fc.oneof(fc.integer({ min: -2, max: 9 }), fc.jsonValue()),
          mood: fc.oneof(fc.constantFrom("well", "ill", "so so"), fc.jsonValue()),
        },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(value, (one) => {
        expect(complaintAbout(same, one) === null).toBe(theirs.safeParse(one).success);
      }),
    );
  });
});
