import { execFileSync } from "node:child_process";
import { Command, Option } from "@commander-js/extra-typings";
import { describe, expect, it } from "vitest";
import { bashScript, fishScript, treeOf, zshScript } from "./completion-scripts.ts";

function aProgram() {
  const program = new Command("headway");
  program.command("status").description("Say it isn't over").option("--json", "print JSON");
  const failed = program.command("failed").description("Dead letters");
  failed.command("list").addOption(new Option("--state <state>", "only these").choices(["open", "closed"]));
  failed.command("purge").option("--data <dir>", "where");
  return treeOf(program);
}

/** Bash's completions after these words. */
function offered(...words: string[]): string[] {
  const script = `${bashScript(aProgram())}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _headway; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync("bash", ["-c", script, "bash", "headway", ...words], {
    encoding: "utf8",
    cwd: "/",
  });
  return out.split("\n").filter((line) => line !== "");
}

describe("completion in bash", () => {
  it("offers commands, then what belongs to the command that was typed", () => {
    expect(offered("")).toEqual(["status", "failed", "--help"]);
    expect(offered("sta")).toEqual(["status"]);
    expect(offered("status", "--")).toEqual(["--json", "--help"]);
    expect(offered("failed", "")).toEqual(["list", "purge", "--help"]);
    expect(offered("failed", "list", "--")).toEqual(["--state", "--help"]);
  });

  it("offers what an option may be, or files", () => {
    expect(offered("failed", "list", "--state", "")).toEqual(["open", "closed"]);
    expect(offered("failed", "purge", "--data", "/et")).toContain("/etc");
  });
});

describe("completion in other shells", () => {
  it("names every command, subcommand and option, with quotes in place", () => {
    for (const script of [zshScript(aProgram()), fishScript(aProgram())]) {
      for (const word of ["status", "failed", "list", "purge", "json", "state", "open", "closed", "data"]) {
        expect(script).toMatch(new RegExp(`\\b${word}\\b`));
      }
      expect(script).toContain(`isn'\\''t`);
      expect(() => execFileSync("bash", ["-n"], { input: script, stdio: "pipe" })).not.toThrow();
    }
  });
});
