import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { BrokenName } from "../chaos/broken.ts";
import type { Proof } from "./reliability-page.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/** How much of each proof is run. */
export interface Budget {
  readonly seed: number;
  /** Every call of the engine, or a sample of the calls. */
  readonly crash: "every call" | "sample";
  readonly simulatedRuns: number;
  readonly stormMinutes: { readonly broker: number; readonly database: number; readonly broken: number };
  /** Engines broken on purpose, each with a storm that has to find it out. */
  readonly broken: readonly BrokenName[];
  readonly kills: { readonly ingest: number; readonly work: number };
  /** Pages of the console: a page of each kind, or every page in every look with a million documents. */
  readonly console: "a page of each kind" | "every page";
}

/** On the build machine, every time. */
export const buildBudget: Budget = {
  seed: 1,
  crash: "sample",
  simulatedRuns: 300,
  stormMinutes: { broker: 2, database: 1, broken: 1 },
  broken: ["fencing-off", "outbox-outside"],
  kills: { ingest: 6, work: 6 },
  console: "a page of each kind",
};

/** One proof: an npm script that exits with 0 if its promises held, with a JSON summary as its last line. */
export interface ProofPlan {
  readonly title: string;
  readonly script: string;
  readonly args: readonly string[];
  /** Broken on purpose: holds if the breakage is found out. */
  readonly mustFail?: boolean;
  /** A longer proof counts as hanging. */
  readonly limitMinutes: number;
}

export function planProofs(budget: Budget): ProofPlan[] {
  const seed = ["--seed", String(budget.seed)];
  const storm = (minutes: number) => ({
    script: "chaos",
    args: ["--minutes", String(minutes), ...seed],
    limitMinutes: 2 * minutes + 16,
  });
  const { broker, database, broken } = budget.stormMinutes;
  const through = (plan: ReturnType<typeof storm>, ...args: string[]) => ({
    ...plan,
    args: [...args, ...plan.args],
  });
  const kill = (command: "ingest" | "work") => ({
    title: `Kills of headway ${command}`,
    script: `chaos:${command}`,
    args: ["--kills", String(budget.kills[command]), ...seed],
    limitMinutes: 20 + budget.kills[command] / 4,
  });
  return [
    {
      title: "Every call of the engine, interrupted",
      script: "crash",
      args: [...(budget.crash === "sample" ? ["--quick"] : []), ...seed],
      limitMinutes: budget.crash === "sample" ? 15 : 60,
    },
    {
      title: "Simulated",
      script: "sim",
      args: ["--runs", String(budget.simulatedRuns), ...seed],
      limitMinutes: 5 + budget.simulatedRuns / 100,
    },
    {
      title: "Every rule of alerts, fired live",
      script: "watch:proof",
      args: budget.crash === "sample" ? ["--quick"] : [],
      limitMinutes: budget.crash === "sample" ? 15 : 30,
    },
    kill("ingest"),
    kill("work"),
    {
      title: "Console in a browser",
      script: "console:proof",
      args: budget.console === "every page" ? [] : ["--quick"],
      limitMinutes: budget.console === "every page" ? 90 : 15,
    },
    { title: "Storm: PostgreSQL and RabbitMQ", ...through(storm(broker), "--broker", "rabbitmq") },
    { title: "Storm: PostgreSQL alone", ...storm(database) },
    ...budget.broken.map((name) => ({
      title: `Storm over a broken engine: ${name}`,
      ...through(storm(broken), "--broken", name),
      mustFail: true,
    })),
  ];
}

export async function prove({ title, script, args, mustFail, limitMinutes }: ProofPlan): Promise<Proof> {
  const words = ["run", script, "--", ...args, "--json"];
  const { code, output, tookSeconds } = await runLimited("npm", ["-s", ...words], limitMinutes);
  const summary = lastJson(output);
  const figures = Object.entries(summary ?? {}).map(([name, value]) => [name, show(value)] as const);
  const found = code === 1 && Number(summary?.violations) > 0;
  return {
    title,
    command: `npm ${words.join(" ")}`,
    figures: mustFail ? [["found out", found ? "yes" : "no"], ...figures] : figures,
    held: mustFail ? found : code === 0,
    tookSeconds,
  };
}

interface Ended {
  readonly code: number;
  readonly output: string;
  readonly tookSeconds: number;
}

/** A separate process group, so a hanging proof, or a killed caller, leaves nothing behind. */
export function runLimited(file: string, args: readonly string[], limitMinutes: number): Promise<Ended> {
  const startedAt = Date.now();
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"], detached: true });
    let output = "";
    const end = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // The group is empty.
      }
    };
    const interrupted = () => {
      end();
      process.exit(1);
    };
    process.once("SIGTERM", interrupted).once("SIGINT", interrupted);
    const limit = setTimeout(() => {
      console.error(`Ended after ${limitMinutes} minutes: ${[file, ...args].join(" ")}`);
      end();
    }, limitMinutes * 60_000);
    child.stdout.on("data", (data) => {
      output += String(data);
    });
    child.on("error", reject);
    // A process that survives the proof would keep its output open.
    child.on("exit", end);
    child.on("close", (code) => {
      clearTimeout(limit);
      process.off("SIGTERM", interrupted).off("SIGINT", interrupted);
      resolve({ code: code ?? 1, output, tookSeconds: Math.round((Date.now() - startedAt) / 1_000) });
    });
  });
}

function lastJson(output: string): Record<string, unknown> | null {
  const line = output.trimEnd().split("\n").at(-1) ?? "";
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

const show = (value: unknown): string => {
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(String).join(", ");
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .map(([name, one]) => `${name} ${String(one)}`)
    .join(", ");
};
