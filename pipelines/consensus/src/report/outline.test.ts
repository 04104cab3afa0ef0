import { describe, expect, it } from "vitest";
import { aPosition, aStory } from "../../test/stories.ts";
import { outlineOf } from "./outline.ts";
import { htmlOfOutline, markdownOfOutline, rowsOfOutline } from "./outline-text.ts";

const person = { name: "Ada", address: "m1@example.org" };
const quoted = { message: "m2", start: 0, end: 1, quote: "Will the old key stay valid?" };
const story = () => {
  const base = aStory();
  const [first, ...others] = base.messages;
  const proposing = { ...first!, clean: "I propose that we update keys every week. It is simple." };
  return { ...base, messages: [proposing, ...others] };
};

describe("an outline", () => {
  it("has the topic in a line, and quotes of what was proposed, decided and is open", () => {
    const outline = outlineOf({
      ...story(),
      positions: [
        aPosition({ ...quoted, id: "q", stance: "question", person, message: "m3", supersededBy: null }),
      ],
    });
    expect(outline.topic).toContain("Key update");
    expect(outline.topic).not.toContain("\n");
    expect(outline.proposed.map(({ quote }) => quote)).toContain("I propose that we update keys every week.");
    expect(outline.decided).toMatchObject([{ quote: "I support this.", by: { name: "Ada" }, message: "m1" }]);
    expect(outline.open).toMatchObject([{ quote: "Will the old key stay valid?" }]);
    const markdown = markdownOfOutline(outline);
    for (const title of ["## Proposed", "## Decided", "## Still open"]) expect(markdown).toContain(title);
    expect(htmlOfOutline(outline)).toContain("<h2>Decided</h2>");
    expect(rowsOfOutline(outline).map(({ part }) => part)).toContain("decided");
  });

  it("since a day has only what came since, and who changed their mind", () => {
    const positions = [
      aPosition({
        ...quoted,
        id: "a",
        stance: "object",
        person,
        at: "2024-01-02T00:00:00Z",
        supersededBy: "b",
      }),
      aPosition({
        ...quoted,
        id: "b",
        stance: "support",
        person,
        at: "2025-01-01T00:00:00Z",
        supersededBy: null,
      }),
    ];
    const late = outlineOf({ ...story(), positions }, new Date("2024-12-01"));
    expect(late).toMatchObject({ messages: 0, earlier: 3, proposed: [], decided: [] });
    expect(late.turned).toMatchObject([{ from: "object", to: "support" }]);
    expect(markdownOfOutline(late)).toContain("nothing new since 2024-12-01; 3 messages before");
    expect(outlineOf({ ...story(), positions }, new Date("2020-01-01")).proposed).not.toEqual([]);
  });

  it("of hostile words stays text", () => {
    const hostile = outlineOf({
      ...aStory({ name: "<b>", title: "<script>x</script>", text: "I propose <img src=x>", kind: "k" }),
    });
    expect(htmlOfOutline(hostile)).not.toMatch(/<script|<img/);
  });
});
