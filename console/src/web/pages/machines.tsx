import { type Page, usePage } from "../ask.ts";
import { ActButton } from "../parts/act-button.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Ahead, Clock, count, Moment, Name, Plain } from "../parts/text.tsx";
import { Empty, WholePage } from "../parts/whole-page.tsx";
import { Link } from "../route.tsx";

export function WorkersPage() {
  const asked = usePage("workers");
  return (
    <WholePage title="Workers" asked={asked}>
      {({ workers, unserved }) => (
        <>
          {unserved.length > 0 && (
            <p class="note warn">No living worker has code for: {unserved.join(", ")}.</p>
          )}
          {workers.length === 0 ? (
            <Empty>
              No worker is there: <code>headway up</code> starts one.
            </Empty>
          ) : (
            <Table label="Workers" rows={workers} columns={columns} keyOf={({ id }) => id} />
          )}
        </>
      )}
    </WholePage>
  );
}

const columns: readonly Column<Page<"workers">["workers"][number]>[] = [
  {
    title: "Worker",
    cell: ({ id, name, host, pid }) => (
      <>
        {id} <Name text={name} />{" "}
        <span class="faint">
          on <Plain text={host} />, process {pid}
        </span>
      </>
    ),
  },
  { title: "State", cell: ({ alive, busySince }) => <Pulse alive={alive} busySince={busySince} /> },
  { title: "Heartbeat", cell: ({ heartbeatAt }) => <Moment at={heartbeatAt} /> },
  { title: "Started", cell: ({ startedAt }) => <Moment at={startedAt} /> },
  {
    title: "Holds",
    cell: ({ holds }) => holds.map((held) => `${held.tasks} of ${held.stage}`).join(", ") || "nothing",
  },
  { title: "Stages", cell: ({ stages }) => stages.join(", ") },
  {
    title: "Act",
    cell: ({ id }) => (
      <ActButton act="free" fields={{ worker: id }} label={`Free worker ${id}`}>
        Free…
      </ActButton>
    ),
  },
];

function Pulse({ alive, busySince }: { readonly alive: boolean; readonly busySince: string | null }) {
  if (!alive) return <span class="bad">✕ dead</span>;
  if (busySince === null) return <>● alive</>;
  return (
    <>
      busy since <Moment at={busySince} />
    </>
  );
}

/** Services in outage, and documents held for them. */
export function OutagesPage() {
  const asked = usePage("outages");
  return (
    <WholePage title="Outages" asked={asked}>
      {({ outages, past }) => (
        <>
          {outages.length === 0 ? (
            <Empty>
              No service is down. A service that fails again and again is listed here, and its documents are
              held without losing attempts.
            </Empty>
          ) : (
            <ol class="groups">
              {outages.map((one) => (
                <li key={one.name} data-row>
                  <span class="many bad" aria-hidden="true">
                    ▲
                  </span>
                  <div>
                    <p>
                      <strong>{one.name}</strong> is down since <Clock at={one.since} />
                      {one.fault && (
                        <>
                          : <code>{one.fault.code}</code> <Plain text={one.fault.message.slice(0, 300)} />
                        </>
                      )}
                    </p>
                    <p>
                      If nothing is done: next probe <Ahead at={one.probeAt} /> ({count(one.probes, "probe")}{" "}
                      so far); when it answers, load returns as 1, 2, 4 ….
                    </p>
                    <ul class="plain-list">
                      {one.stages.map(({ stage, waiting, oldest }) => (
                        <li key={stage}>
                          <Link href={`/stages/${encodeURIComponent(stage)}`}>{stage}</Link> holds{" "}
                          {count(waiting, "document")}, the oldest <Moment at={oldest} />
                        </li>
                      ))}
                    </ul>
                  </div>
                </li>
              ))}
            </ol>
          )}
          <Past past={past} />
        </>
      )}
    </WholePage>
  );
}

function Past({ past }: { readonly past: Page<"outages">["past"] }) {
  return (
    <>
      {past.length > 0 && <h2>Past</h2>}
      <ol class="time-line">
        {past.map((one) => (
          <li key={one.id} data-row>
            <Clock at={one.openedAt} />
            <Moment at={one.resolvedAt} />
            <span class="what">
              <Link href={`/alerts/${one.id}`}>
                <Name text={one.key} />
              </Link>{" "}
              was down, and its alert is resolved
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}
