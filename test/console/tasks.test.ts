import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useOwnSchema } from "../support/own-schema.ts";
import { type Browser, launchBrowser, type Window } from "./browser.ts";
import { keyboard, mouse } from "./hands.ts";
import { letterTasks, mailTasks, type Task } from "./tasks.ts";
import { openLetters, openShipped, type World } from "./worlds.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

const postgres = useOwnSchema("console_tasks");

describe("letters on PostgreSQL", () =>
  doAll(() => openLetters({ url: postgres.url, schema: postgres.fresh() }), letterTasks));

describe("mail on PGlite", () => doAll(() => openShipped({ memory: true }), mailTasks));

function doAll<W extends World>(open: () => Promise<W>, tasks: readonly Task<W>[]): void {
  let world: W;
  let window: Window;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world?.close());

  describe.each([mouse, keyboard])("by $name", (hand) => {
    beforeAll(async () => {
      window = await browser.open(world.entry());
    });
    afterAll(async () => {
      expect(window.complaints).toEqual([]);
      await window.close();
    });
    it.each(tasks)("$name", async (task) => {
      await window.page.goto(world.url);
      await window.page.locator("main h1").waitFor();
      expect(await task.do(window.page, hand, world)).not.toBe("");
    });
  });
}
