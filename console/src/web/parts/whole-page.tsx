import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { Asked } from "../ask.ts";
import { connection } from "../live.ts";
import { useStore } from "../store.ts";
import { Clock } from "./text.tsx";

interface WholePageProps<T> {
  readonly title: string;
  readonly lede?: ComponentChildren;
  readonly asked: Asked<T>;
  readonly acts?: ComponentChildren;
  readonly children: (data: T) => ComponentChildren;
}

/** Heading, then the data, a sentence about its absence, or both. */
export function WholePage<T>({ title, lede, asked, acts, children }: WholePageProps<T>) {
  useEffect(() => {
    document.title = `${title} · Headway`;
  }, [title]);
  const data = asked.kind === "here" ? asked.data : asked.kind === "failed" ? asked.before : null;
  return (
    <>
      <div class="heading">
        <h1 tabIndex={-1}>{title}</h1>
        {data !== null && <AsOf at={(data as { at?: string }).at} stale={asked.kind === "failed"} />}
        {acts && (data !== null || asked.kind === "loading") && <div class="buttons">{acts}</div>}
      </div>
      {lede && <p class="lede">{lede}</p>}
      {asked.kind === "failed" && (
        <div class="note bad">
          <p role="alert">{asked.error}</p>
          <p class="buttons">
            <button type="button" onClick={asked.again}>
              Try again
            </button>
          </p>
        </div>
      )}
      {asked.kind === "loading" && <p class="loading">Loading …</p>}
      {data !== null && children(data)}
    </>
  );
}

/** How old the numbers of the page are. */
function AsOf({ at, stale }: { readonly at: string | undefined; readonly stale: boolean }) {
  const state = useStore(connection);
  if (at === undefined) return null;
  const old = stale || state === "database away" || state === "server away";
  return (
    <span class={`as-of ${old ? "stale" : ""}`}>
      as of <Clock at={at} />
    </span>
  );
}

/** A page without rows: one sentence and the next step. */
export const Empty = ({ children }: { readonly children: ComponentChildren }) => (
  <p class="empty">{children}</p>
);
