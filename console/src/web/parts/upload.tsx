import { useRef, useState } from "preact/hooks";
import type { Uploaded } from "../../server/library.ts";
import { ask, type Json, send } from "../ask.ts";
import { documentAddress, Link } from "../route.tsx";
import { count, Name, Plain, size } from "./text.tsx";

const pieceBytes = 1024 * 1024;
const triesMax = 5;

type Read = Json<Uploaded>;
type Sending =
  | { readonly kind: "idle" }
  | { readonly kind: "sending"; readonly name: string; readonly sent: number; readonly of: number }
  | { readonly kind: "reading"; readonly name: string }
  | { readonly kind: "read"; readonly name: string; readonly read: Read }
  | { readonly kind: "failed"; readonly error: string };

/** Sends a file piece by piece; after a broken connection sending goes on. */
async function sendFile(file: File, list: string, tell: (state: Sending) => void): Promise<void> {
  const { name } = file;
  const query = new URLSearchParams({ name, ...(list !== "" && { list }) });
  const { id } = await ask<{ id: string }>(`upload?${query}`, {});
  let at = 0;
  for (let tries = 0; at < file.size; ) {
    tell({ kind: "sending", name, sent: at, of: file.size });
    const piece = file.slice(at, at + pieceBytes);
    const taken = await send<{ bytes: number }>(`upload?id=${id}&at=${at}`, piece).catch((error: Error) => {
      if (++tries >= triesMax) throw error;
      return null;
    });
    if (taken) [at, tries] = [taken.bytes, 0];
    else await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  tell({ kind: "reading", name });
  tell({ kind: "read", name, read: await ask<Read>(`upload?id=${id}`, {}) });
}

/** Takes archives by choice or by drop. */
export function Upload() {
  const [state, set] = useState<Sending>({ kind: "idle" });
  const [over, setOver] = useState(false);
  const list = useRef<HTMLInputElement>(null);
  const busy = state.kind === "sending" || state.kind === "reading";
  const take = async (files: FileList | null | undefined) => {
    for (const file of files ?? [])
      await sendFile(file, list.current?.value.trim() ?? "", set).catch((error: Error) =>
        set({ kind: "failed", error: error.message }),
      );
  };
  return (
    <section class="upload" aria-label="Upload">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is one of two ways, the button is for keyboards. */}
      <div
        class={`drop ${over ? "over" : ""}`}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          if (!busy) void take(event.dataTransfer?.files);
        }}
      >
        <label class="field">
          Bring an archive: choose it or drop it here (mbox, maildir as .zip or .tar, .eml, .gz)
          <input
            type="file"
            multiple
            disabled={busy}
            onChange={(event) => void take(event.currentTarget.files)}
          />
        </label>
        <label class="field">
          List (empty: as the name of the file tells)
          <input ref={list} name="list" autocomplete="off" />
        </label>
      </div>
      <Progress state={state} />
    </section>
  );
}

function Progress({ state }: { readonly state: Sending }) {
  if (state.kind === "idle") return null;
  if (state.kind === "failed")
    return (
      <p class="note bad" role="alert">
        <Plain text={state.error} />
      </p>
    );
  if (state.kind === "sending")
    return (
      <p class="note" role="status">
        <progress value={state.sent} max={state.of} aria-label="Sent" /> {size(state.sent)} of{" "}
        {size(state.of)} of <Name text={state.name} />
      </p>
    );
  if (state.kind === "reading")
    return (
      <p class="note" role="status">
        <Name text={state.name} /> is here and is being read …
      </p>
    );
  return <Told name={state.name} read={state.read} />;
}

function Told({ name, read }: { readonly name: string; readonly read: Read }) {
  const { accepted, unchanged, refused, documents } = read;
  return (
    <div class={`note ${refused.length > 0 ? "bad" : "good"}`} role="status">
      <p>
        <Name text={name} />:{" "}
        {accepted > 0
          ? `${count(accepted, "archive")} accepted.`
          : unchanged > 0
            ? "its bytes are known, nothing to do."
            : "nothing was accepted."}
      </p>
      {refused.map((because) => (
        <p key={because}>
          <Plain text={because} />
        </p>
      ))}
      {documents.map(({ collection, id }) => (
        <p key={id}>
          <Link href={documentAddress(collection, id)}>
            The story of <Name text={id} />
          </Link>
        </p>
      ))}
    </div>
  );
}
