import { useState } from "preact/hooks";
import { type Page, usePage } from "../ask.ts";
import { ActButton } from "../parts/act-button.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Clock, duration, Name, Plain } from "../parts/text.tsx";
import { me } from "../parts/who.ts";
import { Empty, WholePage } from "../parts/whole-page.tsx";
import { Link, useAddress } from "../route.tsx";
import { useStore } from "../store.ts";

type Rule = Page<"alertRules">["rules"][number];

/** Rules of alerts, with their history. */
export function AlertRulesPage() {
  const asked = usePage("alertRules");
  const { query } = useAddress();
  const edited = query.get("edit");
  const mayAct = useStore(me)?.role === "operator";
  return (
    <WholePage
      title="Alert rules"
      asked={asked}
      lede="What raises an alert. A rule that nobody has set is the one that Headway ships."
    >
      {({ rules, history }) => {
        const rule = rules.find((one) => one.name === edited);
        return (
          <>
            <p>
              <Link href="/alerts">Alerts</Link>
            </p>
            {rule && mayAct && <Edit key={rule.name} rule={rule} />}
            <Table label="Rules" rows={rules} columns={columns} keyOf={({ name }) => name} />
            <History history={history} />
          </>
        );
      }}
    </WholePage>
  );
}

const levelTypes = ["outage", "sweep", "outbox"];

const bound = ({ type, threshold, windowMs }: Rule): string =>
  levelTypes.includes(type)
    ? `for ${duration(threshold * 1_000)}`
    : ["stuck", "failed"].includes(type)
      ? `${threshold} documents`
      : `${threshold} within ${duration(windowMs)}`;

const columns: readonly Column<Rule>[] = [
  { title: "Rule", cell: ({ name }) => <Name text={name} /> },
  { title: "Watches", cell: ({ type }) => type },
  { title: "Raised at", cell: bound },
  { title: "Severity", cell: ({ severity }) => severity },
  { title: "Sent by", cell: ({ channels }) => channels?.join(", ") ?? "all channels" },
  { title: "Resolved after", cell: ({ resolveMs }) => `${duration(resolveMs)} of quiet` },
  {
    title: "State",
    cell: ({ enabled, from, changedBy }) =>
      `${enabled ? "on" : "off"}${from === "operator" ? `, set by ${changedBy}` : ""}`,
  },
  { title: "Act", cell: (rule) => <Acts rule={rule} /> },
];

function Acts({ rule: { name, enabled, from } }: { readonly rule: Rule }) {
  const mayAct = useStore(me)?.role === "operator";
  if (!mayAct) return null;
  return (
    <span class="buttons">
      <Link class="button" href={`/alerts/rules?edit=${encodeURIComponent(name)}`}>
        Edit<span class="unseen"> {name}</span>
      </Link>
      <ActButton
        act="alertRule"
        fields={{ name, change: { enabled: !enabled } }}
        label={`Turn ${enabled ? "off" : "on"} ${name}`}
      >
        {enabled ? "Turn off…" : "Turn on…"}
      </ActButton>
      {from === "operator" && (
        <ActButton act="alertRuleReset" fields={{ name }} label={`Reset ${name}`}>
          Reset…
        </ActButton>
      )}
    </span>
  );
}

function Edit({ rule }: { readonly rule: Rule }) {
  const [threshold, setThreshold] = useState(String(rule.threshold));
  const [span, setSpan] = useState(`${rule.windowMs}ms`);
  const [severity, setSeverity] = useState<string>(rule.severity);
  const change = { threshold: Number(threshold), window: span, severity };
  return (
    <section class="note">
      <h2>
        Change <Name text={rule.name} />
      </h2>
      <div class="filters">
        <label>
          Raised at
          <input
            inputMode="numeric"
            value={threshold}
            onInput={(event) => setThreshold(event.currentTarget.value)}
          />
        </label>
        <label>
          Within
          <input value={span} onInput={(event) => setSpan(event.currentTarget.value)} />
        </label>
        <label>
          Severity
          <select value={severity} onChange={(event) => setSeverity(event.currentTarget.value)}>
            {["low", "medium", "high", "critical"].map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <ActButton act="alertRule" fields={{ name: rule.name, change }}>
          See what changes…
        </ActButton>
        <Link class="button" href="/alerts/rules">
          Close
        </Link>
      </div>
      <p class="faint">A time is a number and a unit: 500ms, 2s, 5m, 1h.</p>
    </section>
  );
}

function History({ history }: { readonly history: Page<"alertRules">["history"] }) {
  return (
    <section>
      <h2>History</h2>
      {history.length === 0 && <Empty>No operator has changed a rule.</Empty>}
      <ol class="time-line">
        {history.map((one, index) => (
          <li key={`${one.changedAt} ${index}`} data-row>
            <Clock at={one.changedAt} />
            <Name text={one.changedBy} />
            <div class="what">
              <strong>
                <Name text={one.name} />
              </strong>{" "}
              {one.after === null ? "is the shipped one again" : "was set"}
              {one.why !== null && (
                <p class="said">
                  <Plain text={one.why} />
                </p>
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
