import { usePage } from "../ask.ts";
import { ActButton } from "../parts/act-button.tsx";
import { Scroll } from "../parts/scroll.tsx";
import { count, Moment, Name, Plain } from "../parts/text.tsx";
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
            <Scroll label="Workers">
              <table class="cards">
                <thead>
                  <tr>
                    <th scope="col">Worker</th>
                    <th scope="col">State</th>
                    <th scope="col">Heartbeat</th>
                    <th scope="col">Started</th>
                    <th scope="col">Holds</th>
                    <th scope="col">Stages</th>
                    <th scope="col">Act</th>
                  </tr>
                </thead>
                <tbody>
                  {workers.map((one) => (
                    <tr key={one.id} data-row>
                      <th scope="row">
                        {one.id} <Name text={one.name} />{" "}
                        <span class="faint">
                          on <Plain text={one.host} />, process {one.pid}
                        </span>
                      </th>
                      <td data-label="State">
                        {one.alive ? (
                          one.busySince ? (
                            <>
                              busy since <Moment at={one.busySince} />
                            </>
                          ) : (
                            "● alive"
                          )
                        ) : (
                          <span class="bad">✕ dead</span>
                        )}
                      </td>
                      <td data-label="Heartbeat">
                        <Moment at={one.heartbeatAt} />
                      </td>
                      <td data-label="Started">
                        <Moment at={one.startedAt} />
                      </td>
                      <td data-label="Holds">
                        {one.holds.length === 0
                          ? "nothing"
                          : one.holds.map((held) => `${held.tasks} of ${held.stage}`).join(", ")}
                      </td>
                      <td data-label="Stages">{one.stages.join(", ")}</td>
                      <td data-label="Act">
                        <ActButton act="free" fields={{ worker: one.id }} label={`Free worker ${one.id}`}>
                          Free…
                        </ActButton>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroll>
          )}
        </>
      )}
    </WholePage>
  );
}

/** Services that are down, and what waits for them. */
export function OutagesPage() {
  const asked = usePage("outages");
  return (
    <WholePage title="Outages" asked={asked}>
      {({ outages }) =>
        outages.length === 0 ? (
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
                    <strong>{one.name}</strong> is down <Moment at={one.since} />
                    {one.fault && (
                      <>
                        : <code>{one.fault.code}</code> <Plain text={one.fault.message.slice(0, 300)} />
                      </>
                    )}
                  </p>
                  <p>
                    If nothing is done: next probe <Moment at={one.probeAt} /> ({count(one.probes, "probe")}{" "}
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
        )
      }
    </WholePage>
  );
}
