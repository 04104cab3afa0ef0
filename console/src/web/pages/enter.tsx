import { useState } from "preact/hooks";
import { ask } from "../ask.ts";
import { recognise } from "../recognise.ts";

/** For people without a session: a fresh link, or a key. */
export function Enter() {
  const [key, setKey] = useState("");
  const [failed, setFailed] = useState<string | null>(null);
  const enter = async (event: Event) => {
    event.preventDefault();
    setFailed(null);
    await ask("enter", { key: key.trim() }).then(recognise, (error: Error) => setFailed(error.message));
  };
  return (
    <main class="enter">
      <p class="brand">
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M1 8h11M8 3l5 5-5 5" />
        </svg>
        Headway
      </p>
      <h1 tabIndex={-1}>Come in</h1>
      <p>
        On the machine where Headway runs, <code>headway console</code> prints a link that opens this page.
        From elsewhere you need a key: an operator makes one with <code>headway access add NAME</code>.
      </p>
      <form onSubmit={(event) => void enter(event)}>
        <label class="field">
          Key
          <input
            type="password"
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
            required
            autocomplete="current-password"
          />
        </label>
        {failed !== null && (
          <p class="note bad" role="alert">
            {failed}
          </p>
        )}
        <p class="buttons">
          <button type="submit" class="act">
            Enter
          </button>
        </p>
      </form>
    </main>
  );
}
