import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { samplePath } from "@headway/consensus";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../cli/src/run.ts";
import { type Browser, launchBrowser } from "../console/browser.ts";
import { hostileText, writeHostileArchive } from "../console/hostile-mail.ts";
import { makeCollectingConsole } from "./collecting-console.ts";

const folder = mkdtempSync(join(tmpdir(), "headway-publish-"));
const site = join(folder, "site");
let browser: Browser;
beforeAll(async () => {
  await writeHostileArchive(folder, 20_000);
  expect((await headway("ingest", samplePath(), join(folder, "hostile.mbox"))).code).toBeLessThanOrEqual(3);
  expect(await headway("publish", site, "--title", hostileText)).toMatchObject({ code: 0 });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function headway(...words: string[]) {
  const console = makeCollectingConsole();
  const code = await run([...words, "--data", join(folder, "data")], console);
  return { code, out: console.out(), err: console.err() };
}

const pages = () =>
  readdirSync(site, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".html"))
    .map((path) => ({ path, html: readFileSync(join(site, path), "utf8") }));

describe("a published site", () => {
  it("has only links that lead to its own pages or to the web, and scripts on the search page only", () => {
    const found = pages();
    expect(found.length).toBeGreaterThan(20);
    for (const { path, html } of found) {
      const scripts = html.match(/<script[^>]*>/g) ?? [];
      expect([path, scripts.length]).toEqual([path, path === "search.html" ? 2 : 0]);
      const tags = (html.match(/<[^>]*>/g) ?? []).join("");
      expect(tags).not.toMatch(/<img|\son\w+=|javascript:|<iframe|style="/i);
      for (const [, href = ""] of html.matchAll(/\shref="([^"]*)"/g)) {
        if (/^https?:\/\//.test(href)) continue;
        const [file = "", anchor] = href.split("#");
        const target = file === "" ? html : readFileSync(join(site, dirname(path), file), "utf8");
        if (anchor) expect(target).toContain(`id="${anchor}"`);
      }
    }
  });

  it("is searched without a server, and words of a hostile mail stay words", async () => {
    const asked: string[] = [];
    for (const look of ["light", "phone"] as const) {
      const { page, complaints, close } = await browser.open(`file://${site}/search.html`, look);
      page.on("dialog", () => complaints.push("a script of a mail ran"));
      page.on("request", (request) => asked.push(request.url()));
      await page.fill("#q", "script alert");
      await page.locator("#found .row").first().waitFor();
      expect(await page.locator("#found script, #found img").count()).toBe(0);
      await page.locator("#found .row a").first().click();
      await page.locator("h1").waitFor();
      expect(await page.locator("h1").textContent()).toContain("<script>alert(1)</script>");
      const fits = await page.evaluate("document.documentElement.scrollWidth <= innerWidth");
      expect([look, fits]).toEqual([look, true]);
      await page.goto(`file://${site}/search.html?q=release+vote`);
      await page.locator("#found mark").first().waitFor();
      expect(complaints).toEqual([]);
      await close();
    }
    expect(asked.filter((url) => !url.startsWith("file://"))).toEqual([]);
  });

  it("is brought up to date in place: unchanged pages stay, pages of deleted threads go", async () => {
    const again = JSON.parse((await headway("publish", site, "--title", hostileText, "--json")).out);
    expect(again).toMatchObject({ changed: 0, removed: 0 });
    const tidewg = ["--list", "tidewg", "--title", hostileText, "--json"];
    const plan = JSON.parse((await headway("publish", site, ...tidewg, "--dry-run")).out);
    expect(plan).toMatchObject({ dryRun: true });
    expect(plan.removed).toBeGreaterThan(0);
    const before = pages().length;
    const less = JSON.parse((await headway("publish", site, ...tidewg)).out);
    expect(pages().length).toBe(before - less.removed);
    expect((await headway("audit", "--json")).out).toContain('"act":"publish"');
  });

  it("does not touch a folder with other files, or leave its own", async () => {
    const other = join(folder, "other");
    mkdirSync(other);
    writeFileSync(join(other, "thesis.txt"), "mine");
    expect(await headway("publish", other)).toMatchObject({ code: 1 });
    expect(readdirSync(other)).toEqual(["thesis.txt"]);
    writeFileSync(join(site, ".headway-site"), "../other/thesis.txt\nthreads/../../other/thesis.txt\n");
    expect(await headway("publish", site)).toMatchObject({ code: 0 });
    expect(readFileSync(join(other, "thesis.txt"), "utf8")).toBe("mine");
  });
});
