import { useState } from "preact/hooks";
import { type Page, usePage } from "../ask.ts";
import { ActButton } from "../parts/act-button.tsx";
import { Choice, Field } from "../parts/filters.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Day, Name, Plain } from "../parts/text.tsx";
import { Empty, WholePage } from "../parts/whole-page.tsx";
import { Link, useAddress } from "../route.tsx";
import { useStore } from "../store.ts";
import { theme, toggleTheme } from "../theme.ts";

type Setting = Page<"settings">["settings"][number];

/** Settings in force with their origin, and people with a key. */
export function SettingsPage() {
  const asked = usePage("settings");
  const chosen = useStore(theme);
  return (
    <WholePage title="Settings" asked={asked}>
      {({ keys, settings }) => (
        <>
          <p class="buttons">
            <button type="button" onClick={toggleTheme}>
              Light or dark: {chosen}
            </button>
          </p>
          <h2>Access keys</h2>
          {keys.length === 0 ? (
            <Empty>
              Nobody has a key: people enter by a link of <code>headway console</code>, which works once.
            </Empty>
          ) : (
            <Table label="Access keys" rows={keys} columns={keyColumns} keyOf={({ name }) => name} />
          )}
          <NewKey />
          <h2>Settings in force</h2>
          <InForce settings={settings} />
        </>
      )}
    </WholePage>
  );
}

/** A form with a dry run; the key is shown once, after the confirmation. */
function NewKey() {
  const [name, setName] = useState("");
  const [role, setRole] = useState("reader");
  const [days, setDays] = useState("90");
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <Field label="Name" value={name} onType={setName} />
      <Choice label="Role" value={role} options={["reader", "operator"]} onChoose={setRole} />
      <Field label="Days (empty: no end)" value={days} numeric onType={setDays} />
      <ActButton act="addKey" fields={{ name, role, days }}>
        Make a key…
      </ActButton>
    </form>
  );
}

const keyColumns: readonly Column<Page<"settings">["keys"][number]>[] = [
  { title: "Name", cell: ({ name }) => <Name text={name} /> },
  { title: "Role", cell: ({ role }) => role },
  { title: "Added", cell: ({ addedAt }) => <Day at={addedAt} /> },
  { title: "Until", cell: ({ expiresAt }) => (expiresAt === null ? "for ever" : <Day at={expiresAt} />) },
  {
    title: "Act",
    cell: ({ name }) => (
      <ActButton act="removeKey" fields={{ name }} label={`Remove the key of ${name}`}>
        Remove…
      </ActButton>
    ),
  },
];

/** Settings by group; those of the default only on request. */
function InForce({ settings }: { readonly settings: readonly Setting[] }) {
  const { query } = useAddress();
  const all = query.get("all") === "yes";
  const changed = settings.filter(({ from }) => from !== "default");
  const shown = all ? settings : changed;
  const groups = [...new Set(shown.map(({ group }) => group))];
  return (
    <>
      <p class="faint">
        {all
          ? `All ${settings.length}. `
          : `${changed.length} of ${settings.length} differ from the default. `}
        <Link href={all ? "/settings" : "/settings?all=yes"}>
          {all ? "Only those that differ" : "Show all"}
        </Link>
      </p>
      {groups.map((group) => (
        <section key={group}>
          <h3 class="group-name">{group}</h3>
          <Table
            label={`Settings: ${group}`}
            rows={shown.filter((one) => one.group === group)}
            columns={settingColumns}
            keyOf={({ variable }) => variable}
          />
        </section>
      ))}
    </>
  );
}

const settingColumns: readonly Column<Setting>[] = [
  { title: "Setting", cell: ({ variable }) => <code>{variable}</code> },
  { title: "Value", cell: ({ value }) => (value === "" ? "–" : <Name text={value} />) },
  { title: "From", cell: ({ from }) => from },
  { title: "Meaning", cell: ({ about }) => <Plain text={about} /> },
];
