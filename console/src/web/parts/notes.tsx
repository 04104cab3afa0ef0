import type { Page } from "../ask.ts";
import { Moment, Plain } from "./text.tsx";

/** Notes of people about the subject of a page, newest first. */
export function Notes({ notes }: { readonly notes: Page<"document">["notes"] }) {
  if (notes.length === 0) return null;
  return (
    <section>
      <h2>Notes</h2>
      <ul class="plain-list">
        {notes.map((note) => (
          <li key={note.id} data-row>
            <Plain text={note.text} />{" "}
            <span class="faint">
              <Plain text={note.actor} />, <Moment at={note.at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
