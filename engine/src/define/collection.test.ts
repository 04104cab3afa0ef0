import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { type Collection, collection, type DocumentDraft, type DocumentOf } from "./collection.ts";
import { DefinitionError } from "./definition-error.ts";

const mails = collection("mails", z.object({ subject: z.string(), at: z.coerce.date().optional() }));

describe("a collection", () => {
  test("makes documents that do not exist yet", () => {
    expect(mails.document("m-1", { subject: "Hello" })).toEqual({
      collection: "mails",
      id: "m-1",
      body: { subject: "Hello" },
    });
  });

  test("cannot be changed after it was declared", () => {
    expect(Object.isFrozen(mails)).toBe(true);
  });

  test.each(["a", "mails", "mail_parts-2", "x".repeat(63)])("may be called %j", (name) => {
    expect(collection(name, z.object({})).name).toBe(name);
  });

  test.each(["", "Mails", "2mails", "-mails", "mail parts", "mäils", "a.b", "x".repeat(64)])(
    "may not be called %j",
    (name) => {
      const declare = () => collection(name, z.object({}));
      expect(declare).toThrow(DefinitionError);
      expect(declare).toThrow(
        `The collection "${name}" needs another name: lower-case letters, digits, "-" and "_", at most 63, a letter first.`,
      );
    },
  );
});

describe("the types of a collection", () => {
  test("know its name, what is given and what is stored", () => {
    expectTypeOf(mails.name).toEqualTypeOf<"mails">();
    const counted = collection("counted", z.object({ words: z.string().transform((text) => text.length) }));
    expectTypeOf(counted).toExtend<Collection<"counted", { words: string }, { words: number }>>();
    expectTypeOf<DocumentOf<typeof counted>>().toExtend<{ readonly words: number; readonly id: string }>();
    expectTypeOf(counted.document("a", { words: "x" })).toEqualTypeOf<
      DocumentDraft<"counted", { words: string }>
    >();
  });

  test("refuse a body of another shape", () => {
    // @ts-expect-error: a subject is a text.
    mails.document("m-1", { subject: 5 });
    // @ts-expect-error: a mail has a subject.
    mails.document("m-1", {});
    // @ts-expect-error: an id is a text.
    mails.document(1, { subject: "Hello" });
  });

  test("refuse a body with an id of its own, and a body that is no object", () => {
    // @ts-expect-error: a document's id is its own.
    collection("things", z.object({ id: z.string() }));
    // @ts-expect-error: a body is an object.
    collection("texts", z.string());
  });

  test("make stored documents readonly", () => {
    const rename = (mail: DocumentOf<typeof mails>) => {
      // @ts-expect-error: stored documents are readonly; a stage yields a new document instead.
      mail.subject = "Hello again";
    };
    expect(rename).toBeTypeOf("function");
  });
});
