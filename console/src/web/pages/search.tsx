import { type Page, usePage } from "../ask.ts";
import { Day, Name, Plain } from "../parts/text.tsx";
import { Empty, WholePage } from "../parts/whole-page.tsx";
import { address, go, Link, threadAddress, useAddress } from "../route.tsx";

/** Passages by words and by meaning. */
export function SearchPage() {
  const { query } = useAddress();
  const asked = usePage("search", Object.fromEntries(query));
  const q = query.get("q") ?? "";
  const search = (event: Event) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    go(
      address("/search", {
        q: String(given.get("q")),
        list: String(given.get("list")),
        from: String(given.get("from")),
      }),
    );
  };
  return (
    <WholePage title="Search" asked={asked}>
      {(data) => (
        <>
          <form class="search" onSubmit={search} key={query.toString()}>
            <label class="field wide">
              Words, what you mean, or a question?
              <input name="q" defaultValue={q} required />
            </label>
            <label class="field">
              List
              <input name="list" defaultValue={query.get("list") ?? ""} />
            </label>
            <label class="field">
              Author
              <input name="from" defaultValue={query.get("from") ?? ""} />
            </label>
            <button type="submit" class="act">
              Search
            </button>
          </form>
          {q !== "" && data.wordsOnly !== null && <p class="note">{data.wordsOnly}</p>}
          {data.answer && <Answer quotes={data.answer} />}
          {q !== "" && data.hits.length === 0 && <Empty>Nothing was found.</Empty>}
          <ol class="hits">
            {data.hits.map((hit, index) => (
              <Hit key={`${hit.message} ${hit.start} ${index}`} hit={hit} />
            ))}
          </ol>
        </>
      )}
    </WholePage>
  );
}

/** Words of mails that answer a question. */
function Answer({ quotes }: { readonly quotes: NonNullable<Page<"search">["answer"]> }) {
  if (quotes.length === 0)
    return <p class="note">The archive does not say it. Passages near the question:</p>;
  return (
    <section>
      <h2>Answer</h2>
      <ol class="hits">
        {quotes.map((one) => (
          <li key={`${one.message} ${one.start}`} data-row>
            <blockquote class="passage">
              <Plain text={one.quote} />
            </blockquote>
            <p class="faint">
              <Link href={addressOf(one)}>
                <Name text={one.subject || "(no subject)"} />
              </Link>{" "}
              · <Name text={one.from.name || one.from.address} /> · <Day at={one.date} /> ·{" "}
              <Plain text={one.list} />
            </p>
          </li>
        ))}
      </ol>
      <h2>Passages</h2>
    </section>
  );
}

const addressOf = ({ message, start, end }: { message: string; start: number; end: number }): string =>
  `${threadAddress(message)}#m=${encodeURIComponent(message)}&q=${start}-${end}`;

function Hit({ hit }: { readonly hit: Page<"search">["hits"][number] }) {
  const href = addressOf(hit);
  return (
    <li data-row>
      <p class="thread-subject">
        <Link href={href}>
          <Name text={hit.subject || "(no subject)"} />
        </Link>
      </p>
      <p class="passage">
        <Marked text={hit.snippet} />
      </p>
      <p class="faint">
        <Name text={hit.from.name || hit.from.address} /> · <Day at={hit.date} /> · <Plain text={hit.list} />
      </p>
    </li>
  );
}

/** Matches come between « and »; everything is text. */
function Marked({ text }: { readonly text: string }) {
  const parts = text.split(/([«»])/);
  let inside = false;
  return (
    <>
      {parts.map((part) => {
        if (part === "«" || part === "»") {
          inside = part === "«";
          return null;
        }
        return inside ? (
          <mark>
            <Plain text={part} />
          </mark>
        ) : (
          <Plain text={part} />
        );
      })}
    </>
  );
}
