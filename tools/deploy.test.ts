import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { readConfig } from "../engine/src/config.ts";
import { durationMs } from "../engine/src/define/duration.ts";
import { filesMatching, repo } from "./source.ts";

const files = filesMatching(/^deploy\//);
const textOf = (path: string): string => files.find((file) => file.path === path)?.text ?? "";
const compose = textOf("deploy/compose.yaml");
const container = textOf("deploy/Containerfile");
const units = files.filter(({ path }) => path.endsWith(".service"));

/** These pages are generated from the code, so they name only what exists. */
const reference = filesMatching(/^docs\/reference\/[^/]+\.md$/).map(({ text }) => text);
const helpOf = (command: string): string | undefined =>
  reference.join("\n").split(`\n## headway ${command}\n`)[1]?.split("\n## ")[0];

/** Every command line that starts Headway, split into words as by a shell. */
const started: readonly (readonly string[])[] = [
  ...[...compose.matchAll(/^ +command: \[(.*)\]$/gm)].map((match) => (match[1] as string).split(", ")),
  ...units.map(({ text }) => (/^ExecStart=\S+\/headway (.*)$/m.exec(text)?.[1] ?? "").split(" ")),
].filter(([program = ""]) => program !== "postgres" && !program.startsWith("-"));

describe("what is in deploy/", () => {
  it("is there", () => {
    expect([compose, container].every(Boolean)).toBe(true);
    expect(units.map(({ path }) => basename(path))).toEqual([
      "headway-serve.service",
      "headway-sweep.service",
      "headway-work@.service",
    ]);
    expect(started.map(([command]) => command)).toEqual([
      "doctor",
      "up",
      "work",
      "sweep",
      "serve",
      "sweep",
      "work",
    ]);
  });

  it("sets no variable that nobody reads", () => {
    const known = new Set(reference.join("\n").match(/\b(HEADWAY|RETRY)_[A-Z_]+\b/g));
    for (const { path, text } of files) {
      for (const name of text.match(/\b(HEADWAY|RETRY)_[A-Z_]+\b/g) ?? []) {
        expect(known, `${path} names ${name}, which is on no page of docs/reference.`).toContain(name);
      }
    }
  });

  it("starts commands that exist, with options that they have", () => {
    for (const [command = "", ...words] of started) {
      const help = helpOf(command);
      expect(help, `There is no "headway ${command}".`).toBeDefined();
      for (const flag of words.filter((word) => word.startsWith("--"))) {
        expect(help, `"headway ${command}" has no ${flag}.`).toContain(`${flag} <`);
      }
    }
  });

  it("gives what runs the time to end that it asks for", () => {
    const { config } = readConfig();
    const spanOf = (name: string, text: string) => new RegExp(`${name}: (\\w+)`).exec(text)?.[1] as "1s";
    const headway = compose.slice(compose.indexOf("x-headway"), compose.indexOf("\nservices:"));
    expect(durationMs(spanOf("stop_grace_period", headway))).toBeGreaterThan(
      durationMs(spanOf("HEADWAY_GRACE", headway)),
    );
    for (const { path, text } of units) {
      const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1]);
      expect(seconds * 1_000, path).toBeGreaterThan(config.graceMs);
    }
  });
});

describe("deploy/compose.yaml", () => {
  it("has no secret and no default for one: both are asked for", () => {
    const asked = [...compose.matchAll(/\$\{(\w+)(:?.)/g)].map((match) => [match[1], match[2]]);
    expect(asked.length).toBeGreaterThan(0);
    for (const [name, sign] of asked) expect([name, sign]).toEqual([name, ":?"]);
    const offered = [...textOf("deploy/example.env").matchAll(/^(\w+)=(.*)$/gm)];
    expect(offered.map((match) => match[1]).sort()).toEqual([...new Set(asked.map(([name]) => name))].sort());
    expect(offered.map((match) => match[2]).join("")).toBe("");
    expect(compose.match(/\w*(PASS|PASSWORD|KEY|TOKEN): (?!\$\{)\S+/g)).toBeNull();
  });

  it("opens ports on this machine only, and names the version of every image", () => {
    const ports = [...compose.matchAll(/"([^"]*\d+:\d+)"/g)].map((match) => match[1] as string);
    expect(ports.length).toBeGreaterThan(0);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    const images = [...compose.matchAll(/^ +image: (\S+)$/gm)].map((match) => match[1] as string);
    for (const image of images.filter((name) => name !== "headway")) expect(image).toMatch(/:[\w.-]*\d/);
  });

  it("is an outline of two spaces a level, in which every anchor, volume and service that is named exists", () => {
    for (const line of compose.split("\n")) expect(line).toMatch(/^( {2})*(\S.*)?$/);
    const named = (pattern: RegExp) => [...compose.matchAll(pattern)].map((match) => match[1] as string);
    const anchors = named(/&(\w+)/g);
    for (const anchor of named(/<<: \*(\w+)/g)) expect(anchors).toContain(anchor);
    const [, services = "", volumes = ""] = compose.split(/^(?:services|volumes):$/m);
    const serviceNames = [...services.matchAll(/^ {2}(\w+):$/gm)].map((match) => match[1]);
    for (const one of named(/^ {6}(\w+): \{ condition: /gm)) expect(serviceNames).toContain(one);
    for (const one of named(/"(\w+):\/(?!\/)[^"]*"/g))
      expect(volumes).toMatch(new RegExp(`^ {2}${one}:$`, "m"));
  });
});

describe("deploy/compose.staging.yaml", () => {
  const staging = textOf("deploy/compose.staging.yaml");

  it("starts commands that exist, is never production, and knows production's address in the copying service only", () => {
    const commands = [...staging.matchAll(/^ +command: \[(.*)\]$/gm)].map((match) =>
      (match[1] as string).split(", "),
    );
    expect(commands.map(([command]) => command)).toEqual(["snapshot", "up"]);
    for (const [command = "", ...words] of commands)
      for (const flag of words.filter((word) => word.startsWith("--")))
        expect(helpOf(command)).toContain(flag);
    expect(staging.match(/HEADWAY_ENVIRONMENT: \w+/g)).toEqual(Array(2).fill("HEADWAY_ENVIRONMENT: staging"));
    const [copy = "", server = ""] = staging.split(/^ {2}server:$/m);
    expect(copy).toContain("${PRODUCTION_DATABASE_URL:?");
    expect(server).not.toContain("_URL");
    expect(server).not.toContain("--host");
    for (const line of staging.split("\n")) expect(line).toMatch(/^( {2})*(\S.*)?$/);
  });
});

describe("deploy/Containerfile", () => {
  it("copies and starts what is there, and not as root", () => {
    const sources = [...container.matchAll(/^COPY (?!--)(.*) \S+$/gm)].flatMap((match) =>
      (match[1] as string).split(" "),
    );
    expect(sources.length).toBeGreaterThan(4);
    for (const source of sources) expect(existsSync(join(repo, source)), source).toBe(true);
    const [, entry] = /^ENTRYPOINT \["node", "\/opt\/headway\/(.*)"\]$/m.exec(container) ?? [];
    expect(entry && existsSync(join(repo, entry))).toBe(true);
    expect(container.match(/^USER .*$/gm)).toEqual(["USER node"]);
  });

  it("installs every package of the workspace", () => {
    for (const { path } of filesMatching(/^(engine|cli|pipelines\/[^/]+)\/package\.json$/))
      expect(container).toContain(`COPY ${path} ${path.replace("package.json", "")}\n`);
  });
});

describe("deploy/systemd", () => {
  it.each(units.map(({ path, text }) => [basename(path), text] as const))("%s is locked up", (_, text) => {
    for (const line of [
      "DynamicUser=true",
      "NoNewPrivileges=true",
      "ProtectSystem=strict",
      "Restart=always",
      "KillSignal=SIGTERM",
    ])
      expect(text.split("\n")).toContain(line);
  });

  // Containers have no systemd, and need none.
  it.runIf(existsSync("/usr/bin/systemd-analyze"))("systemd understands every line", () => {
    const folder = mkdtempSync(join(tmpdir(), "headway-units-"));
    try {
      const paths = units.map(({ path, text }) => {
        const copy = join(folder, basename(path).replace("@.", "@7081."));
        writeFileSync(copy, text.replace("/usr/local/bin/headway", process.execPath));
        return copy;
      });
      const said = execFileSync("sh", ["-c", 'systemd-analyze verify "$@" 2>&1 || true', "sh", ...paths]);
      expect(String(said)).not.toMatch(/headway/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
