import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compareVersions, planRelease, readManifests } from "./release.ts";
import { repo } from "./source.ts";

const text = (path: string) => ({ path, text: readFileSync(join(repo, path), "utf8") });
const given = { manifests: readManifests(), lock: text("package-lock.json"), day: "2026-01-31" };
const changelog = {
  path: "CHANGELOG.md",
  text: "# Changelog\n\n## Unreleased\n\n### Added\n\n- A door.\n\n## 0.1.0\n\n- Old.\n",
};

describe("a release", () => {
  it("gives every package, and every dependency between them, the same version", () => {
    const { files, tag } = planRelease("9.0.0", { ...given, changelog });
    expect(tag).toBe("v9.0.0");
    const manifests = files.filter(({ path }) => path.endsWith("package.json"));
    expect(manifests.length).toBeGreaterThanOrEqual(6);
    for (const { path, text } of manifests) {
      const { version, dependencies = {} } = JSON.parse(text);
      const own = Object.entries(dependencies).filter(([name]) => name.startsWith("@headway/"));
      expect([path, version, ...own.map(([, wanted]) => wanted)]).toEqual([
        path,
        "9.0.0",
        ...own.map(() => "9.0.0"),
      ]);
    }
    const lock = JSON.parse(files.find(({ path }) => path === "package-lock.json")?.text ?? "");
    expect(lock.packages.engine.version).toBe("9.0.0");
    expect(lock.packages.cli.dependencies["@headway/engine"]).toBe("9.0.0");
  });

  it("changes nothing else in manifests and lock file", () => {
    const { files } = planRelease("9.0.0", { ...given, changelog });
    for (const before of [...given.manifests, given.lock]) {
      const after = files.find(({ path }) => path === before.path)?.text ?? "";
      expect(after.split("\n").length, before.path).toBe(before.text.split("\n").length);
    }
  });

  it("takes its notes from the changelog, and opens a new section there", () => {
    const { files, notes } = planRelease("9.0.0", { ...given, changelog });
    expect(notes).toBe("Headway 9.0.0\n\n### Added\n\n- A door.");
    expect(files.at(-1)?.text).toContain("## Unreleased\n\n## 9.0.0 (2026-01-31)\n\n### Added");
  });

  it("refuses a version that is none or not later, and an empty changelog", () => {
    expect(() => planRelease("v9", { ...given, changelog })).toThrow('"v9" is no version such as 0.2.0.');
    expect(() => planRelease("0.0.1", { ...given, changelog })).toThrow("a release needs a later version");
    const empty = { ...changelog, text: "# Changelog\n\n## Unreleased\n\n## 0.1.0\n" };
    expect(() => planRelease("9.0.0", { ...given, changelog: empty })).toThrow("nothing to release");
    expect(compareVersions("0.10.0", "0.9.9")).toBeGreaterThan(0);
  });
});
