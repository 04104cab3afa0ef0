import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BrowserContext, chromium, type Page } from "playwright-core";

const executablePath = "/usr/bin/chromium";
const services = fileURLToPath(new URL("../../tools/services.sh", import.meta.url));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Looks of every page: theme and size of the window. */
export const looks = {
  light: { colorScheme: "light", viewport: { width: 1280, height: 900 } },
  dark: { colorScheme: "dark", viewport: { width: 1280, height: 900 } },
  phone: { colorScheme: "light", viewport: { width: 390, height: 844 } },
  wide: { colorScheme: "light", viewport: { width: 1920, height: 1080 } },
} as const;

export type Look = keyof typeof looks;

export interface Browser {
  /** A window after entering by the link, with complaints of the browser's console, of scripts and of the CSP. */
  open(entry: string, look?: Look): Promise<Window>;
  close(): Promise<void>;
}

export interface Window {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly complaints: string[];
  close(): Promise<void>;
}

/** Debian's Chromium with a profile of its own, thrown away at the end. */
export async function launchBrowser(): Promise<Browser> {
  if (!existsSync(executablePath))
    execFileSync("bash", [services, "install", "chromium"], { stdio: "inherit" });
  const profile = await mkdtemp(join(tmpdir(), "headway-browser-"));
  const quiet = ["quic", "gpu", "background-networking", "component-update", "sync"].map(
    (part) => `--disable-${part}`,
  );
  const browser = await chromium.launch({
    executablePath,
    headless: true,
    args: ["--no-sandbox", "--no-first-run", ...quiet],
    env: { ...process.env, HOME: profile, XDG_CONFIG_HOME: profile, XDG_CACHE_HOME: profile },
  });
  return {
    async open(entry, look = "light") {
      const context = await browser.newContext({ ...looks[look], reducedMotion: "reduce" });
      // A limit for hangs, not for slowness.
      context.setDefaultTimeout(90_000);
      const page = await context.newPage();
      const complaints = listen(page);
      await page.goto(entry);
      await page.locator("h1").waitFor();
      return { page, context, complaints, close: () => context.close() };
    },
    async close() {
      await browser.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}

function listen(page: Page): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => complaints.push(`${error.name}: ${error.message}`));
  page.on("dialog", (dialog) => {
    complaints.push(`a dialog of the browser: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return complaints;
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

// Code for the page is text: Node lacks the types of a browser.

/** Broken rules of WCAG 2.2 AA and good practice. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate<{ violations: readonly Violation[] }>(
    "axe.run(document, { resultTypes: ['violations'] })",
  );
  return violations.map(
    ({ id, nodes: [first, ...others] }) =>
      `${id} (${others.length + 1}): ${first?.html.slice(0, 200)} ${first?.failureSummary?.slice(0, 300)}`,
  );
}

/** Follows an address inside the console without a reload, and waits for the data. */
export async function visit(page: Page, address: string): Promise<void> {
  const to = JSON.stringify(address);
  await page.evaluate(`history.pushState(null, "", ${to}); dispatchEvent(new PopStateEvent("popstate"))`);
  await settled(page);
}

/** Waits for the data of the page, or for a sentence about the absence of data. */
export async function settled(page: Page): Promise<void> {
  await page.locator("main h1").first().waitFor();
  await page.locator("main .loading").waitFor({ state: "detached" });
}

/** Whether the page is wider than the window. */
export const scrollsSideways = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>("document.documentElement.scrollWidth > document.documentElement.clientWidth + 1");
