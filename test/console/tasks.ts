import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import type { Hand } from "./hands.ts";
import { type LettersWorld, newFolder, type World } from "./worlds.ts";

/** A task of a person, from the first page to the end. */
export interface Task<W extends World> {
  readonly name: string;
  /** The words seen at the end. */
  do(page: Page, hand: Hand, world: W): Promise<string>;
}

const main = (page: Page): Locator => page.locator("main");

/** Waits for text. */
async function see(place: Locator, text: RegExp): Promise<string> {
  const found = place.getByText(text).first();
  await found.waitFor();
  return ((await found.textContent()) ?? "").slice(0, 200);
}

async function confirm(page: Page, hand: Hand, button: RegExp, why: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  await hand.type(dialog.getByLabel(/^Why/), why);
  await hand.press(dialog.getByRole("button", { name: button }));
}

export const letterTasks: readonly Task<LettersWorld>[] = [
  {
    name: "find why a document is not done",
    async do(page, hand, world) {
      await world.bring("box-why", ["lost envelope"]);
      await hand.type(page.getByLabel("Find a document by its id"), "box-why-lost envelope");
      await page.keyboard.press("Enter");
      await hand.press(main(page).getByRole("link", { name: /letters \/ box-why-lost envelope/ }));
      await see(main(page).locator(".story-sentence"), /stamping/);
      return await see(main(page).locator(".steps"), /letter[.]lost|not there yet/);
    },
  },
  {
    name: "requeue a group with a ramp after a fix, and see it stop when the fault returns",
    async do(page, hand, world) {
      const mark = hand.name;
      world.post.fixed.delete("bad");
      await world.bring(
        `box-ramp-${mark}`,
        [1, 2, 3, 4, 5].map((number) => `bad ${number}`),
      );
      await hand.open(page, "Dead letters");
      // All five are dead: a single letter is requeued without a ramp.
      await hand.press(
        main(page).getByRole("button", { name: /^Requeue ([5-9]|[0-9]{2,}) of stamping letter[.]bad/ }),
      );
      await see(page.getByRole("dialog"), /Goes back to: stamping [0-9]+/);
      await confirm(page, hand, /^Requeue [0-9]+/, `a fix by ${mark}`);
      await hand.press(page.getByRole("dialog").getByRole("link", { name: "See how it goes" }));
      await see(main(page), /It has stopped: the same fault came back/);
      world.post.fixed.add("bad");
      await hand.press(main(page).getByRole("button", { name: /^Continue anyway/ }));
      await confirm(page, hand, /^Continue anyway/, "now it is fixed");
      await page
        .getByRole("dialog")
        .getByText(/requeued so far/)
        .waitFor();
      await hand.press(page.getByRole("dialog").getByRole("button", { name: "Close" }));
      return await see(main(page), /It is finished/);
    },
  },
  {
    name: "see an outage begin and end",
    async do(page, hand, world) {
      world.post.fixed.delete("down");
      await world.bring(
        `box-outage-${hand.name}`,
        [1, 2, 3, 4, 5, 6, 7, 8].map((number) => `down ${number}`),
      );
      await hand.open(page, "Pipeline");
      await see(main(page), /is down/);
      await hand.press(main(page).getByRole("link", { name: "About the outage" }));
      await see(main(page), /If nothing is done: next probe/);
      world.post.fixed.add("down");
      return await see(main(page), /No service is down/);
    },
  },
  {
    name: "change a policy and see its history",
    async do(page, hand) {
      const attempts = hand.name === "mouse" ? "7" : "8";
      await hand.open(page, "Policies");
      await hand.press(main(page).getByRole("link", { name: "Edit stamping transient" }));
      await hand.type(main(page).getByLabel("Attempts", { exact: true }), attempts);
      await hand.press(main(page).getByRole("button", { name: /^See what changes/ }));
      await see(page.getByRole("dialog"), new RegExp(`attemptsMax: [0-9]+ → ${attempts}`));
      await confirm(page, hand, /^Change/, `by ${hand.name}`);
      await see(page.getByRole("dialog"), /Changed; workers follow/);
      await hand.press(page.getByRole("dialog").getByRole("button", { name: "Close" }));
      return await see(main(page).locator(".time-line"), new RegExp(`by ${hand.name}`));
    },
  },
];

export const mailTasks: readonly Task<World>[] = [
  {
    name: "find who objected in a thread and open the quote in the mail",
    async do(page, hand) {
      await hand.open(page, "Threads");
      await hand.press(main(page).getByRole("link", { name: /^Call for adoption/ }));
      const position = main(page).locator(".positions li.object");
      await see(position, /objects/);
      await hand.press(position.getByRole("link"));
      const mark = main(page).locator("article mark.chosen");
      await mark.first().waitFor();
      return (await mark.first().textContent()) ?? "";
    },
  },
  {
    name: "upload an archive and watch it arrive",
    async do(page, hand) {
      const path = join(await newFolder(), `small-${hand.name}.mbox`);
      await writeFile(path, smallArchive(hand.name));
      await hand.open(page, "Sources");
      await hand.choose(main(page).getByLabel(/^Bring an archive/), path);
      await hand.press(main(page).getByRole("link", { name: /^The story of/ }));
      await see(main(page).locator(".steps"), /splitting/);
      return await see(main(page).locator(".steps li.done"), /done/);
    },
  },
];

const smallArchive = (name: string): string =>
  [1, 2, 3]
    .map((number) =>
      [
        "From ann@example.org Mon Mar  2 10:00:00 2026",
        "From: Ann Example <ann@example.org>",
        `Subject: An archive sent by ${name}`,
        `Message-ID: <${name}-${number}@example.org>`,
        ...(number > 1 ? [`In-Reply-To: <${name}-1@example.org>`] : []),
        `Date: Mon, ${number} Mar 2026 10:00:00 +0000`,
        "",
        `The tide of mail number ${number}.`,
        "",
      ].join("\n"),
    )
    .join("\n");
