import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Look, launchBrowser, visit } from "../test/console/browser.ts";
import { openLetters, openShipped } from "../test/console/worlds.ts";

/** Makes the pictures of the console in README and docs from running applications: `npm run console:pictures`. */
const folder = join(dirname(fileURLToPath(import.meta.url)), "../docs/pictures");

const browser = await launchBrowser();
await mkdir(folder, { recursive: true });

const width = 1_280;

/** The upper part of a page. */
async function take(
  entry: string,
  { name, look, height = 720 }: { readonly name: string; readonly look: Look; readonly height?: number },
  prepare: Prepare,
): Promise<void> {
  const { page, close } = await browser.open(entry, look);
  await prepare(page);
  // Pictures of pages and faces have arrived.
  await page.waitForLoadState("networkidle").catch(() => undefined);
  await page.evaluate("document.fonts.ready");
  await page.screenshot({ path: join(folder, `${name}.png`), clip: { x: 0, y: 0, width, height } });
  await close();
}

type Prepare = (page: Parameters<typeof visit>[0]) => Promise<void>;
const shipped = await openShipped({ memory: true });
await take(shipped.entry(), { name: "console-pipeline", look: "light" }, (page) => visit(page, "/"));
await take(shipped.entry(), { name: "console-thread", look: "light", height: 560 }, async (page) => {
  await visit(page, "/threads?order=interesting");
  await page.getByRole("link", { name: /^Call for adoption/ }).click();
  await page.locator(".reader").waitFor();
});
await take(shipped.entry(), { name: "console-manual", look: "light" }, async (page) => {
  await visit(page, "/manuals?q=what+does+E-117+mean");
  await page.locator(".pages-found img").first().waitFor();
});
await shipped.close();

const letters = await openLetters({ memory: true });
await letters.bring("monday", ["good", "fine", "bad one", "bad two", "bad three", "lost forever"]);
await letters.engine.settled();
await take(letters.entry(), { name: "console-requeue", look: "dark" }, async (page) => {
  await visit(page, "/dead");
  await page.getByRole("button", { name: /of stamping letter[.]bad/ }).click();
  await page.getByRole("dialog").getByRole("heading").waitFor();
});
await take(letters.entry(), { name: "console-story", look: "light" }, async (page) => {
  await visit(page, `/d/letters/${encodeURIComponent("monday-bad one")}`);
});
await letters.close();
await browser.close();
