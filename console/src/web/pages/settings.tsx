import { type Page, usePage } from "../ask.ts";
import { type Column, Table } from "../parts/table.tsx";
import { Day, Name, Plain } from "../parts/text.tsx";
import { Empty, WholePage } from "../parts/whole-page.tsx";
import { Link, useAddress } from "../route.tsx";
import { useStore } from "../store.ts";
import { theme, toggleTheme } from "../theme.ts";

/** Settings in force with their origin, and the people with a key. */
export function SettingsPage() {
  const asked = usePage("settings");
  const chosen = useStore(theme);
  const { query } = useAddress();
  const all = query.get("all") === "yes";
  return (
    <WholePage title="Settings" asked={asked}>
      {({ keys, settings }) => {
        const changed = settings.filter(({ from }) => from !== "default");
        return (
          <>
            <p>
              Look: {chosen}.{" "}
              <button type="button" onClick={toggleTheme}>
                Light or dark
              </button>
            </p>
            <h2>Access keys</h2>
            {keys.length === 0 ? (
              <Empty>
                Nobody has a key: <code>headway access add NAME --role reader</code> makes one.
              </Empty>
            ) : (
              <Table label="Access keys" rows={keys} columns={keyColumns} keyOf={({ name }) => name} />
            )}
            <h2>Settings in force</h2>
            <p class="faint">
              {all
                ? `All ${settings.length}. `
                : `${changed.length} of ${settings.length} differ from the default. `}
              <Link href={all ? "/settings" : "/settings?all=yes"}>
                {all ? "Only what differs" : "Show all"}
              </Link>
            </p>
            <Table
              label="Settings"
              rows={all ? settings : changed}
              columns={settingColumns}
              keyOf={({ variable }) => variable}
            />
          </>
        );
      }}
    </WholePage>
  );
}

const keyColumns: readonly Column<Page<"settings">["keys"][number]>[] = [
  { title: "Name", cell: ({ name }) => <Name text={name} /> },
  { title: "Role", cell: ({ role }) => role },
  { title: "Added", cell: ({ addedAt }) => <Day at={addedAt} /> },
  { title: "Until", cell: ({ expiresAt }) => (expiresAt === null ? "for ever" : <Day at={expiresAt} />) },
];

const settingColumns: readonly Column<Page<"settings">["settings"][number]>[] = [
  { title: "Setting", cell: ({ variable }) => <code>{variable}</code> },
  { title: "Value", cell: ({ value }) => (value === "" ? "–" : <Name text={value} />) },
  { title: "From", cell: ({ from }) => from },
  { title: "Meaning", cell: ({ about }) => <Plain text={about} /> },
];
