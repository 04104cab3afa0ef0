import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { addAccessKey } from "../../console/src/server/access-keys.ts";
import { bundleWebFiles } from "../../console/src/server/web-files.ts";
import { verbChanges, verbNames } from "../../engine/src/operate.ts";
import { everyAddress } from "./addresses.ts";
import { type Browser, type Look, launchBrowser, scrollsSideways, violationsOf, visit } from "./browser.ts";
import { keyboard, mouse } from "./hands.ts";
import { hostileBody, hostileText, writeHostileArchive } from "./hostile-mail.ts";
import { measurePages } from "./million.ts";
import { measureTabs } from "./tabs.ts";
import { letterTasks, mailTasks, type Task } from "./tasks.ts";
import { newFolder, openLetters, openShipped, type World } from "./worlds.ts";

const help = `Holds the console against its bars in a real Chromium, on PostgreSQL and on PGlite: axe and the browser's console on every
page in light, dark and on a phone, six tasks by mouse and by keyboard, every changing verb refused to readers, the size of
the first page, and the 95th percentile of page answers with many documents.

  npm run console:proof                        everything, with a million documents; about fifteen minutes
  npm run console:proof -- --documents 100000  fewer documents
  npm run console:proof -- --only speed        page answers and fifty tabs alone; "--only pages" for all the rest
  npm run console:proof -- --json              figures as one line of JSON at the end`;

const { values } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    documents: { type: "string", default: "1000000" },
    only: { type: "string" },
  },
});

const tell = (text: string) => process.stderr.write(`${text}\n`);

interface Looked {
  readonly addresses: number;
  readonly violations: number;
  readonly complaints: number;
}

async function lookAtAll(browser: Browser, world: World): Promise<Looked> {
  const addresses = await everyAddress(world);
  let violations = 0;
  let complaints = 0;
  for (const look of ["light", "dark", "phone"] satisfies Look[]) {
    const window = await browser.open(world.entry(), look);
    for (const address of addresses) {
      await visit(window.page, address);
      const wrong = await violationsOf(window.page);
      if (await scrollsSideways(window.page)) wrong.push("scrolls sideways");
      for (const one of wrong) tell(`${look} ${address}: ${one}`);
      violations += wrong.length;
    }
    for (const one of window.complaints) tell(`${look}: ${one}`);
    complaints += window.complaints.length;
    await window.close();
    tell(`${look}: ${addresses.length} addresses`);
  }
  return { addresses: addresses.length, violations, complaints };
}

async function doTasks<W extends World>(browser: Browser, world: W, tasks: readonly Task<W>[]) {
  const done = { mouse: 0, keyboard: 0, complaints: 0 };
  for (const hand of [mouse, keyboard] as const) {
    const window = await browser.open(world.entry());
    for (const task of tasks) {
      await window.page.goto(world.url);
      await window.page.locator("main h1").waitFor();
      const seen = await task.do(window.page, hand, world).catch((error: Error) => {
        tell(`${hand.name}, ${task.name}: ${error.message}`);
        return "";
      });
      if (seen !== "") done[hand.name as "mouse" | "keyboard"] += 1;
      tell(`${hand.name}, ${task.name}: ${seen}`);
    }
    done.complaints += window.complaints.length;
    await window.close();
  }
  return done;
}

/** Every changing verb, called with a reader's key. */
async function refuseReaders(world: World): Promise<{ verbs: number; refused: number }> {
  const key = await addAccessKey(world.data, { name: "proof", role: "reader", expiresAt: null });
  const changing = verbNames.filter(verbChanges);
  let refused = 0;
  for (const verb of changing) {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const answer = await fetch(`${world.url}/api/operate/${verb}`, { method: "POST", headers, body: "[]" });
    if (answer.status === 403) refused++;
    else tell(`${verb}: ${answer.status} instead of 403`);
  }
  return { verbs: changing.length, refused };
}

async function provePages(url: string) {
  const browser = await launchBrowser();
  const letters = await openLetters({ url, schema: `console_proof_${process.pid}` });
  const shipped = await openShipped({ memory: true }, [await writeHostileArchive(await newFolder(), 20_000)]);
  try {
    await letters.bring("a/b'c\"d%2Fe%25<script>alert(2)</script>", ["good", hostileText, "bad 1", "bad 2"]);
    await letters.bring("large", ["good"], hostileBody(10 * 1024 * 1024));
    await letters.engine.settled();
    await letters.operator.reportErrors([
      { service: hostileText, error_type: "TypeError", message: hostileText, stack: hostileText },
    ]);
    const looked = [await lookAtAll(browser, letters), await lookAtAll(browser, shipped)];
    const done = [await doTasks(browser, letters, letterTasks), await doTasks(browser, shipped, mailTasks)];
    const { verbs, refused } = await refuseReaders(letters);
    const js = (await bundleWebFiles()).filter(({ path }) => path.endsWith(".js"));
    return {
      pages: sum(looked.map(({ addresses }) => addresses)),
      axeViolations: sum(looked.map(({ violations }) => violations)),
      tasks: sum(done.map(({ mouse: by }) => by)),
      keyboardTasks: sum(done.map(({ keyboard: by }) => by)),
      actVerbs: verbs,
      actVerbsRefusedToReaders: refused,
      jsGzKb: Math.round(sum(js.map(({ bytes }) => gzipSync(bytes).length)) / 100) / 10,
      consoleErrors: sum([...looked, ...done].map(({ complaints }) => complaints)),
    };
  } finally {
    await letters.engine.database.script(`drop schema if exists "console_proof_${process.pid}" cascade`);
    await letters.close();
    await shipped.close();
    await browser.close();
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

async function proveSpeed(url: string) {
  const tabs = await measureTabs(url, 5);
  tell(`50 tabs: ${Math.round(tabs.without)} completions/s without, ${Math.round(tabs.withTabs)} with`);
  const { p95Ms, slowest } = await measurePages(url, Number(values.documents));
  for (const [page, ms] of slowest) tell(`${page}: p95 ${ms} ms`);
  return { apiP95Ms: p95Ms, tabsLostPercent: tabs.lostPercent };
}

async function prove(): Promise<Figures> {
  const url = execFileSync("bash", ["tools/services.sh", "url"], { encoding: "utf8" }).trim();
  return {
    ...(values.only !== "speed" && (await provePages(url))),
    ...(values.only !== "pages" && (await proveSpeed(url))),
  };
}

type Figures = Partial<Awaited<ReturnType<typeof provePages>> & Awaited<ReturnType<typeof proveSpeed>>>;

/** Whether each measured figure is within its bar. */
function isHeld(figures: Figures): boolean {
  const { axeViolations = 0, consoleErrors = 0, tasks = 6, keyboardTasks = 6, jsGzKb = 0 } = figures;
  return (
    axeViolations + consoleErrors === 0 &&
    tasks + keyboardTasks === 12 &&
    figures.actVerbs === figures.actVerbsRefusedToReaders &&
    (figures.apiP95Ms ?? 0) <= 100 &&
    (figures.tabsLostPercent ?? 0) <= 2 &&
    jsGzKb <= 70
  );
}

if (values.help) console.log(help);
else {
  const figures = await prove();
  if (!values.json) for (const [name, value] of Object.entries(figures)) console.log(`${name}: ${value}`);
  else console.log(JSON.stringify(figures));
  process.exitCode = isHeld(figures) ? 0 : 1;
}
