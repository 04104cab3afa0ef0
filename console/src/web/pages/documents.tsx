import { type Page, usePage } from "../ask.ts";
import { Choice, NextPage } from "../parts/filters.tsx";
import { Scroll } from "../parts/scroll.tsx";
import { Count, Moment, Name, State, size } from "../parts/text.tsx";
import { Empty, WholePage } from "../parts/whole-page.tsx";
import { documentAddress, groupAddress, Link, useAddress } from "../route.tsx";

const states = ["waiting", "claimed", "done", "dead"];

/** A collection, page by page in the order of its ids. */
export function DocumentsPage() {
  const { query, set } = useAddress();
  const asked = usePage("documents", Object.fromEntries(query));
  return (
    <WholePage title="Documents" asked={asked}>
      {(data) => (
        <>
          <form class="filters" onSubmit={(event) => event.preventDefault()}>
            <Choice
              label="Collection"
              value={data.collection ?? ""}
              options={data.collections.map((one) => one.name)}
              onChoose={(value) => set("collection", value)}
            />
            <Choice
              label="State"
              value={query.get("state") ?? ""}
              options={states}
              all="all"
             
              onChoose={(value) => set("state", value)}
            />
            <Choice
              label="At stage"
              value={query.get("stage") ?? ""}
              options={data.stages
                .filter((one) => one.collection === data.collection)
                .map((one) => one.stage)}
              all="any"
              onChoose={(value) => set("stage", value)}
            />
          </form>
          <Rows data={data} filtered={query.has("state") || query.has("stage")} />
        </>
      )}
    </WholePage>
  );
}

function Rows({ data, filtered }: { readonly data: Page<"documents">; readonly filtered: boolean }) {
  const { collection, rows } = data;
  const total = data.collections.find((one) => one.name === collection);
  if (collection === null)
    return (
      <Empty>
        Nothing was brought in yet: <code>headway ingest PATH</code> reads mail, <code>headway accept</code>{" "}
        takes documents of any kind.
      </Empty>
    );
  if (rows.length === 0)
    return (
      <Empty>
        No document of {collection} fits the filter
        {filtered && (
          <>
            : <Link href={`/documents?collection=${encodeURIComponent(collection)}`}>show all of them</Link>
          </>
        )}
        .
      </Empty>
    );
  return (
    <>
      <p class="faint">
        {rows.length} shown
        {total && !filtered && (
          <>
            {" "}
            of <Count of={total.documents} />
          </>
        )}
        , in the order of their ids
      </p>
      <Scroll label="Documents">
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">Document</th>
              <th scope="col">State</th>
              <th scope="col" class="number">
                Attempts
              </th>
              <th scope="col" class="number">
                Size
              </th>
              <th scope="col">Changed</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id} data-row>
                <th scope="row">
                  <Link href={documentAddress(collection, row.id)}>
                    <Name text={row.id} />
                  </Link>
                </th>
                <td data-label="State">
                  <State of={row.state} />
                </td>
                <td class="number" data-label="Attempts">
                  {row.attempts}
                </td>
                <td class="number" data-label="Size">
                  {size(row.bytes)}
                </td>
                <td data-label="Changed">
                  <Moment at={row.changed_at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <NextPage more={data.more} after={rows.at(-1)?.id} />
    </>
  );
}

/** Documents and groups whose name is, or is like, the words of the find box. */
export function FindPage() {
  const { query } = useAddress();
  const q = query.get("q") ?? "";
  const asked = usePage("find", { q });
  return (
    <WholePage title="Find" asked={asked}>
      {({ found, near }) => (
        <>
          <p class="lede">
            {found.length > 0 ? "Named " : "Nothing is named "}
            <Name text={q} />
            {found.length === 0 && near.length > 0 && ". The nearest names:"}
            {found.length === 0 && near.length === 0 && ", and nothing is like it."}
          </p>
          <ul class="plain-list">
            {(found.length > 0 ? found : near).map((one) => (
              <li key={one.subject} data-row>
                <Link
                  href={
                    one.collection !== null
                      ? documentAddress(one.collection, one.id)
                      : groupAddress(one.stage ?? "", one.id)
                  }
                >
                  {one.collection ?? one.stage} / <Name text={one.id} />
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
    </WholePage>
  );
}
