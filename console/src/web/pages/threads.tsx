import { type Page, usePage } from "../ask.ts";
import { Choice, NextPage, Words } from "../parts/filters.tsx";
import { count, Day, Name, Plain } from "../parts/text.tsx";
import { Empty, WholePage } from "../parts/whole-page.tsx";
import { Link, threadAddress, useAddress } from "../route.tsx";

const levels = ["strong", "rough", "contested", "none", "undecided"];

/** Threads with their outcomes. */
export function ThreadsPage() {
  const { query } = useAddress();
  const asked = usePage("threads", Object.fromEntries(query));
  return (
    <WholePage title="Threads" asked={asked} lede="What was talked about, and what it came to.">
      {(data) => (
        <>
          <Filters data={data} />
          {data.rows.length === 0 && (
            <Empty>
              No thread fits.{" "}
              {query.size > 0 ? (
                <Link href="/threads">Show all</Link>
              ) : (
                <code>headway ingest archive.mbox</code>
              )}
            </Empty>
          )}
          <ol class="threads">
            {data.rows.map((row) => (
              <ThreadLine key={row.id} row={row} />
            ))}
          </ol>
          <NextPage more={data.more} after={data.rows.at(-1)?.id} />
        </>
      )}
    </WholePage>
  );
}

function Filters({ data }: { readonly data: Page<"threads"> }) {
  const { query, set } = useAddress();
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <Choice
        label="Outcome"
        value={query.get("level") ?? ""}
        options={levels}
        all="any"
        onChoose={(value) => set("level", value)}
      />
      <Choice
        label="Order"
        value={query.get("order") ?? "newest"}
        options={["newest", "largest", "interesting"]}
        onChoose={(value) => set("order", value)}
      />
      <Choice
        label="List"
        value={query.get("list") ?? ""}
        options={data.lists}
        all="all"
        onChoose={(value) => set("list", value)}
      />
      <Words label="Subject" name="subject" />
    </form>
  );
}

function ThreadLine({ row }: { readonly row: Page<"threads">["rows"][number] }) {
  return (
    <li data-row>
      <Outcome level={row.level} sides={row.support + row.object} />
      <div>
        <p class="thread-subject">
          <Link href={threadAddress(row.id)}>
            <Name text={row.subject || "(no subject)"} />
          </Link>
        </p>
        <p class="faint">
          <Plain text={row.list} /> · {count(row.messages, "message")} by{" "}
          {count(row.participants, "person", "people")} · <Days from={row.firstDate} to={row.lastDate} />
          {row.support + row.object > 0 && (
            <>
              {" "}
              · {row.support} for, {row.object} against
            </>
          )}
        </p>
      </div>
    </li>
  );
}

const dayOf = (at: string | null): string => at?.slice(0, 10) ?? "";

/** A thread of one day has one date. */
const Days = ({ from, to }: { readonly from: string | null; readonly to: string | null }) => (
  <>
    <Day at={from} />
    {dayOf(from) !== dayOf(to) && (
      <>
        {" "}
        to <Day at={to} />
      </>
    )}
  </>
);

export const levelWords: Readonly<Record<string, string>> = {
  strong: "strong consensus",
  rough: "rough consensus",
  contested: "contested",
  none: "nothing to decide",
  undecided: "undecided",
};

interface Told {
  readonly level: string | null;
  /** People with a side, where known: fewer than two make no consensus. */
  readonly sides?: number;
}

export const Outcome = ({ level, sides = 2 }: Told) => (
  <span class={`outcome ${level ?? "unknown"}`}>
    {level === null
      ? "not weighed yet"
      : level === "rough" && sides < 2
        ? "decided without a discussion"
        : (levelWords[level] ?? level)}
  </span>
);
