import type { Page } from "../ask.ts";
import { Clock, count, Moment, Plain } from "./text.tsx";
import { compareWords } from "./words.ts";

type Former = NonNullable<Page<"document">["former"]>;

/** Changes of a document against its former content, with the cause. */
export function Versions({ former }: { readonly former: Former }) {
  const { since, until, because, changes, more } = former;
  return (
    <section>
      <h2>Last change</h2>
      <p class="faint">
        The content of <Clock at={since} /> was replaced <Moment at={until} />
        {causeOf(because)}: {more ? `more than ${changes.length} places` : count(changes.length, "place")}{" "}
        {changes.length === 1 ? "differs" : "differ"}. Former contents are kept for a week.
      </p>
      <ol class="changes">
        {changes.map(({ path, before, after }) => (
          <li key={path}>
            <code>
              <Plain text={path === "" ? "the whole document" : path} />
            </code>
            <p>
              {before === null ? (
                <ins>
                  <Plain text={after ?? ""} />
                </ins>
              ) : after === null ? (
                <del>
                  <Plain text={before} />
                </del>
              ) : (
                compareWords(before, after).map(({ kind, text }, index) => (
                  <Run key={index} kind={kind} text={text} />
                ))
              )}
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

function causeOf(because: Former["because"]): string {
  if (because.length === 0) return "";
  if (because[0] === "source") return " because its source brought other content";
  return ` because of another ${because.join(", ")}`;
}

function Run({ kind, text }: { readonly kind: "same" | "gone" | "new"; readonly text: string }) {
  if (kind === "gone")
    return (
      <del>
        <Plain text={text} />
      </del>
    );
  if (kind === "new")
    return (
      <ins>
        <Plain text={text} />
      </ins>
    );
  return <Plain text={text} />;
}
