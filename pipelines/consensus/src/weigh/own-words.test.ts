import { describe, expect, it } from "vitest";
import { blankForeignWords } from "./own-words.ts";

describe("what is not the author's own", () => {
  it.each([
    ["a quoted line", "> I object\nI agree", "I agree"],
    ["an attribution", "On Mon, Jan 1, 2024, Bo wrote:\nI agree", "I agree"],
    [
      "a wrapped attribution",
      "On Mon, 1 Jan 2024 at 10:00, Bo Kim\n<bo@example.org> wrote:\nI agree",
      "I agree",
    ],
    ["a French attribution", "Le 1 janvier 2024, Bo a écrit :\nI agree", "I agree"],
    ["what is below a forwarding line", "I agree\n-----Original Message-----\nI object", "I agree"],
    ["an Outlook header and what follows", "I agree\nFrom: Bo Kim\nSent: Monday\nI object", "I agree"],
    ["words in quotation marks", 'I said "I object" once', "I said once"],
    ["words in typographic quotation marks", "I said “I\nobject” once", "I said once"],
    ["code between fences", "I agree\n```\n-1\n```", "I agree"],
    ["inline code", "use `a -1` here", "use here"],
    ["a hunk of a diff", "see\n@@ -1,2 +1,2 @@\n-1\n+1\n x\nI agree", "see I agree"],
    ["an address of the web", "see https://example.org/+1 there", "see there"],
  ])("is blanked: %s", (_, text, left) => {
    const blanked = blankForeignWords(text);
    expect(blanked.replace(/\s+/g, " ").trim()).toBe(left);
    expect(blanked).toHaveLength(text.length);
  });

  it("leaves apostrophes and a reviewer's words after a shortened hunk", () => {
    const text = "I don't think it's Bo's fault";
    expect(blankForeignWords(text)).toBe(text);
    expect(blankForeignWords("@@ -1,9 +1,9 @@\n-a\n+b\nI object").trim()).toBe("I object");
  });
});
