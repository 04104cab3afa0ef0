import { type Page, usePage } from "../ask.ts";
import { ActButton } from "../parts/act-button.tsx";
import { Choice, NextPage } from "../parts/filters.tsx";
import { Facts } from "../parts/table.tsx";
import { Clock, Count, count, Moment, Name, Plain } from "../parts/text.tsx";
import { Empty, WholePage } from "../parts/whole-page.tsx";
import { address, Link, useAddress } from "../route.tsx";

type Alert = Page<"alert">["alert"];

/** Alerts, the newest first. */
export function AlertsPage() {
  const { query, set } = useAddress();
  const asked = usePage("alerts", Object.fromEntries(query));
  const state = query.get("state") ?? "open";
  return (
    <WholePage title="Alerts" asked={asked} lede="One alert a cause, however often it happens.">
      {(data) => (
        <>
          <form class="filters" onSubmit={(event) => event.preventDefault()}>
            <Choice
              label="Alerts"
              value={state}
              options={["open", "resolved", "all"]}
              onChoose={(value) => set("state", value === "open" ? "" : value)}
            />
            <Link href="/alerts/rules">Rules</Link>
          </form>
          {data.rows.length === 0 && (
            <Empty>
              {state === "open" ? "No alert is open." : "There was no alert yet."}{" "}
              <Link href="/alerts/rules">The rules</Link> say what raises one.
            </Empty>
          )}
          <ol class="groups">
            {data.rows.map((one) => (
              <li key={one.id} data-row>
                <span class="many">
                  <Count of={one.count} />
                </span>
                <div>
                  <p>
                    <Link href={`/alerts/${one.id}`}>
                      {one.rule}: <Name text={one.key} />
                    </Link>{" "}
                    <Severity of={one.severity} />
                  </p>
                  <p class="said">
                    <Plain text={(one.facts.message ?? "").slice(0, 300)} />
                  </p>
                  <p class="faint">
                    {one.state} · opened <Moment at={one.openedAt} /> · last <Moment at={one.lastAt} /> ·{" "}
                    {count(one.notices, "notice")} sent
                  </p>
                </div>
                {one.state === "open" && (
                  <ActButton act="ackAlert" fields={{ id: one.id }} label={`Acknowledge alert ${one.id}`}>
                    Acknowledge…
                  </ActButton>
                )}
              </li>
            ))}
          </ol>
          <NextPage more={data.more} after={data.rows.at(-1)?.id} />
        </>
      )}
    </WholePage>
  );
}

const severe: Readonly<Record<string, string>> = { critical: "dead", high: "dead", medium: "waiting" };

const Severity = ({ of }: { readonly of: string }) => (
  <span class={`state ${severe[of] ?? ""}`}>
    <span aria-hidden="true">▲</span> {of}
  </span>
);

export function AlertPage({ id }: { readonly id: string }) {
  const asked = usePage("alert", { id });
  const open = asked.kind === "here" && asked.data.alert.resolvedAt === null;
  return (
    <WholePage
      title={`Alert ${id}`}
      asked={asked}
      acts={
        open && (
          <>
            <ActButton act="ackAlert" fields={{ id: Number(id) }}>
              Acknowledge…
            </ActButton>
            <ActButton act="muteAlert" fields={{ id: Number(id), span: "1h" }}>
              Mute for an hour…
            </ActButton>
            <ActButton act="muteAlert" fields={{ id: Number(id), span: "1d" }}>
              Mute for a day…
            </ActButton>
          </>
        )
      }
    >
      {({ alert, deliveries }) => (
        <>
          <p class="lede">
            {alert.rule}: <Plain text={alert.key} />
          </p>
          <Facts of={factsOf(alert)} />
          <h2>What was sent to whom</h2>
          {deliveries.length === 0 && (
            <Empty>
              Nobody was told: no channel is set up. <code>headway config</code> lists the variables,{" "}
              <code>headway alerts test</code> sends a test.
            </Empty>
          )}
          <Deliveries deliveries={deliveries} />
        </>
      )}
    </WholePage>
  );
}

function factsOf(alert: Alert) {
  const { facts } = alert;
  const said = facts.message ?? "";
  return [
    ["State", `${alert.state}${alert.acknowledgedBy ? `, by ${alert.acknowledgedBy}` : ""}`],
    ["Severity", alert.severity],
    ["Happened", `${count(alert.count, "time")}`],
    ["First", <Moment key="first" at={alert.firstAt} />],
    ["Last", <Moment key="last" at={alert.lastAt} />],
    ...(alert.mutedUntil ? ([["Muted until", <Moment key="muted" at={alert.mutedUntil} />]] as const) : []),
    ...(alert.resolvedAt ? ([["Resolved", <Moment key="resolved" at={alert.resolvedAt} />]] as const) : []),
    ...(facts.stage
      ? ([
          [
            "Stage",
            <span key="stage">
              <Link href={`/stages/${encodeURIComponent(facts.stage)}`}>{facts.stage}</Link>,{" "}
              <Link href={address("/dead", { stage: facts.stage, code: facts.code ?? "" })}>
                its dead letters
              </Link>
            </span>,
          ],
        ] as const)
      : []),
    ...(said === "" ? [] : ([["Says", <Plain key="says" text={said.slice(0, 500)} />]] as const)),
  ] as const;
}

function Deliveries({ deliveries }: { readonly deliveries: Page<"alert">["deliveries"] }) {
  return (
    <ol class="time-line">
      {deliveries.map((one) => (
        <li key={one.id} data-row>
          {one.sentAt ? <Clock at={one.sentAt} /> : <span class="faint">not sent</span>}
          <span>
            {one.channel} <Name text={one.target} />
          </span>
          <span class="what">
            <Plain text={one.subject} />{" "}
            {one.fault !== null && (
              <span class="bad">
                <Plain text={one.fault.slice(0, 300)} />
              </span>
            )}{" "}
            <span class="faint">
              {one.givenUpAt ? "given up" : one.sentAt ? "" : "will be tried again"}
              {one.attempts > 1 && ` · ${count(one.attempts, "attempt")}`}
            </span>
          </span>
        </li>
      ))}
    </ol>
  );
}
