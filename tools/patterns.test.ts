import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repeatedTrouble } from "./patterns/growth.ts";
import { filesMatching, isTest, parse, repo, type SourceFile, walk } from "./source.ts";

interface Pattern {
  readonly source: string;
  readonly flags: string;
}

/** Patterns that may take more than linear time, each with the bound of its input. */
const exceptions: Readonly<Record<string, string>> = {};

const shipped = filesMatching(
  /^(engine|cli|console|text|intake|pipelines\/[^/]+)\/(src|bin)\/.*\.(ts|mts|mjs|js)$/,
).filter(({ path }) => !isTest(path));

describe("every regular expression takes linear time, whatever it is given", () => {
  const made: { path: string; pattern: Pattern }[] = [];
  let path = "";
  const plain = globalThis.RegExp;
  beforeAll(async () => {
    globalThis.RegExp = new Proxy(plain, {
      construct(target, given) {
        const pattern: RegExp = Reflect.construct(target, given);
        made.push({ path, pattern });
        return pattern;
      },
    });
    for (const file of shipped.filter(makesPatterns)) {
      path = file.path;
      await import(/* @vite-ignore */ `${repo}${file.path}`);
    }
    globalThis.RegExp = plain;
  }, 60_000);
  afterAll(() => {
    globalThis.RegExp = plain;
  });

  it("the patterns that stand in the code, and those that are put together when it is loaded", () => {
    const all = [...shipped.flatMap(literalsOf), ...made];
    const seen = new Set<string>();
    const slow: string[] = [];
    for (const { path, pattern } of all) {
      const key = `/${pattern.source}/${pattern.flags}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const word = key in exceptions ? null : repeatedTrouble(pattern);
      if (word !== null) slow.push(`${path}: ${key.slice(0, 200)} repeats ${JSON.stringify(word)}`);
    }
    expect(slow, "bound a repetition ({0,80}), or let two neighbours not take the same character").toEqual(
      [],
    );
    expect(seen.size).toBeGreaterThan(700);
    expect(Object.keys(exceptions).filter((key) => !seen.has(key))).toEqual([]);
  }, 120_000);
});

/** Whether a file puts a pattern together; only such a file has to be loaded. */
const makesPatterns = (file: SourceFile): boolean => {
  let makes = false;
  walk(parse(file), (node) => {
    if (node.type === "NewExpression" && node.callee.name === "RegExp") makes = true;
  });
  return makes;
};

function literalsOf(file: SourceFile): { path: string; pattern: Pattern }[] {
  const found: { path: string; pattern: Pattern }[] = [];
  walk(parse(file), ({ type, regex }) => {
    if (type === "Literal" && regex)
      found.push({ path: file.path, pattern: { source: regex.pattern, flags: regex.flags } });
  });
  return found;
}

describe("growth is seen from the pattern alone", () => {
  it.each([
    /a+b/,
    /\s+$/,
    /(?:a|ab)*c|x$/,
    /^(\w+\s?)*$/,
    /<[^>]*>/,
    /^\s*[^\s,]+@[^\s,]+\s*$/,
    /^[^<]*.*x$/,
    /(?=a*b)c/,
    /\ba .*c/,
    /^(a+|b)+$/,
    /^(?:a+){2,5}$/,
    /(?:x[a-z]*)+y/u,
  ])("more than linear: %s", (pattern) => {
    expect(repeatedTrouble(pattern)).not.toBeNull();
  });

  it.each([
    /a+/,
    /^\s+/,
    /\S+\s*/,
    /<[^<>]*>/,
    /\bobject\w*\b/,
    /[^\s,]{1,80}@\S/,
    /^\w+ \w+$/,
    /^(?:\w+ )*$/,
    /\s$/,
    /(?<!\w)\w+-\d/,
    /^-+$/m,
    /a+b/y,
  ])("linear: %s", (pattern) => {
    expect(repeatedTrouble(pattern)).toBeNull();
  });
});
