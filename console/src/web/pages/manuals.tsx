import { type Page, usePage } from "../ask.ts";
import { Table } from "../parts/table.tsx";
import { Count, Name, Plain } from "../parts/text.tsx";
import { Empty, WholePage } from "../parts/whole-page.tsx";
import { address, go, Link, useAddress } from "../route.tsx";

type Data = Page<"manuals">;
type Answer = NonNullable<Data["answer"]>;

const pageAddress = (manual: string, page: number, quote?: string): string =>
  address(`/manuals/${encodeURIComponent(manual)}`, { page, quote });

const pictureAddress = (manual: string, page: number, width: number, quote?: string): string =>
  address("/api/console/picture", { manual, page, width, quote });

/** Questions to all manuals, answered by pages with marked words. */
export function ManualsPage() {
  const { query } = useAddress();
  const asked = usePage("manuals", Object.fromEntries(query));
  const ask = (event: Event) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    go(address("/manuals", { q: String(given.get("q")), manual: String(given.get("manual")) }));
  };
  return (
    <WholePage title="Manuals" asked={asked} lede="Ask, and see the page that answers.">
      {({ manuals, answer }) => (
        <>
          <form class="search" onSubmit={ask} key={query.toString()}>
            <label class="field wide">
              A question, a code or words
              <input name="q" defaultValue={query.get("q") ?? ""} required />
            </label>
            <label class="field">
              Manual
              <select name="manual" defaultValue={query.get("manual") ?? ""}>
                <option value="">all</option>
                {manuals.map(({ id, title }) => (
                  <option key={id} value={id} selected={id === query.get("manual")}>
                    {(title || id).slice(0, 60)}
                  </option>
                ))}
              </select>
            </label>
            <button type="submit" class="act">
              Ask
            </button>
          </form>
          {answer && <Answered answer={answer} />}
          {!answer && <Shelf manuals={manuals} />}
        </>
      )}
    </WholePage>
  );
}

function Shelf({ manuals }: { readonly manuals: Data["manuals"] }) {
  if (manuals.length === 0)
    return (
      <Empty>
        No manual was read yet. <Link href="/sources">Send a PDF</Link>, or{" "}
        <code>headway manuals ingest PATH</code>.
      </Empty>
    );
  return (
    <Table
      label="Manuals"
      rows={manuals}
      keyOf={({ id }) => id}
      columns={[
        {
          title: "Manual",
          cell: ({ id, title }) => (
            <Link href={pageAddress(id, 1)}>
              <Name text={title || id} />
            </Link>
          ),
        },
        { title: "Pages", number: true, cell: ({ pages }) => <Count of={pages} /> },
        { title: "Codes", number: true, cell: ({ codes }) => <Count of={codes} /> },
        { title: "State", cell: ({ reading }) => reading },
      ]}
    />
  );
}

function Answered({ answer: { found, unknown, codes, hits } }: { readonly answer: Answer }) {
  return (
    <>
      {!found && (
        <p class="note warn">
          The manuals do not say.
          {unknown.length > 0 && ` They do not have: ${unknown.join(", ")}.`}
          {hits.length > 0 && " These are the nearest passages."}
        </p>
      )}
      {codes.map((one) => (
        <section key={`${one.manual} ${one.code} ${one.page}`} class="code-entry">
          <h2>
            <Link href={pageAddress(one.manual, one.page, one.code)}>
              <Name text={one.code} />
            </Link>
          </h2>
          <dl class="facts">
            {one.facts.map(([name, text]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <Plain text={text} />
                </dd>
              </div>
            ))}
          </dl>
          <p class="faint">
            <Name text={one.manual} />, page {one.page}
          </p>
        </section>
      ))}
      <ol class="pages-found">
        {hits.map((hit) => (
          <Hit key={`${hit.manual} ${hit.page} ${hit.quote}`} hit={hit} />
        ))}
      </ol>
    </>
  );
}

function Hit({ hit }: { readonly hit: Answer["hits"][number] }) {
  const { manual, title, page, label, crumbs, quote } = hit;
  const href = pageAddress(manual, page, quote);
  return (
    <li data-row>
      <img
        src={pictureAddress(manual, page, 480, quote)}
        alt={`Page ${page} of ${title || manual} with the quote marked`}
        loading="lazy"
      />
      <div>
        <p class="thread-subject">
          <Link href={href}>
            <Name text={title || manual} />, page {page}
          </Link>
        </p>
        <p class="faint">
          {label !== "" && label !== String(page) && <>printed {label} · </>}
          <Plain text={crumbs} />
        </p>
        <p class="passage">
          “<Plain text={quote} />”
        </p>
      </div>
    </li>
  );
}

/** One page of a manual as it is printed. */
export function ManualPage({ id }: { readonly id: string }) {
  const { query } = useAddress();
  const quote = query.get("quote") ?? undefined;
  const asked = usePage("manual", { id, page: query.get("page") ?? "1" });
  const title = asked.kind === "here" ? asked.data.manual.title : id;
  return (
    <WholePage title={title.slice(0, 200)} asked={asked}>
      {({ manual, page }) => (
        <>
          <nav class="paging" aria-label="Pages">
            {page > 1 && <Link href={pageAddress(id, page - 1)}>Former page</Link>}
            <span class="faint">
              page {page} of {manual.pages}
            </span>
            {page < manual.pages && <Link href={pageAddress(id, page + 1)}>Next page</Link>}
          </nav>
          {quote !== undefined && (
            <p class="lede">
              “<Plain text={quote} />”
            </p>
          )}
          <img
            class="printed"
            src={pictureAddress(id, page, 1_200, quote)}
            alt={`Page ${page} of ${title}${quote === undefined ? "" : " with the quote marked"}`}
          />
        </>
      )}
    </WholePage>
  );
}
