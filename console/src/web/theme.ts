import { makeStore } from "./store.ts";

export type Theme = "system" | "light" | "dark";

const key = "headway-theme";
export const theme = makeStore<Theme>("system");

export function startTheme(): void {
  const kept = localStorage.getItem(key);
  setTheme(kept === "light" || kept === "dark" ? kept : "system");
}

function setTheme(next: Theme): void {
  theme.set(next);
  if (next === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
}

/** From the present look to the other one. */
export function toggleTheme(): void {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const now = theme.get() === "system" ? system : theme.get();
  const next = now === "dark" ? "light" : "dark";
  localStorage.setItem(key, next);
  setTheme(next);
}
