import type { ComponentChildren } from "preact";
import { Clock, Name, Plain } from "./text.tsx";
import { Empty } from "./whole-page.tsx";

/** One change by a person. */
export interface Change {
  readonly at: string;
  readonly by: ComponentChildren;
  readonly what: ComponentChildren;
  readonly why: string | null;
}

/** Changes by people with their reasons, the newest first. */
export function History({ changes, empty }: { readonly changes: readonly Change[]; readonly empty: string }) {
  if (changes.length === 0) return <Empty>{empty}</Empty>;
  return (
    <ol class="time-line">
      {changes.map(({ at, by, what, why }, index) => (
        <li key={`${at} ${index}`} data-row>
          <Clock at={at} />
          <span>{typeof by === "string" ? <Name text={by} /> : by}</span>
          <div class="what">
            {what}
            {why !== null && (
              <p class="said">
                <Plain text={why} />
              </p>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}
