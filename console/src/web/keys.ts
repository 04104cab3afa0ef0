import { togglePause } from "./live.ts";
import { go } from "./route.tsx";
import { makeStore } from "./store.ts";
import { toggleTheme } from "./theme.ts";

export const helpOpen = makeStore(false);

/** Every key, with its meaning; `g` comes first and the letter after. */
export const goKeys = {
  p: ["Pipeline", "/"],
  l: ["Documents", "/documents"],
  d: ["Dead letters", "/dead"],
  t: ["Threads", "/threads"],
  s: ["Search", "/search"],
  m: ["Manuals", "/manuals"],
  w: ["Workers", "/workers"],
  o: ["Outages", "/outages"],
  a: ["Alerts", "/alerts"],
  e: ["Errors", "/errors"],
  u: ["Audit", "/audit"],
  b: ["Sources", "/sources"],
  y: ["Policies", "/policies"],
  h: ["Health", "/health"],
} as const;

let afterG = false;

export function startKeys(): void {
  addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement | null;
    const typing = target?.closest("input, textarea, select, dialog") ?? null;
    if (typing || event.metaKey || event.ctrlKey || event.altKey) return;
    if (press(event.key)) event.preventDefault();
  });
}

function press(key: string): boolean {
  if (afterG) {
    afterG = false;
    const found = goKeys[key as keyof typeof goKeys];
    if (found) go(found[1]);
    return found !== undefined;
  }
  switch (key) {
    case "g":
      afterG = true;
      return true;
    case "/":
      document.querySelector<HTMLInputElement>("#find")?.focus();
      return true;
    case "?":
      helpOpen.set(true);
      return true;
    case "t":
      toggleTheme();
      return true;
    case ".":
      togglePause();
      return true;
    case "j":
    case "k":
      return step(key === "j" ? 1 : -1);
  }
  return false;
}

/** Moves the focus to the link of the next or the former row. */
function step(by: number): boolean {
  const links = [...document.querySelectorAll<HTMLElement>("main [data-row] a, main [data-row] button")];
  const rows = [...document.querySelectorAll<HTMLElement>("main [data-row]")];
  const first = (row: HTMLElement | undefined) => links.find((link) => row?.contains(link));
  const here = rows.findIndex((row) => row.contains(document.activeElement));
  first(rows[here === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, here + by))])?.focus();
  return true;
}
