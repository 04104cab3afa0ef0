import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useOwnSchema } from "../support/own-schema.ts";
import { everyAddress } from "./addresses.ts";
import { type Browser, launchBrowser, scrollsSideways, violationsOf, visit } from "./browser.ts";
import { hostileBody, hostileText, writeHostileArchive } from "./hostile-mail.ts";
import { newFolder, openLetters, openShipped, type World } from "./worlds.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

const postgres = useOwnSchema("console_pages");

/** Boxes with hostile letters, the largest of ten megabytes. */
async function openHostileLetters(): Promise<World> {
  const world = await openLetters({ url: postgres.url, schema: postgres.fresh() });
  await world.bring("a/b'c\"d%2Fe%25<script>alert(2)</script>", ["good", hostileText]);
  await world.bring("long", [`fine ${"n".repeat(900)}`]);
  await world.bring("large", ["good"], hostileBody(10 * 1024 * 1024));
  await world.bring("torn", ["torn", "bad too"]);
  await world.engine.settled();
  return world;
}

/** An error as a hostile service may report it. */
const hostileError = {
  service: hostileText,
  error_type: hostileText,
  message: `${hostileText} ${"m".repeat(5_000)}`,
  stack: hostileBody(20_000),
  fingerprint: "a/b'c\"d%2F<b>",
  context: { hostileText },
};

async function openHostileMail(): Promise<World> {
  return await openShipped({ memory: true }, [await writeHostileArchive(await newFolder(), 20_000)]);
}

// Each page in each look takes minutes: `npm run console:proof` looks at all.
const worlds = [
  ["hostile letters on PostgreSQL", openHostileLetters, "dark"],
  ["mail on PGlite, some of it hostile", openHostileMail, "phone"],
] as const;

describe.each(worlds)("every page, with %s", (_, open, look) => {
  let world: World;
  let addresses: readonly string[];
  beforeAll(async () => {
    world = await open();
    const [one] = await world.operator.listDead({ limit: 1 });
    await world.operator.resolveDead({ ids: [one?.id ?? 0] }, { why: hostileText });
    await world.operator.reportErrors([hostileError]);
    addresses = await everyAddress(world);
  });
  afterAll(() => world?.close());

  it(`can be read by everybody and stays text: ${look}`, async () => {
    const window = await browser.open(world.entry(), look);
    const wrong: string[] = [];
    for (const address of addresses) {
      await visit(window.page, address);
      const complain = (what: string) => wrong.push(`${address}: ${what}`);
      for (const violation of await violationsOf(window.page)) complain(violation);
      if (await scrollsSideways(window.page)) complain("scrolls sideways");
      const bred = await window.page.locator("main script, main img[onerror], main b").count();
      if (bred > 0) complain("text has become markup");
    }
    expect(wrong).toEqual([]);
    expect(window.complaints).toEqual([]);
    await window.close();
  });

  it("shows what an act would do in a dialog that everybody can read", async () => {
    const window = await browser.open(world.entry(), look);
    await visit(window.page, "/dead");
    await window.page.getByRole("button", { name: /^Purge these/ }).click();
    await window.page.getByRole("dialog").getByRole("heading").waitFor();
    expect(await violationsOf(window.page)).toEqual([]);
    await window.page.keyboard.press("Escape");
    await window.page.keyboard.press("?");
    await window.page.getByRole("dialog").getByRole("heading", { name: "Keys" }).waitFor();
    expect(await violationsOf(window.page)).toEqual([]);
    expect(window.complaints).toEqual([]);
    await window.close();
  });
});
