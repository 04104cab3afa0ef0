import { usePage } from "../ask.ts";
import { ActButton } from "../parts/act-button.tsx";
import { History } from "../parts/history.tsx";
import { Facts, Table } from "../parts/table.tsx";
import { Count, Moment, Name } from "../parts/text.tsx";
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
      {({ sources, takesFiles, countMax }) => (
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
                {
                  title: "Documents",
                  number: true,
                  cell: ({ documents }) => <Bounded of={documents} max={countMax} />,
                },
                { title: "First seen", cell: ({ first_seen_at: at }) => <Moment at={at} /> },
              ]}
            />
          )}
        </>
      )}
    </WholePage>
  );
}

/** Large sources are not counted to the end. */
const Bounded = ({ of, max }: { readonly of: number; readonly max: number }) => (
  <>
    {of >= max && "≥ "}
    <Count of={Math.min(of, max)} />
  </>
);

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
      {({ source, acts, countMax }) => (
        <>
          <Facts
            of={[
              ["Brought", <Bounded key="brought" of={source.documents} max={countMax} />],
              ["First seen", <Moment key="seen" at={source.first_seen_at} />],
            ]}
          />
          {acts.length > 0 && <h2>What was done with it</h2>}
          {acts.length > 0 && (
            <History
              empty=""
              changes={acts.map(({ id, at, actor, act, why }) => ({
                at,
                by: actor,
                what: <Link href={`/acts/${id}`}>{act}</Link>,
                why,
              }))}
            />
          )}
        </>
      )}
    </WholePage>
  );
}
