import { expect, it } from "vitest";
import { readPage } from "./markdown.ts";

const page = readPage(`# Start & go: \`npm start\`
See [the guide](guides/a.md#b "title"), ![picture](p.png) and \`[not this](x.md)\`.
## Twice
\`\`\`ts run
const link = "[nor this](y.md)";
# not a heading
\`\`\`
## Twice
[below]: ../c.md
<a id="by-hand"></a>
~~~text output
\`\`\`
~~~
`);

it("a heading gets the anchor GitHub gives it", () => {
  expect([...page.anchors]).toEqual(["start--go-npm-start", "twice", "twice-1", "by-hand"]);
});

it("links are found in prose, not in code", () => {
  expect(page.links.map(({ target }) => target)).toEqual(["guides/a.md#b", "p.png", "../c.md"]);
});

it("a block knows its info string and where it begins", () => {
  expect(page.blocks).toEqual([
    { info: "ts run", code: 'const link = "[nor this](y.md)";\n# not a heading', line: 5 },
    { info: "text output", code: "```", line: 12 },
  ]);
});
