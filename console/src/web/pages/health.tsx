import { type Page, usePage } from "../ask.ts";
import { ActButton } from "../parts/act-button.tsx";
import { Facts } from "../parts/table.tsx";
import { Clock, count, duration, Name, size } from "../parts/text.tsx";
import { Empty, WholePage } from "../parts/whole-page.tsx";
import { useStore } from "../store.ts";
import { theme, toggleTheme } from "../theme.ts";

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

function factsOf({ database, kind, workers, leftToReap, version, tookMs }: Page<"health">) {
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
    ["One reading of all levels", duration(tookMs)],
  ] as const;
}

export function SettingsPage() {
  const asked = usePage("access");
  const chosen = useStore(theme);
  return (
    <WholePage title="Settings" asked={asked}>
      {({ keys }) => (
        <>
          <p>
            Look: {chosen}.{" "}
            <button type="button" onClick={toggleTheme}>
              Light or dark
            </button>
          </p>
          <h2>Access keys</h2>
          {keys.length === 0 && (
            <Empty>
              Nobody has a key: <code>headway access add NAME --role reader</code> makes one.
            </Empty>
          )}
          <ul class="plain-list">
            {keys.map((one) => (
              <li key={one.name}>
                <strong>
                  <Name text={one.name} />
                </strong>{" "}
                {one.role}{" "}
                <span class="faint">
                  added {one.addedAt.slice(0, 10)}
                  {one.expiresAt !== null && `, until ${one.expiresAt.slice(0, 10)}`}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </WholePage>
  );
}
