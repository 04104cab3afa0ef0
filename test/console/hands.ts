import type { Locator, Page } from "playwright-core";

/** A way of using a page. */
export interface Hand {
  readonly name: string;
  /** Opens a page of the navigation. */
  open(page: Page, name: string): Promise<void>;
  /** Follows a link or presses a button. */
  press(target: Locator): Promise<void>;
  type(target: Locator, text: string): Promise<void>;
  /** Chooses a file. */
  choose(target: Locator, path: string): Promise<void>;
}

export const mouse: Hand = {
  name: "mouse",
  async open(page, name) {
    const link = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: false });
    if (!(await link.first().isVisible())) await page.getByText("More", { exact: true }).click();
    await link.first().click();
  },
  press: (target) => target.first().click(),
  type: (target, text) => target.first().fill(text),
  choose: (target, path) => target.first().setInputFiles(path),
};

/** `g` and the letter of each page. */
const letters: Readonly<Record<string, string>> = {
  Pipeline: "p",
  "Dead letters": "d",
  Threads: "t",
  Outages: "o",
  Policies: "y",
  Sources: "b",
};

export const keyboard: Hand = {
  name: "keyboard",
  async open(page, name) {
    await page.keyboard.press("g");
    await page.keyboard.press(letters[name] as string);
  },
  async press(target) {
    await reach(target);
    await target.page().keyboard.press("Enter");
  },
  async type(target, text) {
    await reach(target);
    const { keyboard: keys } = target.page();
    await keys.press("Control+A");
    await keys.type(text);
  },
  async choose(target, path) {
    // Listened for before the key, so that the browser's own dialog never opens instead.
    const page = target.page();
    const press = async () => {
      await reach(target);
      await page.keyboard.press("Enter");
    };
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), press()]);
    await chooser.setFiles(path);
  },
};

const stepsMax = 400;

/** Tabs until the target has the focus; a target out of reach fails. */
async function reach(target: Locator): Promise<void> {
  const one = target.first();
  await one.waitFor();
  const focused = one.and(one.page().locator(":focus"));
  for (let steps = 0; steps < stepsMax; steps++) {
    if ((await focused.count()) > 0) return;
    await one.page().keyboard.press("Tab");
  }
  throw new Error(`The keyboard does not reach ${one}.`);
}
