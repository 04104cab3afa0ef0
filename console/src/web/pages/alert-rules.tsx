import { useState } from "preact/hooks";
import { type Page, usePage } from "../ask.ts";
import { ActButton } from "../parts/act-button.tsx";
import { Field } from "../parts/filters.tsx";
import { type Change, History } from "../parts/history.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { duration, Name } from "../parts/text.tsx";
import { me } from "../parts/who.ts";
import { WholePage } from "../parts/whole-page.tsx";
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
            <h2>History</h2>
            <History empty="No operator has changed a rule." changes={history.map(toChange)} />
          </>
        );
      }}
    </WholePage>
  );
}

const toChange = (one: Page<"alertRules">["history"][number]): Change => ({
  at: one.changedAt,
  by: one.changedBy,
  why: one.why,
  what: (
    <>
      <strong>
        <Name text={one.name} />
      </strong>{" "}
      {one.after === null ? "is the shipped one again" : "was set"}
    </>
  ),
});

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
  { title: "Raised in 7 days", number: true, cell: ({ raised }) => raised },
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
        <Field label="Raised at" value={threshold} numeric onType={setThreshold} />
        <Field label="Within" value={span} onType={setSpan} />
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
