import { type Page, usePage } from "../ask.ts";
import { Count, count, Day, Name, Plain } from "../parts/text.tsx";
import { Empty, WholePage } from "../parts/whole-page.tsx";
import { address, Link, threadAddress } from "../route.tsx";
import { levelWords, Outcome } from "./threads.tsx";

export const listAddress = (name: string): string => `/lists/${encodeURIComponent(name)}`;

export function ListsPage() {
  const asked = usePage("lists");
  return (
    <WholePage title="Lists" asked={asked} lede="Mailing lists whose archives were read.">
      {({ lists }) => (
        <>
          {lists.length === 0 && (
            <Empty>
              No archive was read yet. <Link href="/sources">Send one</Link>, or{" "}
              <code>headway ingest PATH</code>.
            </Empty>
          )}
          <ul class="threads">
            {lists.map((one) => (
              <li key={one.list} data-row>
                <span class="faint">{count(one.threads, "thread")}</span>
                <div>
                  <p class="thread-subject">
                    <Link href={listAddress(one.list)}>
                      <Name text={one.list} />
                    </Link>
                  </p>
                  <p class="faint">
                    last message <Day at={one.lastDate} />
                  </p>
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
    </WholePage>
  );
}

/** A list at a glance: outcomes of the newest threads. */
export function DigestPage({ name }: { readonly name: string }) {
  const asked = usePage("digest", { name });
  return (
    <WholePage title={name.slice(0, 200)} asked={asked}>
      {({ digest }) => <Digest digest={digest} />}
    </WholePage>
  );
}

type Found = Page<"digest">["digest"];

function Digest({ digest }: { readonly digest: Found }) {
  const levels = Object.entries(digest.levels) as [string, number][];
  return (
    <>
      <p class="lede">
        {count(digest.threads, "thread")} with {count(digest.messages, "message")} by{" "}
        {count(digest.participants, "person", "people")}, <Day at={digest.firstDate} /> to{" "}
        <Day at={digest.lastDate} />.
      </p>
      <dl class="figures">
        {levels
          .filter(([, many]) => many > 0)
          .map(([level, many]) => (
            <div key={level}>
              <dt>{levelWords[level] ?? level}</dt>
              <dd>
                <Link href={address("/threads", { list: digest.list, level })}>
                  <Count of={many} />
                </Link>
              </dd>
            </div>
          ))}
      </dl>
      <h2>Newest first</h2>
      <ol class="threads">
        {digest.entries.map((one) => (
          <Entry key={one.thread} one={one} />
        ))}
      </ol>
    </>
  );
}

function Entry({ one }: { readonly one: Found["entries"][number] }) {
  return (
    <li data-row>
      <Outcome level={one.level} />
      <div>
        <p class="thread-subject">
          <Link href={threadAddress(one.thread)}>
            <Name text={one.title || "(no subject)"} />
          </Link>
        </p>
        {one.line !== "" && (
          <p class="passage">
            <Plain text={one.line.slice(0, 400)} />
          </p>
        )}
        {one.decisions.slice(0, 2).map((said) => (
          <p key={said.quote} class="said faint">
            decided by <Name text={said.by.name || said.by.address} />: “
            <Plain text={said.quote.slice(0, 200)} />”
          </p>
        ))}
        {one.openQuestions.slice(0, 2).map((said) => (
          <p key={said.quote} class="said faint">
            open, asked by <Name text={said.by.name || said.by.address} />: “
            <Plain text={said.quote.slice(0, 200)} />”
          </p>
        ))}
        <p class="faint">
          {count(one.messages, "message")} by {count(one.participants, "person", "people")} · last{" "}
          <Day at={one.lastDate} />
        </p>
      </div>
    </li>
  );
}
