import { type Page, usePage } from "../ask.ts";
import { ActButton } from "../parts/act-button.tsx";
import { Facts } from "../parts/table.tsx";
import { Clock, count, duration, size } from "../parts/text.tsx";
import { WholePage } from "../parts/whole-page.tsx";

export function HealthPage() {
  const asked = usePage("health");
  return (
    <WholePage
      title="Health"
      asked={asked}
      acts={
        <ActButton act="verify" fields={{}}>
          Check every promise…
        </ActButton>
      }
    >
      {(data) => (
        <>
          <p class="lede">
            {data.unbalanced.length === 0
              ? "The ledger balances: every document is accounted for."
              : `The ledger does not balance at ${data.unbalanced.join(", ")}: check every promise.`}
          </p>
          <Facts of={factsOf(data)} />
        </>
      )}
    </WholePage>
  );
}

function factsOf({
  database,
  kind,
  workers,
  leftToReap,
  version,
  tookMs,
  migrations,
  countedAt,
}: Page<"health">) {
  return [
    ["Headway", version],
    [
      "Database",
      `${kind === "pglite" ? "embedded PostgreSQL" : "PostgreSQL"} ${database.version}, ${size(database.bytes)}`,
    ],
    ["Its clock", <Clock key="clock" at={database.now} />],
    ["Connections", `${database.connections} of ${database.connectionsMax}`],
    ["Waiting for locks", count(database.waiting, "session")],
    ["Longest idle transaction", duration(database.idleSeconds * 1_000)],
    [
      "Search by meaning",
      database.vector === null ? "not here: the extension vector is missing" : `vector ${database.vector}`,
    ],
    ["Workers alive", workers],
    ["Deleted, not yet removed", count(leftToReap, "document")],
    [
      "Migrations",
      migrations
        .map(({ of, applied, known }) => `${of} ${applied === known ? applied : `${applied} of ${known}`}`)
        .join(", "),
    ],
    ["Last exact count", countedAt === null ? "none" : <Clock key="counted" at={countedAt} />],
    ["One reading of all levels", duration(tookMs)],
  ] as const;
}
