import type { ComponentChildren } from "preact";
import { type Page, usePage } from "../ask.ts";
import { ActButton } from "../parts/act-button.tsx";
import { type Column, Facts, Table } from "../parts/table.tsx";
import { Clock, count, duration, size } from "../parts/text.tsx";
import { WholePage } from "../parts/whole-page.tsx";
import { Link } from "../route.tsx";

type Health = Page<"health">;

/** Checks of the whole system, each with its next step. */
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
      {(data) => {
        const checks = checksOf(data);
        const wrong = checks.filter(({ ok }) => !ok).length;
        return (
          <>
            <p class="lede">
              {wrong === 0
                ? "Everything is well: the ledger balances, every document is accounted for."
                : `${count(wrong, "check")} of ${checks.length} ${wrong === 1 ? "needs" : "need"} a look.`}
            </p>
            <Table label="Checks" rows={checks} columns={columns} keyOf={({ name }) => name} />
            <h2>Facts</h2>
            <Facts of={factsOf(data)} />
          </>
        );
      }}
    </WholePage>
  );
}

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly found: ComponentChildren;
  /** The next step while the check fails. */
  readonly advice: ComponentChildren;
}

const idleSecondsMax = 60;
const connectionsShareMax = 0.8;

function checksOf(data: Health): Check[] {
  const { database, workers, unbalanced, migrations } = data;
  const behind = migrations.filter(({ applied, known }) => applied < known);
  return [
    {
      name: "Ledger",
      ok: unbalanced.length === 0,
      found:
        unbalanced.length === 0 ? "balances at every stage" : `does not balance: ${unbalanced.join(", ")}`,
      advice: "check every promise with the button above, then read the runbook of the ledger",
    },
    {
      name: "Workers",
      ok: workers > 0,
      found: <Link href="/workers">{count(workers, "worker")} alive</Link>,
      advice: <code>headway work</code>,
    },
    {
      name: "Migrations",
      ok: behind.length === 0,
      found: migrations
        .map(({ of, applied, known }) => `${of} ${applied === known ? applied : `${applied} of ${known}`}`)
        .join(", "),
      advice: <code>headway up</code>,
    },
    {
      name: "Connections",
      ok: database.connections <= database.connectionsMax * connectionsShareMax,
      found: `${database.connections} of ${database.connectionsMax}`,
      advice: "raise max_connections, or put a pooler in front",
    },
    {
      name: "Locks",
      ok: database.waiting === 0,
      found: `${count(database.waiting, "session")} waiting`,
      advice: "look again in a minute; pg_stat_activity names the holder of a lasting lock",
    },
    {
      name: "Idle transactions",
      ok: database.idleSeconds <= idleSecondsMax,
      found: database.idleSeconds === 0 ? "none" : `the longest ${duration(database.idleSeconds * 1_000)}`,
      advice: "end the session that began a transaction and does nothing",
    },
  ];
}

const columns: readonly Column<Check>[] = [
  { title: "Check", cell: ({ name }) => name },
  {
    title: "State",
    cell: ({ ok }) =>
      ok ? <span class="state done">✓ well</span> : <span class="state dead">▲ needs a look</span>,
  },
  { title: "Found", cell: ({ found }) => found },
  { title: "Next step", cell: ({ ok, advice }) => (ok ? "–" : advice) },
];

function factsOf({ database, kind, leftToReap, version, tookMs, countedAt }: Health) {
  return [
    ["Headway", version],
    [
      "Database",
      `${kind === "pglite" ? "embedded PostgreSQL" : "PostgreSQL"} ${database.version}, ${size(database.bytes)}`,
    ],
    ["Its clock", <Clock key="clock" at={database.now} />],
    [
      "Search by meaning",
      database.vector === null ? "not here: the extension vector is missing" : `vector ${database.vector}`,
    ],
    ["Deleted, not yet removed", count(leftToReap, "document")],
    ["Last exact count", countedAt === null ? "none" : <Clock key="counted" at={countedAt} />],
    ["One reading of all levels", duration(tookMs)],
  ] as const;
}
