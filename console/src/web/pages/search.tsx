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
              Words, or what you mean
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

function Hit({ hit }: { readonly hit: Page<"search">["hits"][number] }) {
  const href = `${threadAddress(hit.message)}#m=${encodeURIComponent(hit.message)}&q=${hit.start}-${hit.end}`;
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
