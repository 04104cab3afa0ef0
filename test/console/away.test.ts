import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cluster, openCluster } from "../support/cluster.ts";
import { type Browser, launchBrowser } from "./browser.ts";
import { type LettersWorld, openLetters } from "./worlds.ts";

let browser: Browser;
let cluster: Cluster;
let world: LettersWorld;
beforeAll(async () => {
  browser = await launchBrowser();
  cluster = await openCluster();
  world = await openLetters({ url: cluster.url });
});
afterAll(async () => {
  await world?.close().catch(() => undefined);
  await cluster?.close();
  await browser?.close();
});

it("a page keeps its numbers while the database is killed, and is live again without a reload", async () => {
  await world.bring("box", ["good", "fine"]);
  await world.engine.settled();
  const { page } = await browser.open(world.entry());
  const done = page
    .getByRole("row", { name: /^stamping/ })
    .getByRole("cell")
    .nth(3);
  await done.getByText("2").waitFor();
  let requests = 0;
  page.on("request", () => requests++);
  let loads = 0;
  page.on("load", () => loads++);

  await cluster.crash();
  await page.getByText(/The database does not answer since/).waitFor();
  expect(await done.textContent()).toBe("2");
  const pause = page.getByRole("button", { name: "Pause stamping" });
  expect(await pause.isDisabled()).toBe(true);
  requests = 0;
  const from = Date.now();
  await page.waitForTimeout(3_000);
  // Pages do not storm a server in trouble: at most one request a second, and the stream.
  expect(requests).toBeLessThanOrEqual(2 + (Date.now() - from) / 1_000);

  await cluster.start();
  await page.getByText(/The database does not answer/).waitFor({ state: "detached" });
  await world.bring("another", ["nice"]);
  await done.getByText("3").waitFor();
  expect(await pause.isDisabled()).toBe(false);
  expect(loads).toBe(0);
});
