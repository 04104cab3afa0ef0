import { type Page, usePage } from "../ask.ts";
import { ActButton } from "../parts/act-button.tsx";
import { Choice, NextPage } from "../parts/filters.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Count, count, Moment, Name, Plain } from "../parts/text.tsx";
import { Empty, WholePage } from "../parts/whole-page.tsx";
import { address, documentAddress, groupAddress, Link, useAddress } from "../route.tsx";

type Group = Page<"dead">["groups"][number];
type Letter = Page<"dead">["letters"][number];

/** Dead letters by cause of death, then one by one. */
export function DeadPage() {
  const { query, set } = useAddress();
  const asked = usePage("dead", Object.fromEntries(query));
  const filter: Record<string, string> = Object.fromEntries(
    [...query].filter(([name]) => ["stage", "code", "fingerprint"].includes(name)),
  );
  const since = query.get("since");
  if (since) filter.newerThan = since;
  const narrowed = Object.keys(filter).length > 0;
  return (
    <WholePage title="Dead letters" asked={asked}>
      {(data) => (
        <>
          <form class="filters" onSubmit={(event) => event.preventDefault()}>
            <Choice
              label="Stage"
              value={query.get("stage") ?? ""}
              options={data.stages}
              all="all"
              onChoose={(value) => set("stage", value)}
            />
            <Choice
              label="Letters"
              value={query.get("state") ?? ""}
              options={["closed", "all"]}
              all="open"
              onChoose={(value) => set("state", value)}
            />
            <Choice
              label="Died"
              value={query.get("since") ?? ""}
              options={["1h", "24h", "7d"]}
              all="any time"
              onChoose={(value) => set("since", value)}
            />
            {query.has("fingerprint") && (
              <Link href={address("/dead", { stage: query.get("stage") })}>All causes</Link>
            )}
          </form>
          {data.groups.length === 0 ? (
            <Empty>
              {narrowed ? (
                <>
                  No dead letter fits the filter. <Link href="/dead">Show all</Link>
                </>
              ) : (
                "Nothing is dead. Nothing has to be done here."
              )}
            </Empty>
          ) : (
            <Found data={data} filter={filter} />
          )}
        </>
      )}
    </WholePage>
  );
}

function Found({
  data,
  filter,
}: {
  readonly data: Page<"dead">;
  readonly filter: Readonly<Record<string, string>>;
}) {
  const letters = data.groups.reduce((sum, one) => sum + one.letters, 0);
  return (
    <>
      <p class="lede">
        {count(letters, "letter")} in {count(data.groups.length, "group")}.
      </p>
      <p class="buttons">
        <ActButton act="requeue" fields={{ filter }} label={`Requeue these ${letters}`}>
          Requeue these…
        </ActButton>
        <ActButton act="resolve" fields={{ filter }} label={`Resolve these ${letters}`}>
          Resolve these…
        </ActButton>
        <ActButton act="purge" fields={{ filter }} label={`Purge these ${letters}`}>
          Purge these…
        </ActButton>
        <a class="button" href={address("/api/console/export", { what: "dead", ...filter })} download>
          Export
        </a>
      </p>
      <Groups groups={data.groups} />
      <h2>Letters, oldest first</h2>
      <Table label="Letters" rows={data.letters} columns={columns} keyOf={({ id }) => id} />
      <NextPage more={data.more} after={data.letters.at(-1)?.id} />
    </>
  );
}

/** Causes of death, the largest group first. */
export function Groups({ groups }: { readonly groups: readonly Group[] }) {
  return (
    <ol class="groups">
      {groups.map((one) => {
        const filter = { stage: one.stage, fingerprint: one.fingerprint };
        return (
          <li key={`${one.stage} ${one.fingerprint}`} data-row>
            <span class="many">
              <Count of={one.letters} />
            </span>
            <div>
              <p>
                <Link href={address("/dead", filter)}>
                  {one.stage} <code>{one.code}</code>
                </Link>{" "}
                {one.retry_suggested && (
                  <span class="state done">★ newer code since: requeueing may help</span>
                )}
              </p>
              <p class="said">
                <Plain text={one.message.slice(0, 300)} />
              </p>
              <p class="faint">
                {one.kind} · first <Moment at={one.first_at} /> · last <Moment at={one.last_at} /> · version{" "}
                {one.versions.join(", ") || "unknown"}
              </p>
            </div>
            <ActButton
              act="requeue"
              fields={{ filter }}
              label={`Requeue ${one.letters} of ${one.stage} ${one.code}`}
            >
              Requeue…
            </ActButton>
          </li>
        );
      })}
    </ol>
  );
}

const columns: readonly Column<Letter>[] = [
  { title: "Letter", cell: ({ id }) => <Link href={`/dead/${id}`}>#{id}</Link> },
  {
    title: "Document",
    cell: ({ collection, stage, document }) => (
      <Link
        href={collection !== null ? documentAddress(collection, document) : groupAddress(stage, document)}
      >
        <Name text={document} />
      </Link>
    ),
  },
  {
    title: "Cause",
    cell: ({ stage, code }) => (
      <>
        {stage} <code>{code}</code>
      </>
    ),
  },
  { title: "Attempts", number: true, cell: ({ attempts, waits, crashes }) => attempts + waits + crashes },
  { title: "Died", cell: ({ died_at: at }) => <Moment at={at} /> },
  { title: "State", cell: ({ closed_as: as, closed_by: by }) => (as ? `${as} by ${by}` : "open") },
];
