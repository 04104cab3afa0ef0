import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readAccessKeys } from "../../console/src/server/access-keys.ts";
import { readDeclaration, writeSource } from "../../intake/src/index.ts";
import { type Browser, launchBrowser, violationsOf, visit, type Window } from "./browser.ts";
import { newFolder, openShipped, type World } from "./worlds.ts";

let browser: Browser;
let world: World;
let window: Window;
beforeAll(async () => {
  browser = await launchBrowser();
  world = await openShipped({ memory: true });
  const place = await newFolder();
  await writeFile(
    join(place, "harbour.mbox"),
    [
      "From ann@example.org Mon Mar  2 10:00:00 2026",
      "From: Ann Example <ann@example.org>",
      "Subject: The harbour",
      "Message-ID: <harbour-1@example.org>",
      "Date: Mon, 2 Mar 2026 10:00:00 +0000",
      "",
      "The harbour is open.",
      "",
    ].join("\n"),
  );
  const { spec } = readDeclaration({ place, every: "1h", list: "harbour" });
  const now = new Date();
  const nextAt = new Date(now.getTime() + 3_600_000);
  await writeSource(world.engine.database, {
    name: "harbour",
    spec,
    origin: "operator",
    by: "a test",
    now,
    nextAt,
  });
  window = await browser.open(world.entry());
});
afterAll(async () => {
  await window?.close();
  await world?.close();
  await browser?.close();
});

async function confirm(button: string, why: string): Promise<void> {
  const dialog = window.page.getByRole("dialog");
  await dialog.getByLabel(/^Why/).fill(why);
  await dialog.getByRole("button", { name: button, exact: true }).click();
}

it("a scheduled source is read now and paused from its page, and each act is in the audit", async () => {
  const { page } = window;
  await visit(page, "/sources");
  await page
    .getByRole("row", { name: /harbour/ })
    .getByText("not run yet")
    .waitFor();
  await page.getByRole("button", { name: "Read now: harbour" }).click();
  await confirm("Read now", "the mail is new");
  await page
    .getByRole("dialog")
    .getByText(/A run is due/)
    .waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await page
    .getByRole("row", { name: /harbour/ })
    .getByText(/1 new, 0 unchanged/)
    .waitFor();
  expect(await violationsOf(page)).toEqual([]);

  await page.getByRole("link", { name: "harbour", exact: true }).click();
  await page.getByRole("table").getByText("✓ done").waitFor();
  await page.getByRole("button", { name: "Pause harbour" }).click();
  await confirm("Pause", "the harbour moves");
  await page.getByRole("dialog").getByText("harbour is paused.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await page.getByText(/^by .*: the harbour moves$/).waitFor();
  expect(await violationsOf(page)).toEqual([]);

  const acts = await world.operator.audit({ act: "source" });
  expect(acts.map(({ act, target, why }) => [act, target, why])).toEqual([
    ["source.pause", "harbour", "the harbour moves"],
    ["source.run", "harbour", "the mail is new"],
  ]);
  expect(window.complaints).toEqual([]);
});

it("a key made on the settings page is shown once, lets a reader in, and ends when it is removed", async () => {
  const { page } = window;
  await visit(page, "/settings");
  await page.getByLabel("Name").fill("mara");
  await page.getByRole("button", { name: "Make a key…" }).click();
  await confirm("Make the key", "a new colleague");
  const said = await page
    .getByRole("dialog")
    .getByText(/it is shown once/)
    .textContent();
  const key = /hw_[A-Za-z0-9_-]+/.exec(said ?? "")?.[0] as string;
  const entered = await fetch(`${world.url}/api/console/enter`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ key }),
  });
  expect(await entered.json()).toMatchObject({ person: { name: "mara", role: "reader" } });
  expect(JSON.stringify(await readAccessKeys(world.data))).not.toContain(key);

  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Remove the key of mara" }).click();
  await page
    .getByRole("dialog")
    .getByLabel(/Type mara/)
    .fill("mara");
  await confirm("Remove", "has left");
  await page
    .getByRole("dialog")
    .getByText(/not valid any more/)
    .waitFor();
  const cookie = (entered.headers.get("set-cookie") ?? "").split(";")[0] as string;
  expect((await fetch(`${world.url}/api/console/me`, { headers: { cookie } })).status).toBe(401);
  const acts = await world.operator.audit({ act: "access" });
  expect(acts.map(({ act, target }) => [act, target])).toEqual([
    ["access.remove", "mara"],
    ["access.add", "mara"],
  ]);
  expect(JSON.stringify(acts)).not.toContain(key);
});
