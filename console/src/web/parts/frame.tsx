import { useEffect, useRef, useState } from "preact/hooks";
import { ask } from "../ask.ts";
import { goKeys, helpOpen } from "../keys.ts";
import { awaySince, connection, levels, togglePause } from "../live.ts";
import { address, go, Link, useAddress } from "../route.tsx";
import { signedOut } from "../session.ts";
import { useStore } from "../store.ts";
import { toggleTheme } from "../theme.ts";
import { Clock } from "./text.tsx";
import { hasManuals, me, readable } from "./who.ts";

const more = [
  ["/workers", "Workers"],
  ["/outages", "Outages"],
  ["/policies", "Policies"],
  ["/quarantine", "Quarantine"],
  ["/conflicts", "Conflicts"],
  ["/sources", "Sources"],
  ["/events", "Events"],
  ["/bench", "Benchmarks"],
  ["/audit", "Audit"],
  ["/health", "Health"],
  ["/settings", "Settings"],
] as const;

const listsEntry = [["/lists", "Lists"]] as const;

/** The bar on top: navigation, find box, freshness, session. */
export function Frame() {
  const person = useStore(me);
  const { path } = useAddress();
  const under = (start: string) => path === start || path.startsWith(`${start}/`);
  return (
    <header class="bar">
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <Link href="/" class="brand">
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M1 8h11M8 3l5 5-5 5" />
        </svg>
        Headway
      </Link>
      <Navigation path={path} under={under} />
      <Find />
      <div class="state-of-things">
        <Freshness />
        <button type="button" class="quiet" onClick={toggleTheme} aria-label="Light or dark">
          ◐
        </button>
        <button type="button" class="quiet" onClick={() => helpOpen.set(true)} aria-label="Keys">
          ?
        </button>
        {person && <Leave name={person.name} role={person.role} />}
      </div>
      <Help />
    </header>
  );
}

interface Way {
  readonly path: string;
  readonly under: (start: string) => boolean;
}

function Navigation({ path, under }: Way) {
  const person = useStore(me);
  const hasReaders = useStore(readable);
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (menu.current) menu.current.open = false;
  }, [path]);
  const reading = person?.role === "reader";
  return (
    <nav aria-label="Main">
      {reading && <ReaderLinks under={under} />}
      <OperatorLinks path={path} under={under} />
      {!reading && <ReaderLinks under={under} />}
      <details ref={menu} class="more">
        <summary>More</summary>
        <div>
          {[...(hasReaders ? listsEntry : []), ...more].map(([href, name]) => (
            <Link key={href} href={href} current={under(href)}>
              {name}
            </Link>
          ))}
        </div>
      </details>
    </nav>
  );
}

function OperatorLinks({ path, under }: Way) {
  const now = useStore(levels);
  const dead = now?.stages.reduce((sum, one) => sum + one.dead - one.closed, 0) ?? 0;
  const alerts = now?.alerts ?? 0;
  return (
    <>
      <Link href="/" current={path === "/" || under("/stages")}>
        Pipeline
      </Link>
      <Link href="/documents" current={under("/documents") || under("/d") || under("/g")}>
        Documents
      </Link>
      <Link href="/dead" current={under("/dead")}>
        Dead letters{dead > 0 && <span class="badge">{dead}</span>}
      </Link>
      <Link href="/errors" current={under("/errors")}>
        Errors
      </Link>
      <Link href="/alerts" current={under("/alerts")}>
        Alerts{alerts > 0 && <span class="badge">{alerts}</span>}
      </Link>
    </>
  );
}

/** Pages of the pipelines; first for readers, last for operators. */
function ReaderLinks({ under }: Pick<Way, "under">) {
  const hasReaders = useStore(readable);
  const hasBooks = useStore(hasManuals);
  return (
    <>
      {hasReaders && (
        <>
          <Link href="/threads" current={under("/threads") || under("/t") || under("/lists")}>
            Threads
          </Link>
          <Link href="/search" current={under("/search")}>
            Search
          </Link>
        </>
      )}
      {hasBooks && (
        <Link href="/manuals" current={under("/manuals")}>
          Manuals
        </Link>
      )}
    </>
  );
}

/** Finds documents by id, by part of a name, or a dead letter by #number. */
function Find() {
  const [words, setWords] = useState("");
  return (
    <search>
      <form
        class="find"
        onSubmit={(event) => {
          event.preventDefault();
          const given = words.trim();
          if (given === "") return;
          go(
            given.startsWith("#")
              ? `/dead/${encodeURIComponent(given.slice(1))}`
              : address("/find", { q: given }),
          );
        }}
      >
        <label class="unseen" for="find">
          Find a document by its id
        </label>
        <input
          id="find"
          value={words}
          placeholder="Find a document  /"
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      </form>
    </search>
  );
}

function Freshness() {
  const state = useStore(connection);
  const mark = state === "live" ? "●" : state === "connecting" ? "○" : "▲";
  return (
    <button
      type="button"
      class={`quiet freshness ${state.replace(" ", "-")}`}
      onClick={togglePause}
      title="Pause or go on"
    >
      <span aria-hidden="true">{mark}</span> {state}
    </button>
  );
}

function Leave({ name, role }: { readonly name: string; readonly role: string }) {
  const leave = async () => {
    await ask("leave").catch(() => undefined);
    signedOut();
  };
  return (
    <details class="more me">
      <summary>{name}</summary>
      <div>
        <span>{role === "operator" ? "operator: may act" : "reader: may look"}</span>
        <button type="button" onClick={() => void leave()}>
          Leave
        </button>
      </div>
    </details>
  );
}

/** Trouble on the way to the numbers; the numbers stay. */
export function Banner() {
  const state = useStore(connection);
  const since = useStore(awaySince);
  const now = useStore(levels);
  if (state === "database away")
    return (
      <p class="banner bad" role="alert">
        The database does not answer
        {since && (
          <>
            {" "}
            since <Clock at={since} />
          </>
        )}
        . Documents are safe; work goes on when it is back.
      </p>
    );
  if (state === "server away" && now)
    return (
      <p class="banner warn" role="alert">
        The server does not answer. These are the numbers of <Clock at={now.at} />; trying again by itself.
      </p>
    );
  return null;
}

function Help() {
  const open = useStore(helpOpen);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open) dialog.current?.showModal();
  }, [open]);
  const others = [
    ["/", "find"],
    ["j k", "next and former row"],
    ["Enter", "open"],
    [".", "pause the stream, go on"],
    ["t", "light or dark"],
    ["Esc", "close"],
  ];
  return (
    <dialog ref={dialog} aria-label="Keys" onClose={() => helpOpen.set(false)}>
      <h2>Keys</h2>
      <dl class="keys">
        {Object.entries(goKeys).map(([key, [name]]) => (
          <div key={key}>
            <dt>
              <kbd>g</kbd> <kbd>{key}</kbd>
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
        {others.map(([key, name]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
      </dl>
      <p class="buttons">
        <button type="button" class="act" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </p>
    </dialog>
  );
}
