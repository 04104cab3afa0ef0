import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { referencePages } from "./reference.ts";
import { repo } from "./source.ts";

const command = "node --conditions=@headway/source --import tsx tools/reference.ts";

it.each(referencePages().map(({ path, text }) => [path, text] as const))(
  "%s says what the code says",
  (path, text) => {
    let written = "";
    try {
      written = readFileSync(join(repo, path), "utf8");
    } catch {
      // It was never made.
    }
    expect(written, `run ${command}`).toBe(text);
  },
);
