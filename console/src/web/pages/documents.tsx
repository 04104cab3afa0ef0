import { type Page, usePage } from "../ask.ts";
import { Choice, NextPage } from "../parts/filters.tsx";
import { type Column, Table } from "../parts/table.tsx";
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
      <Table label="Documents" rows={rows} columns={columnsOf(collection)} keyOf={({ id }) => id} />
      <NextPage more={data.more} after={rows.at(-1)?.id} />
    </>
  );
}

const columnsOf = (collection: string): readonly Column<Page<"documents">["rows"][number]>[] => [
  {
    title: "Document",
    cell: ({ id }) => (
      <Link href={documentAddress(collection, id)}>
        <Name text={id} />
      </Link>
    ),
  },
  { title: "State", cell: ({ state }) => <State of={state} /> },
  { title: "Attempts", number: true, cell: ({ attempts }) => attempts },
  { title: "Size", number: true, cell: ({ bytes }) => size(bytes) },
  { title: "Changed", cell: ({ changed_at: at }) => <Moment at={at} /> },
];

/** Documents and groups named like the words of the find box. */
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
