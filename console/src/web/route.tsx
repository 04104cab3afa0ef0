import type { ComponentChildren } from "preact";
import { makeStore, useStore } from "./store.ts";

const readPlace = () => `${location.pathname}${location.search}${location.hash}`;

/** Path, query and fragment of the page shown. */
export const place = makeStore(readPlace());

addEventListener("popstate", () => place.set(readPlace()));
addEventListener("hashchange", () => place.set(readPlace()));

/** Shows another page; `replace` keeps the way back short, e.g. while a filter is typed. */
export function go(href: string, { replace = false }: { replace?: boolean } = {}): void {
  const before = location.pathname;
  if (replace) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  place.set(readPlace());
  if (location.pathname === before) return;
  scrollTo(0, 0);
  requestAnimationFrame(() => document.querySelector("h1")?.focus());
}

interface LinkProps {
  readonly href: string;
  readonly class?: string;
  readonly current?: boolean;
  readonly title?: string;
  readonly children: ComponentChildren;
}

/** A link that changes the page without loading it anew. */
export function Link({ href, current = false, children, ...rest }: LinkProps) {
  return (
    <a
      {...rest}
      href={href}
      aria-current={current ? "page" : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return;
        event.preventDefault();
        go(href);
      }}
    >
      {children}
    </a>
  );
}

/** The query of the present address, and how to change one field of it; a change begins at the first page. */
export function useAddress() {
  useStore(place);
  const query = new URLSearchParams(location.search);
  return {
    path: location.pathname,
    query,
    hash: new URLSearchParams(location.hash.slice(1)),
    set(name: string, value: string): void {
      const next = new URLSearchParams(location.search);
      next.delete("after");
      if (value === "") next.delete(name);
      else next.set(name, value);
      const text = next.toString();
      go(`${location.pathname}${text === "" ? "" : `?${text}`}`, { replace: true });
    },
  };
}

/** An address with the given fields; empty ones are left out. */
export function address(
  path: string,
  fields: Readonly<Record<string, string | number | null | undefined>> = {},
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined && value !== null && value !== "") query.set(name, String(value));
  const text = query.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** The address of a document; its id is encoded once, slashes included. */
export const documentAddress = (collection: string, id: string): string =>
  `/d/${encodeURIComponent(collection)}/${encodeURIComponent(id)}`;

export const groupAddress = (stage: string, key: string): string =>
  `/g/${encodeURIComponent(stage)}/${encodeURIComponent(key)}`;

export const threadAddress = (id: string): string => `/t/${encodeURIComponent(id)}`;
