import { type DocumentOf, type Duration, groupStage } from "@headway/engine";
import { headers, threads } from "../collections.ts";
import { threadId } from "../identity.ts";
import { type Thread, threadMessages } from "../threads/thread.ts";

type Header = DocumentOf<typeof headers>;

/**
 * A list's messages become threads. The headers of the whole list are read each time, because a late message may join two threads or
 * part a thread; only changed threads are written.
 */
export const makeThreading = (quiet: Duration) =>
  groupStage("threading", {
    reads: headers,
    per: (header) => header.list,
    quiet,
    madeOf: "$.messages[*].message",
    version: "3",
    writes: [threads],
    announces: { done: "SummarizationRequested", failed: "OrchestrationFailed" },
    retry: { attempts: 5 },
    *run({ key: list, documents }) {
      const byId = new Map(documents.map((header) => [header.id, header]));
      for (const thread of threadMessages(documents))
        yield threads.document(threadId(list, thread.root), describe(list, thread, byId));
    },
  });

function describe(list: string, thread: Thread, byId: ReadonlyMap<string, Header>) {
  const present = thread.members.map(({ id }) => byId.get(id) as Header);
  const dates = present.flatMap(({ date }) => date ?? []).sort();
  const people = new Map(
    present.map(({ from }) => [from.address.toLowerCase() || from.name.toLowerCase(), from]),
  );
  return {
    list,
    subject: thread.subject,
    messages: thread.members.map(({ id, parent }) => ({ message: id, parent })),
    roots: thread.roots,
    participants: [...people.values()],
    firstDate: dates[0] ?? null,
    lastDate: dates.at(-1) ?? null,
  };
}
