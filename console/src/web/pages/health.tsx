import { usePage } from "../ask.ts";
import { ActButton } from "../parts/act-button.tsx";
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
      {({ database, kind, unbalanced, workers, leftToReap, version, tookMs }) => (
        <>
          <p class="lede">
            {unbalanced.length === 0
              ? "The ledger balances: every document is accounted for."
              : `The ledger does not balance at ${unbalanced.join(", ")}: check every promise.`}
          </p>
          <dl class="facts">
            <div>
              <dt>Headway</dt>
              <dd>{version}</dd>
            </div>
            <div>
              <dt>Database</dt>
              <dd>
                {kind === "pglite" ? "embedded PostgreSQL" : "PostgreSQL"} {database.version},{" "}
                {size(database.bytes)}
              </dd>
            </div>
            <div>
              <dt>Its clock</dt>
              <dd>
                <Clock at={database.now} />
              </dd>
            </div>
            <div>
              <dt>Connections</dt>
              <dd>
                {database.connections} of {database.connectionsMax}
              </dd>
            </div>
            <div>
              <dt>Waiting for locks</dt>
              <dd>{count(database.waiting, "session")}</dd>
            </div>
            <div>
              <dt>Longest idle transaction</dt>
              <dd>{duration(database.idleSeconds * 1_000)}</dd>
            </div>
            <div>
              <dt>Search by meaning</dt>
              <dd>
                {database.vector === null
                  ? "not here: the extension vector is missing"
                  : `vector ${database.vector}`}
              </dd>
            </div>
            <div>
              <dt>Workers alive</dt>
              <dd>{workers}</dd>
            </div>
            <div>
              <dt>Deleted, not yet removed</dt>
              <dd>{count(leftToReap, "document")}</dd>
            </div>
            <div>
              <dt>One reading of all levels</dt>
              <dd>{duration(tookMs)}</dd>
            </div>
          </dl>
        </>
      )}
    </WholePage>
  );
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
