import { usePage } from "../ask.ts";
import { ActButton } from "../parts/act-button.tsx";
import { NextPage } from "../parts/filters.tsx";
import { Block } from "../parts/scroll.tsx";
import { Clock, Count, count, Moment, Name, Plain, size } from "../parts/text.tsx";
import { Empty, WholePage } from "../parts/whole-page.tsx";
import { documentAddress, Link, useAddress } from "../route.tsx";

/** Deliveries of the broker that are no event. */
export function QuarantinePage() {
  const { query } = useAddress();
  const asked = usePage("quarantine", Object.fromEntries(query));
  return (
    <WholePage
      title="Quarantine"
      asked={asked}
      lede="What a broker delivered that is no known event. It was acknowledged and had no effect."
    >
      {(data) => (
        <>
          {data.groups.length === 0 && <Empty>Nothing is in quarantine.</Empty>}
          <ol class="groups">
            {data.groups.map((one) => (
              <li key={`${one.queue} ${one.reason}`} data-row>
                <span class="many">
                  <Count of={one.deliveries} />
                </span>
                <div>
                  <p>
                    <Name text={one.reason} />{" "}
                    <span class="faint">
                      in queue <Name text={one.queue} />
                    </span>
                  </p>
                  <p class="faint">
                    {count(one.times, "time")} in all · first <Moment at={one.first_at} /> · last{" "}
                    <Moment at={one.last_at} />
                  </p>
                </div>
                <ActButton
                  act="purgeQuarantine"
                  fields={{ filter: { queue: one.queue, reason: one.reason } }}
                  label={`Purge ${one.deliveries} of ${one.queue}`}
                >
                  Purge…
                </ActButton>
              </li>
            ))}
          </ol>
          {data.rows.length > 0 && (
            <ol class="time-line">
              {data.rows.map((one) => (
                <li key={one.id} data-row>
                  <Clock at={one.last_at} />
                  <Link href={`/quarantine/${one.id}`}>q{one.id}</Link>
                  <span class="what">
                    <Name text={one.reason} /> <Plain text={(one.detail ?? "").slice(0, 200)} /> ·{" "}
                    {size(one.bytes)}
                  </span>
                </li>
              ))}
            </ol>
          )}
          <NextPage more={data.more} after={data.rows.at(-1)?.id} />
        </>
      )}
    </WholePage>
  );
}

export function DeliveryPage({ id }: { readonly id: string }) {
  const asked = usePage("delivery", { id: id.replace(/^q/, "") });
  return (
    <WholePage title={`Delivery q${id.replace(/^q/, "")}`} asked={asked}>
      {({ delivery, hex, text }) => (
        <>
          <p class="lede">
            <Plain text={delivery.reason} />
          </p>
          <p class="faint">
            queue <Name text={delivery.queue} /> · {size(delivery.bytes)} · {count(delivery.times, "time")}
          </p>
          <h2>As text</h2>
          <Block label="Bytes as text" text={text} />
          <h2>As hex</h2>
          <Block label="Bytes as hex" text={hex.match(/.{1,64}/g)?.join("\n") ?? ""} />
        </>
      )}
    </WholePage>
  );
}

/** Two origins, one id. */
export function ConflictsPage() {
  const { query } = useAddress();
  const asked = usePage("conflicts", Object.fromEntries(query));
  return (
    <WholePage
      title="Conflicts"
      asked={asked}
      lede="Content that was refused because another origin had the id first."
    >
      {(data) => (
        <>
          {data.rows.length === 0 && <Empty>No two origins claim the same id.</Empty>}
          <ol class="groups">
            {data.rows.map((one) => (
              <li key={one.id} data-row>
                <div>
                  <p>
                    <Link href={documentAddress(one.collection, one.document)}>
                      {one.collection} / <Name text={one.document} />
                    </Link>{" "}
                    <span class="faint">
                      also from <Name text={one.source ?? one.stage ?? ""} /> <Moment at={one.at} />
                    </span>
                  </p>
                  <p>
                    <Link href={`/conflicts/${one.id}`}>Both contents</Link>
                  </p>
                </div>
              </li>
            ))}
          </ol>
          <NextPage more={data.more} after={data.rows.at(-1)?.id} />
        </>
      )}
    </WholePage>
  );
}

/** Both contents of a conflict. */
export function ConflictPage({ id }: { readonly id: string }) {
  const asked = usePage("conflict", { id });
  return (
    <WholePage title={`Conflict ${id}`} asked={asked}>
      {({ conflict, kept, refused }) => (
        <>
          <p class="lede">
            Two origins, one id:{" "}
            <Link href={documentAddress(conflict.collection, conflict.document)}>
              {conflict.collection} / <Name text={conflict.document} />
            </Link>
          </p>
          <div class="two-columns">
            <section>
              <h2>Kept</h2>
              <Block label="Kept content" text={kept?.text ?? "The document is gone."} />
            </section>
            <section>
              <h2>
                Refused, from <Name text={conflict.source ?? conflict.stage ?? "an unknown origin"} />
              </h2>
              <Block label="Refused content" text={refused?.text ?? ""} />
            </section>
          </div>
        </>
      )}
    </WholePage>
  );
}

/** JSON in lines; a cut text stays as it is. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return `${text} …`;
  }
}

export function EventsPage() {
  const { query } = useAddress();
  const asked = usePage("events", Object.fromEntries(query));
  return (
    <WholePage title="Events" asked={asked} lede="Facts announced to other services, the newest first.">
      {(data) => (
        <>
          {query.has("type") && (
            <p class="faint">
              Only <Name text={query.get("type") ?? ""} />. <Link href="/events">All events</Link>
            </p>
          )}
          {data.rows.length === 0 && <Empty>No event was announced yet.</Empty>}
          <ol class="time-line">
            {data.rows.map((one) => (
              <li key={one.id} data-row>
                <Clock at={one.at} />
                <Link href={`/events?type=${encodeURIComponent(one.type)}`}>{one.type}</Link>
                <details class="what">
                  <summary>
                    <code>
                      <Plain text={one.text.length > 120 ? `${one.text.slice(0, 120)}…` : one.text} />
                    </code>{" "}
                    <span class="faint">{one.relayed_at ? "published" : "in the outbox"}</span>
                  </summary>
                  <Block label={`Event ${one.id}`} text={indented(one.text)} />
                </details>
              </li>
            ))}
          </ol>
          <NextPage more={data.more} after={data.rows.at(-1)?.id} />
        </>
      )}
    </WholePage>
  );
}
