import { usePage } from "../ask.ts";
import { ActButton } from "../parts/act-button.tsx";
import { Facts, Table } from "../parts/table.tsx";
import { Clock, Count, count, Moment, Name, Plain } from "../parts/text.tsx";
import { Upload } from "../parts/upload.tsx";
import { me } from "../parts/who.ts";
import { Empty, WholePage } from "../parts/whole-page.tsx";
import { Link } from "../route.tsx";
import { useStore } from "../store.ts";

/** Where documents came from, and where to bring more. */
export function SourcesPage() {
  const asked = usePage("sources");
  const mayAct = useStore(me)?.role === "operator";
  return (
    <WholePage title="Sources" asked={asked} lede="Where documents came from.">
      {({ sources, takesFiles }) => (
        <>
          {takesFiles && mayAct && <Upload />}
          {sources.length === 0 ? (
            <Empty>
              Nothing was brought in yet:{" "}
              {takesFiles ? <code>headway ingest PATH</code> : <code>headway accept</code>}.
            </Empty>
          ) : (
            <Table
              label="Sources"
              rows={sources}
              keyOf={({ name }) => name}
              columns={[
                {
                  title: "Source",
                  cell: ({ name }) => (
                    <Link href={`/sources/${encodeURIComponent(name)}`}>
                      <Name text={name} />
                    </Link>
                  ),
                },
                { title: "Documents", number: true, cell: ({ documents }) => <Count of={documents} /> },
                { title: "First seen", cell: ({ first_seen_at: at }) => <Moment at={at} /> },
              ]}
            />
          )}
        </>
      )}
    </WholePage>
  );
}

export function SourcePage({ name }: { readonly name: string }) {
  const asked = usePage("source", { name });
  return (
    <WholePage
      title={name.slice(0, 200)}
      asked={asked}
      acts={
        <ActButton act="deleteSource" fields={{ source: name }}>
          Delete…
        </ActButton>
      }
    >
      {({ source, acts }) => (
        <>
          <Facts
            of={[
              ["Brought", count(source.documents, "document")],
              ["First seen", <Moment key="seen" at={source.first_seen_at} />],
            ]}
          />
          {acts.length > 0 && <h2>What was done with it</h2>}
          <ol class="time-line">
            {acts.map((one) => (
              <li key={one.id} data-row>
                <Clock at={one.at} />
                <Name text={one.actor} />
                <span class="what">
                  <Link href={`/acts/${one.id}`}>{one.act}</Link> <Plain text={one.why ?? ""} />
                </span>
              </li>
            ))}
          </ol>
        </>
      )}
    </WholePage>
  );
}
